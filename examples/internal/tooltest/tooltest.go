// Package tooltest owns what the tests of the tools share: a cluster in the test's process, a tool run on
// it, and what was written. Its functions are for the goroutine of a test.
package tooltest

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// Bounds of a test.
const (
	runTime  = 30 * time.Second
	readTime = 10 * time.Second
)

// Cluster starts a cluster of one broker, with topics of three partitions, until the test ends. It returns
// the broker's address.
func Cluster(t *testing.T, topics ...string) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, topics...))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return strings.Join(c.ListenAddrs(), ",")
}

// Run is a run of a tool.
type Run struct {
	Tool func(context.Context, cli.Std, []string) error
	In   io.Reader // nil: empty
	Out  Buffer    // can be read while the tool runs
	Err  Buffer

	Dialog, Watched bool
}

// Do runs the tool with arguments.
func (r *Run) Do(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	in := r.In
	if in == nil {
		in = strings.NewReader("")
	}
	s := cli.Std{Tool: "tool", In: in, Out: &r.Out, Err: &r.Err, Dialog: r.Dialog, Watched: r.Watched}
	return r.Tool(ctx, s, args)
}

// Must is Do for a run that succeeds and has nothing to complain about. It returns what was printed.
func (r *Run) Must(t *testing.T, args ...string) string {
	t.Helper()
	require.NoError(t, r.Do(t.Context(), args...), "%s", r.Err.String())
	require.Empty(t, r.Err.String())
	return r.Out.String()
}

// Help makes sure that asking for help prints all flags of Kafka's tool, in either spelling.
func Help(t *testing.T, tool func(context.Context, cli.Std, []string) error) {
	t.Helper()
	for _, arg := range []string{"--help", "-help", "-h"} {
		r := Run{Tool: tool}
		require.ErrorIs(t, r.Do(t.Context(), arg), flag.ErrHelp)
		for row := range strings.Lines(kafkaFlags(t)) {
			name, _, _ := strings.Cut(row, "\t")
			assert.Contains(t, r.Out.String(), "\n  --"+name)
		}
	}
}

// Flags compares a table of flags with that of Kafka's tool in testdata, where extra ones are not.
func Flags(t *testing.T, table string, extra ...string) {
	t.Helper()
	var kept strings.Builder
	for row := range strings.Lines(table) {
		name, _, _ := strings.Cut(row, "\t")
		if i := slices.Index(extra, name); i >= 0 {
			extra = slices.Delete(extra, i, i+1)
			continue
		}
		kept.WriteString(row)
	}
	assert.Empty(t, extra, "extra flags that are not there")
	assert.Equal(t, kafkaFlags(t), kept.String())
}

// kafkaFlags reads the table of flags that a test against the real tool keeps right.
func kafkaFlags(t *testing.T) string {
	t.Helper()
	table, err := os.ReadFile("testdata/flags.tsv")
	require.NoError(t, err)
	return string(table)
}

// Records reads n records of a topic, and makes sure that there are no more of them. They are in the order
// of their partitions and offsets.
func Records(t *testing.T, bootstrap, topic string, n int) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(t, err)
	defer client.Close()
	var records []*kgo.Record
	for len(records) < n {
		fetches := client.PollFetches(ctx)
		require.NoError(t, fetches.Err(), "%d of %d records", len(records), n)
		records = append(records, fetches.Records()...)
	}
	require.Len(t, records, n)
	slices.SortFunc(records, func(a, b *kgo.Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return records
}

// Shape is text without its numbers: there is an N for each.
func Shape(text string) string {
	return regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`).ReplaceAllString(text, "N")
}

// Buffer is a buffer for several goroutines.
type Buffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
