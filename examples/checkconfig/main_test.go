// main_test.go runs the command as a user does.

package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

func TestRun_EffectiveConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "producer.properties")
	require.NoError(t, os.WriteFile(file, []byte("# ours\nbootstrap.servers = b1:9092, \\\n  b2:9092\nlinger.ms: 20\nmade.up=1\n"), 0o600))
	r := tooltest.Run{Tool: run}
	out := r.Must(t, file, "linger.ms=30", "acks=1", "key.serializer=S")
	for _, line := range []string{"acks = 1", "bootstrap.servers = b1:9092,b2:9092", "linger.ms = 30", "enable.idempotence = false", "unused: key.serializer", "unused: made.up"} {
		assert.Contains(t, out, line+"\n")
	}
}

func TestRun_Mistakes(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.properties")
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"two", []string{"bootstrap.servers=b1", "linger.ms=soon"}, []string{"linger.ms: ", "bootstrap.servers: "}},
		{"nothing to start from", []string{"acks=all"}, []string{"bootstrap.servers: "}},
		{"not in this version", []string{"bootstrap.servers=b1:9092", "transactional.id=t", "linger.ms=soon"}, []string{"transactional.id: ", "linger.ms: "}},
		{"no files", []string{missing, missing + "2", "=1"}, []string{"open " + missing + ":", "open " + missing + "2:", `"=1" is not`}},
		{"neither file nor property", []string{"--no-such-flag"}, []string{"open --no-such-flag: "}},
		{"nothing", nil, []string{usage}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := tooltest.Run{Tool: run}
			err := r.Do(t.Context(), tc.args...)
			for _, want := range tc.want {
				assert.ErrorContains(t, err, want)
			}
			assert.Empty(t, r.Out.String())
		})
	}
}

func TestRun_Doubts(t *testing.T) {
	r := tooltest.Run{Tool: run}
	require.NoError(t, r.Do(t.Context(), "bootstrap.servers=b1:9092", "retry.backoff.ms=2000"))
	assert.Contains(t, r.Err.String(), "retry.backoff.ms: ")
	assert.Contains(t, r.Out.String(), "retry.backoff.ms = 2000\n")
}

func TestRun_Help(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help"} {
		r := tooltest.Run{Tool: run}
		require.ErrorIs(t, r.Do(t.Context(), arg), flag.ErrHelp)
		assert.Equal(t, usage+"\n", r.Out.String())
	}
}
