// main_test.go runs the command as a user does.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// check runs the command and returns its status and lines.
func check(args ...string) (status int, out, errs string) {
	var o, e strings.Builder
	status = run(&o, &e, args)
	return status, o.String(), e.String()
}

func TestRun_EffectiveConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "producer.properties")
	require.NoError(t, os.WriteFile(file, []byte("# ours\nbootstrap.servers = b1:9092, \\\n  b2:9092\nlinger.ms: 20\nmade.up=1\n"), 0o600))
	status, out, errs := check(file, "linger.ms=30", "acks=1", "key.serializer=S")
	assert.Zero(t, status)
	assert.Empty(t, errs)
	for _, line := range []string{"acks = 1", "bootstrap.servers = b1:9092,b2:9092", "linger.ms = 30", "enable.idempotence = false", "unused: key.serializer", "unused: made.up"} {
		assert.Contains(t, out, line+"\n")
	}
}

func TestRun_Mistakes(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.properties")
	for _, tc := range []struct {
		name string
		args []string
		want []string // starts of the lines
	}{
		{"two", []string{"bootstrap.servers=b1", "linger.ms=soon"}, []string{"linger.ms: ", "bootstrap.servers: "}},
		{"nothing to start from", []string{"acks=all"}, []string{"bootstrap.servers: "}},
		{"not in this version", []string{"bootstrap.servers=b1:9092", "transactional.id=t"}, []string{"TransactionalID: "}},
		{"no file", []string{missing}, []string{"checkconfig: open "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, out, errs := check(tc.args...)
			assert.Equal(t, 1, status)
			assert.Empty(t, out)
			lines := strings.Split(strings.TrimSpace(errs), "\n")
			require.Len(t, lines, len(tc.want), "%s", errs)
			for i, start := range tc.want {
				assert.True(t, strings.HasPrefix(lines[i], start), lines[i])
			}
		})
	}
}

func TestRun_Doubts(t *testing.T) {
	status, out, errs := check("bootstrap.servers=b1:9092", "retry.backoff.ms=2000")
	assert.Zero(t, status)
	assert.Contains(t, errs, "retry.backoff.ms: ")
	assert.Contains(t, out, "retry.backoff.ms = 2000\n")
}

func TestRun_Usage(t *testing.T) {
	for _, args := range [][]string{nil, {"-h"}, {"--help"}} {
		status, _, errs := check(args...)
		assert.Equal(t, 2, status)
		assert.Contains(t, errs, "usage: ")
	}
}
