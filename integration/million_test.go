// million_test.go is the main job: a million keyed records to real Kafka, which
// stands still for five seconds in the middle, checked by Kafka's own code.
// mixed_test.go does the same with every codec and with older releases.

package integration

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/kafka/judge"
)

// standstill is how long the broker answers nothing.
const standstill = 5 * time.Second

func TestRealKafka_MillionKeyedRecords_BrokerPaused(t *testing.T) {
	const topic, partitions = "million", 12
	c := shared.Cluster(t)
	c.CreateTopic(t, topic, partitions)
	w := newWorkload(4, 250_000, 5000, 20261129)

	p := newProducer(t, producer.NewConfig(c.Bootstrap()...))
	acks := sendAcrossStandstill(t, c, topic, w, p)
	checkStored(t, c, topic, w, acks, javaPlaces(t, c.Java(), w.keys, partitions))
}

// checkStored lets Java read a topic and Kafka's tool dump it: all of the
// workload must be there, and nothing else.
func checkStored(t *testing.T, c *kafka.Cluster, topic string, w *workload, acks [][]place, places []int32) kafka.Dump {
	t.Helper()
	began := time.Now()
	a := newAudit(w, places, acks)
	judge.Read(t, c, topic, judge.Uncommitted, func(r judge.Record) {
		a.record(place{r.Partition, r.Offset}, r.Key, r.Value)
	})
	assert.NoError(t, a.verdict())
	t.Logf("read by Java's consumer in %v", time.Since(began).Round(time.Millisecond))

	began = time.Now()
	dump := c.DumpLog(t, topic)
	assert.Empty(t, dump.Invalid)
	assert.Equal(t, w.records(), dump.Records)
	assert.Equal(t, w.records(), dump.Counted)
	t.Logf("%d batches dumped in %v", dump.Batches, time.Since(began).Round(time.Millisecond))
	return dump
}

// javaPlaces asks Kafka's jar for the partition of each key that is not nil.
func javaPlaces(t *testing.T, java kafka.Java, keys [][]byte, partitions int) []int32 {
	t.Helper()
	places := make([]int32, len(keys))
	for i, p := range judge.Partitions(t, java, keys[1:], partitions) {
		places[i+1] = p.Partition
	}
	return places
}

// sendAcrossStandstill sends the whole workload from as many goroutines as it
// has senders, who take turns with the producers, pauses the broker when half of
// the records are handed over, and returns where each record was acknowledged.
func sendAcrossStandstill(t *testing.T, c *kafka.Cluster, topic string, w *workload, producers ...bytesProducer) [][]place {
	t.Helper()
	began := time.Now()
	ctx := within(t, 4*time.Minute)
	acks := make([][]place, w.senders)
	half := make(chan struct{})
	var sent, acked atomic.Int64
	var failed atomic.Pointer[error]
	var senders sync.WaitGroup
	for s := range w.senders {
		acks[s] = make([]place, w.perSender)
		p := producers[s%len(producers)]
		senders.Go(func() {
			value := make([]byte, valueSize)
			for n := range w.perSender {
				if sent.Add(1) == int64(w.records()/2) {
					close(half)
				}
				w.value(value, s, n)
				p.Send(ctx, bytesRecord{Topic: topic, Key: w.key(s, n), Value: value}, func(md producer.RecordMetadata, err error) {
					if err != nil {
						failed.CompareAndSwap(nil, &err)
					}
					acks[s][n] = place{md.Partition, md.Offset}
					acked.Add(1)
				})
			}
		})
	}

	<-half
	c.Node(1).Pause(t)
	quiet := watchStandstill(ctx, t, &acked)
	c.Node(1).Resume(t)
	assert.Less(t, quiet, int64(w.records()), "everything was acknowledged before the standstill")

	senders.Wait()
	for _, p := range producers {
		require.NoError(t, p.Flush(ctx))
	}
	if err := failed.Load(); err != nil {
		t.Fatalf("a record failed: %v", *err)
	}
	require.Equal(t, int64(w.records()), acked.Load(), "callbacks")
	t.Logf("%d records sent and flushed after %v", w.records(), time.Since(began).Round(time.Millisecond))
	return acks
}

// watchStandstill waits until the answers that were on their way are counted,
// then checks that no more come, and returns their number.
func watchStandstill(ctx context.Context, t *testing.T, acked *atomic.Int64) int64 {
	t.Helper()
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
	wait(standstill / 5)
	quiet := acked.Load()
	wait(standstill * 4 / 5)
	assert.Equal(t, quiet, acked.Load(), "a paused broker acknowledged records")
	return quiet
}
