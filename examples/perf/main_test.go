package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

// main_test.go owns the proof that the tool as a whole does what it says, on an embedded cluster.

const (
	windowShape = "N records sent, N records/sec (N MB/sec), N ms avg latency, N ms max latency.\n"
	totalShape  = "N records sent, N records/sec (N MB/sec), N ms avg latency, N ms max latency, Nth, Nth, Nth, Nth.\n"
	steadyShape = "N steady state records sent, N records/sec (N MB/sec), N ms avg latency, N ms max latency, Nth, Nth, Nth, Nth.\n"
)

// shape is the output without numbers, each percentile as Nth.
func shape(out string) string {
	return regexp.MustCompile(`N ms Nth`).ReplaceAllString(tooltest.Shape(out), "Nth")
}

func TestRun_RandomLetters(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "letters")
	r := tooltest.Run{Tool: run}
	out := r.Must(t, "-bootstrap-server", bootstrap, "-topic", "letters", "-num-records", "1000", "-record-size", "30", "-throughput", "-1")
	assert.Equal(t, totalShape, shape(out))
	assert.True(t, strings.HasPrefix(out, "1000 records sent, "), out)
	for _, rec := range tooltest.Records(t, bootstrap, "letters", 1000) {
		assert.Regexp(t, "^[A-Z]{30}$", string(rec.Value))
		assert.Nil(t, rec.Key)
	}
}

func TestRun_WarmupAndWindows(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "numbers")
	r := tooltest.Run{Tool: run}
	out := r.Must(t, "--topic", "numbers", "--num-records", "900", "--payload-monotonic", "--throughput", "1500",
		"--warmup-records", "300", "--reporting-interval", "50", "--record-key-range", "4", "--key-distribution", "range",
		"--command-property", "bootstrap.servers="+bootstrap, "linger.ms=0", "--command-property", "acks=all")
	warm, steady, ok := strings.Cut(shape(out), "In steady state.\n")
	require.True(t, ok, out)
	assert.Regexp(t, "^Warmup first N records. Steady state results will print after the complete test summary.\n("+
		regexp.QuoteMeta(windowShape)+")+$", warm)
	assert.Regexp(t, "^("+regexp.QuoteMeta(windowShape)+")+"+regexp.QuoteMeta(totalShape+steadyShape)+"$", steady)
	assert.Contains(t, out, "\n900 records sent, ")
	assert.Contains(t, out, "\n600 steady state records sent, ")

	values := make(map[string]string) // to keys
	for _, rec := range tooltest.Records(t, bootstrap, "numbers", 900) {
		values[string(rec.Value)] = string(rec.Key)
	}
	assert.Len(t, values, 900)
	assert.Equal(t, "0", values["0"])
	assert.Equal(t, "3", values["899"])
}

func TestRun_PayloadFile(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "picked")
	file := filepath.Join(t.TempDir(), "values")
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600))
	r := tooltest.Run{Tool: run}
	out := r.Must(t, "--bootstrap-server", bootstrap, "--topic", "picked", "--num-records", "100", "--payload-file", file, "--throughput", "-1")
	assert.True(t, strings.HasPrefix(out, "Reading payloads from: "+file+"\nNumber of records read: 3\n100 records sent, "), out)
	seen := make(map[string]int)
	for _, rec := range tooltest.Records(t, bootstrap, "picked", 100) {
		seen[string(rec.Value)]++
	}
	assert.Len(t, seen, 3)
}

func TestRun_RecordsThatFail(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "there")
	r := tooltest.Run{Tool: run}
	err := r.Do(t.Context(), "--bootstrap-server", bootstrap, "--topic", "not-there", "--num-records", "12", "--record-size", "1",
		"--throughput", "-1", "--command-property", "max.block.ms=5")
	require.ErrorContains(t, err, "12 of 12 records were not sent")
	assert.Equal(t, 10, strings.Count(r.Err.String(), "tool: not sent: "))
	assert.Contains(t, r.Err.String(), "UNKNOWN_TOPIC_OR_PARTITION")
	assert.Equal(t, 1, strings.Count(r.Err.String(), "more records were not sent"))
	assert.Contains(t, r.Out.String(), "0 records sent, 0.000000 records/sec (0.00 MB/sec), NaN ms avg latency, 0.00 ms max latency, 0 ms 50th")
}

func TestRun_Interrupted(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "cut")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r := tooltest.Run{Tool: run}
	err := r.Do(ctx, "--bootstrap-server", bootstrap, "--topic", "cut", "--num-records", "1000000", "--record-size", "10", "--throughput", "1000")
	require.ErrorContains(t, err, "interrupted after ")
	assert.Equal(t, totalShape, shape(r.Out.String()), "what was sent has its summary")
	assert.Empty(t, r.Err.String())
}

func TestRun_ProgressOnATerminal(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "watched")
	r := tooltest.Run{Tool: run, Watched: true}
	require.NoError(t, r.Do(t.Context(), "--bootstrap-server", bootstrap, "--topic", "watched", "--num-records", "1000", "--record-size", "10",
		"--throughput", "1500", "--reporting-interval", "250"))
	lines := strings.NewReplacer(erase, "<erase>", cutOff, "<cut off>", goOn, "<go on>").Replace(r.Err.String())
	assert.Regexp(t, `<erase><cut off> *N%  N of N records  Ns left  N records/sec  N MB/sec  N ms avg latency<go on>`, tooltest.Shape(lines))
	assert.True(t, strings.HasSuffix(r.Err.String(), "\r\x1b[K"), "the line goes away in the end")
	assert.NotContains(t, r.Out.String(), "\x1b")
}

func TestRun_Help(t *testing.T) { tooltest.Help(t, run) }
