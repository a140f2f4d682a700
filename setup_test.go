package producer

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
)

// setup_test.go owns what the tests of the whole producer share: a cluster in memory, a producer on
// it, and the checks every one of them ends with. All of it lives in a synctest bubble: time is fake,
// and what a test waits for happens at an exact moment.

// world is one test's cluster and producer.
type world struct {
	t       *testing.T
	cluster *fakebroker.Cluster
	p       *KafkaProducer[string, string]
}

// result is what one callback was told.
type result struct {
	metadata RecordMetadata
	err      error
}

// run runs test in a bubble, whose t it must use, with a cluster and a producer for it. At the end everything must be over:
// no memory in use, every callback called once.
func run(t *testing.T, change func(*Config), test func(*testing.T, *world), options ...fakebroker.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if options == nil {
			options = []fakebroker.Option{fakebroker.Nodes(2), fakebroker.Topic("t", 4)}
		}
		w := &world{t: t, cluster: fakebroker.New(options...)}
		defer w.cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial = w.cluster.Dial
		cfg.Logger = slog.New(slog.DiscardHandler)
		if change != nil {
			change(&cfg)
		}
		p, err := New(cfg, StringSerializer, StringSerializer)
		require.NoError(t, err)
		w.p = p
		test(t, w)
		assert.NoError(t, p.Close(w.within(time.Hour)))
		assert.Zero(t, p.core.acc.pool.inUse(), "buffer memory in use after Close")
		assert.Zero(t, p.core.acc.live.Load(), "batches without outcome after Close")
	})
}

// within is a context that ends after d.
func (w *world) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	w.t.Cleanup(cancel)
	return ctx
}

// send sends value under key to topic t and returns its future.
func (w *world) send(key, value string) Future {
	return w.p.Send(w.t.Context(), Record[string, string]{Topic: "t", Key: key, Value: value}, nil)
}

// sendTo sends to a partition of topic t.
func (w *world) sendTo(partition int32, value string) Future {
	return w.p.Send(w.t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(partition), Value: value}, nil)
}

// get waits an hour at most for a future.
func (w *world) get(f Future) (RecordMetadata, error) { return f.Get(w.within(time.Hour)) }

// delivered asserts that the future's record was written.
func (w *world) delivered(f Future) RecordMetadata {
	w.t.Helper()
	m, err := w.get(f)
	require.NoError(w.t, err)
	return m
}

// warmUp delivers a record to partition 0, so that connections, metadata and producer id are there.
func (w *world) warmUp() {
	w.t.Helper()
	w.delivered(w.sendTo(0, "warm up"))
	require.NoError(w.t, w.p.Flush(w.t.Context()))
}

// values is what the log of a partition of topic t holds, without the warm-up.
func (w *world) values(partition int32) []string {
	var vs []string
	for _, r := range w.cluster.Log("t", partition) {
		if v := string(r.Value); v != "warm up" {
			vs = append(vs, v)
		}
	}
	return vs
}

// numbered is "0", "1" and so on.
func numbered(n int) []string {
	vs := make([]string, n)
	for i := range vs {
		vs[i] = fmt.Sprint(i)
	}
	return vs
}
