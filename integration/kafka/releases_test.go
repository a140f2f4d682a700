// releases_test.go proves the runner with releases that differ from the newest; it
// is skipped without KAFKA_TESTS=real.

package kafka_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/integration/kafka"
)

func TestCluster_OlderReleases_LiveAndDieAsTheNewest(t *testing.T) {
	kafka.Require(t)
	for _, version := range []string{"3.9.1", "2.1.1"} {
		t.Run(version, func(t *testing.T) {
			var dir string
			t.Run("cluster", func(t *testing.T) {
				c := kafka.Start(t, kafka.Options{
					Version: version, Topics: map[string]int{"kept": 3}, Config: sessionsEndSoon(version),
				})
				dir = filepath.Dir(filepath.Dir(c.Node(1).LogFile()))
				require.NotEmpty(t, processesOf(t, dir))
				client := newClient(t, c)
				produce(t, client, "kept", 100)

				c.Node(1).Pause(t)
				c.Node(1).Resume(t)
				produce(t, client, "kept", 100)

				c.Node(1).Kill(t)
				c.Node(1).Restart(t)
				produce(t, client, "kept", 100)

				c.Node(1).Stop(t)
				dump := c.DumpLog(t, "kept")
				assert.Empty(t, dump.Invalid)
				assert.Equal(t, 300, dump.Records)
				assert.Equal(t, 300, dump.Counted)
				assert.Positive(t, dump.Batches)
			})
			assert.NoDirExists(t, dir)
			assert.Empty(t, processesOf(t, dir))
		})
	}
}

// sessionsEndSoon lets a killed node come back soon.
func sessionsEndSoon(version string) map[string]string {
	if strings.HasPrefix(version, "2.") {
		return map[string]string{"zookeeper.session.timeout.ms": "2000"}
	}
	return map[string]string{"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "200"}
}

// processesOf returns the ids of the processes whose command line names the
// folder.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []string
	for _, file := range all {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), dir) {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found
}
