package producer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// memory_test.go owns what a producer does when its buffer memory is scarce.

func TestKafkaProducer_Send_MemoryWakesTheSender(t *testing.T) {
	run(t, func(c *Config) {
		c.Linger, c.DeliveryTimeout, c.MaxBlock = 20*time.Second, time.Minute, 700*time.Millisecond
		c.BufferMemory = 4 << 10
	}, func(t *testing.T, w *world) {
		for i := range 100 {
			f := w.sendTo(int32(i%4), strings.Repeat("x", 700))
			if f.outcome.done.Load() {
				w.delivered(f) // an exhausted buffer would fail here
			}
		}
	})
}

// One broker that stalls does not keep the others from giving back what lingers for them.
func TestKafkaProducer_Send_MemoryWakesTheSender_OtherBrokerStalled(t *testing.T) {
	run(t, func(c *Config) {
		c.BufferMemory, c.Linger, c.MaxBlock = 64<<10, 20*time.Second, 5*time.Second
	}, func(t *testing.T, w *world) {
		for i := range int32(64) {
			w.sendTo(i, "warm up")
		}
		require.NoError(t, w.p.Flush(t.Context()))
		stuck := w.cluster.Leader("t", 0)
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			if c.Node == stuck {
				return fakebroker.Action{Before: fakebroker.Wait{For: 25 * time.Second}}
			}
			return fakebroker.Action{}
		})
		w.sendTo(0, strings.Repeat("x", 10_000))
		w.sendTo(0, strings.Repeat("x", 10_000))
		var fs []Future
		for i := range int32(64) {
			if w.cluster.Leader("t", i) != stuck {
				fs = append(fs, w.sendTo(i, strings.Repeat("y", 3000)))
			}
		}
		for _, f := range fs {
			w.delivered(f)
		}
	}, fakebroker.Nodes(2), fakebroker.Topic("t", 64))
}

func TestKafkaProducer_Send_MaxBlockBoundsAllWaits(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory, c.MaxBlock = 24<<10, time.Second }, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Before: fakebroker.Wait{For: 300 * time.Millisecond}}))
		var senders sync.WaitGroup
		for g := range 8 {
			senders.Go(func() {
				for range 30 {
					start := time.Now()
					w.sendTo(int32(g%4), strings.Repeat("x", 3000))
					assert.LessOrEqual(t, time.Since(start), 1050*time.Millisecond)
				}
			})
		}
		senders.Wait()
	})
}

func TestKafkaProducer_Send_TinyBufferMemory(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory = 200 }, func(t *testing.T, w *world) {
		for range 10 {
			w.delivered(w.sendTo(0, "some value"))
		}
	})
}

func TestKafkaProducer_Send_LargeRecordsShareATightPool(t *testing.T) {
	for _, codec := range []Compression{CompressionNone, CompressionSnappy} {
		run(t, func(c *Config) { c.BufferMemory, c.Compression = 150_000, codec }, func(t *testing.T, w *world) {
			const senders, each = 8, 40
			var wg sync.WaitGroup
			for i := range senders {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(i), 5))
					for n := range each {
						value := strings.Repeat(fmt.Sprintf("%d %d ", i, n), 1+rng.IntN(15_000))
						f := w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(int32(i % 4)), Value: value}, nil)
						if rng.IntN(4) == 0 {
							_, err := w.get(f)
							assert.NoError(t, err)
						}
					}
				})
			}
			wg.Wait()
			assert.NoError(t, w.p.Flush(t.Context()))
			next := map[int]int{}
			for partition := range int32(4) {
				for _, value := range w.values(partition) {
					var i, n int
					_, err := fmt.Sscanf(value, "%d %d ", &i, &n)
					assert.NoError(t, err)
					head := fmt.Sprintf("%d %d ", i, n)
					assert.Equal(t, len(value)/len(head), strings.Count(value, head), "record %s is damaged", head)
					assert.Equal(t, next[i], n, "of sender %d", i)
					next[i]++
				}
			}
			assert.Len(t, next, senders)
			for i, n := range next {
				assert.Equal(t, each, n, "records of sender %d", i)
			}
		})
	}
}

func TestKafkaProducer_Send_BufferExhausted(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory, c.MaxBlock = 4<<10, 100*time.Millisecond }, func(t *testing.T, w *world) {
		w.warmUp()
		release := make(chan struct{})
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Before: fakebroker.Wait{Until: release}}))
		first := w.sendTo(0, strings.Repeat("x", 3<<10))
		start := time.Now()
		m, err := w.get(w.sendTo(1, strings.Repeat("x", 3<<10)))
		assert.ErrorIs(t, err, ErrBufferExhausted)
		assert.ErrorIs(t, err, ErrTimeout)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		assert.Equal(t, int32(1), m.Partition)
		assert.Equal(t, 100*time.Millisecond, time.Since(start))
		close(release)
		w.delivered(first)
		w.delivered(w.sendTo(1, strings.Repeat("x", 3<<10)))
	})
}
