package producer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

func TestKafkaProducer_Flush_DoesNotLinger(t *testing.T) {
	run(t, func(c *Config) { c.Linger = time.Minute; c.DeliveryTimeout = time.Hour }, func(t *testing.T, w *world) {
		f := w.sendTo(0, "v")
		time.Sleep(time.Second)
		assert.False(t, f.outcome.done.Load(), "it lingers")
		start := time.Now()
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Less(t, time.Since(start), 10*time.Millisecond)
		assert.True(t, f.outcome.done.Load())
		start = time.Now()
		w.delivered(w.sendTo(0, "next"))
		assert.GreaterOrEqual(t, time.Since(start), time.Minute, "what follows lingers again")
	})
}

func TestKafkaProducer_Flush_WhileOthersSend(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				w.send(fmt.Sprint(i), "v")
				time.Sleep(100 * time.Microsecond)
			}
		})
		time.Sleep(100 * time.Millisecond)
		for range 100 {
			f := w.sendTo(0, "mine")
			require.NoError(t, w.p.Flush(w.within(time.Second)))
			assert.True(t, f.outcome.done.Load())
		}
		stop.Store(true)
		wg.Wait()
	})
}

func TestKafkaProducer_Flush_ContextEnds(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.warmUp()
		release := make(chan struct{})
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Before: fakebroker.Wait{Until: release}}))
		f := w.sendTo(0, "v")
		start := time.Now()
		err := w.p.Flush(w.within(time.Second))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		close(release)
		w.delivered(f)
	})
}

func TestKafkaProducer_FlushAndClose_InACallback(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		var errs []error
		for range 2 {
			w.p.Send(t.Context(), Record[string, string]{Topic: "t"}, func(RecordMetadata, error) {
				errs = append(errs, w.p.Flush(context.Background()), w.p.Close(context.Background()))
			})
		}
		require.NoError(t, w.p.Flush(t.Context()))
		require.Len(t, errs, 4)
		for _, err := range errs {
			assert.ErrorIs(t, err, ErrInvalidState)
		}
		w.warmUp()
	})
}

func TestKafkaProducer_Callback_MaySendAndGet(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		var second Future
		var first RecordMetadata
		var f Future
		started := make(chan struct{})
		f = w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(m RecordMetadata, err error) {
			<-started
			first, _ = f.Get(context.Background())
			second = w.sendTo(1, "from a callback")
		})
		close(started)
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Equal(t, int64(0), first.Offset)
		w.delivered(second)
	})
}

func TestKafkaProducer_Callback_PanicIsOutlived(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		ran := 0
		for i := range 5 {
			w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(RecordMetadata, error) {
				ran++
				if i%2 == 0 {
					panic("user")
				}
			})
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Equal(t, 5, ran)
		w.p.Send(t.Context(), Record[string, string]{Topic: "a b"}, func(RecordMetadata, error) { panic("user") })
		w.warmUp()
	})
}

// require in a test's callback does this.
func TestKafkaProducer_Callback_GoexitIsOutlived(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		ran := 0
		for i := range 5 {
			w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(RecordMetadata, error) {
				if ran++; i%2 == 1 {
					runtime.Goexit()
				}
			})
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Equal(t, 5, ran)
		var err error
		w.p.Send(t.Context(), Record[string, string]{Topic: "t"}, func(RecordMetadata, error) { err = w.p.Flush(context.Background()) })
		require.NoError(t, w.p.Flush(t.Context()))
		assert.ErrorIs(t, err, ErrInvalidState, "the new goroutine is known as well")
	})
}

// A callback that sends must not wait for memory that only later callbacks give back.
func TestKafkaProducer_Callback_SendsWhileMemoryIsFull(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory = 64 << 10 }, func(t *testing.T, w *world) {
		w.warmUp()
		var slowest time.Duration
		var again []Future
		var senders sync.WaitGroup
		for g := range 4 {
			senders.Go(func() {
				for i := range 5000 {
					w.p.Send(context.Background(), Record[string, string]{Topic: "t", Partition: ToPartition(int32(g)), Value: "x"}, func(RecordMetadata, error) {
						if g == 0 && i%100 == 0 {
							start := time.Now()
							again = append(again, w.p.Send(context.Background(), Record[string, string]{Topic: "t", Value: "again"}, nil))
							slowest = max(slowest, time.Since(start))
						}
					})
				}
			})
		}
		senders.Wait()
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Less(t, slowest, time.Second)
		for _, f := range again {
			w.delivered(f)
		}
		assert.Zero(t, w.p.core.acc.pool.inUse())
	})
}

// A slow callback slows Send once memory is used up, and never the network.
func TestKafkaProducer_Callback_Slow(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory = 64 << 10; c.BatchSize = 4 << 10 }, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(RecordMetadata, error) { <-release })
		for range 1000 {
			w.delivered(w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(1), Value: "v"}, func(RecordMetadata, error) {}))
		}
		assert.GreaterOrEqual(t, w.p.core.acc.pool.inUse(), int64(1000*acknowledgementCharge), "callbacks that wait are charged for")
		close(release)
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Zero(t, w.p.core.acc.pool.inUse())
	})
}

func TestKafkaProducer_Close_Drains(t *testing.T) {
	run(t, func(c *Config) { c.Linger = time.Minute; c.DeliveryTimeout = time.Hour }, func(t *testing.T, w *world) {
		called := 0
		var fs []Future
		for i := range 1000 {
			fs = append(fs, w.p.Send(t.Context(), Record[string, string]{Topic: "t", Value: fmt.Sprint(i)}, func(_ RecordMetadata, err error) {
				assert.NoError(t, err)
				called++
			}))
		}
		start := time.Now()
		require.NoError(t, w.p.Close(t.Context()))
		assert.Less(t, time.Since(start), time.Second)
		assert.Equal(t, 1000, called)
		for _, f := range fs {
			w.delivered(f)
		}
		_, err := w.send("k", "v").Get(t.Context())
		assert.ErrorIs(t, err, ErrClosed)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		assert.NoError(t, w.p.Flush(t.Context()), "Flush after Close returns")
		_, err = w.p.PartitionsFor(t.Context(), "t")
		assert.ErrorIs(t, err, ErrClosed)
		assert.NoError(t, w.p.Close(t.Context()), "and so does Close")
	})
}

func TestKafkaProducer_Close_Forced(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Silent: true}))
		var fs []Future
		called := 0
		for range 20 {
			fs = append(fs, w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(_ RecordMetadata, err error) {
				assert.ErrorIs(t, err, ErrClosed)
				called++
			}))
		}
		start := time.Now()
		err := w.p.Close(w.within(time.Second))
		assert.ErrorIs(t, err, ErrClosed)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "20 records")
		assert.InDelta(t, time.Second, time.Since(start), float64(50*time.Millisecond))
		assert.Equal(t, 20, called)
		maybe := 0
		for _, f := range fs {
			_, err := w.get(f)
			assert.ErrorIs(t, err, ErrClosed)
			if isMaybe(err) {
				maybe++
			}
		}
		assert.Equal(t, 5, maybe, "five were in flight, the others surely are not written")
		w.p.core.sender.lost.Store(0) // told once, for the check at the end
	})
}

func isMaybe(err error) bool { return errors.Is(err, ErrMaybeWritten) }

func TestKafkaProducer_Close_WakesThoseWhoWait(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory = 2 << 10 }, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Silent: true}))
		errs := make(chan error, 30)
		for i := range 20 {
			go func() {
				_, err := w.p.Send(context.Background(), Record[string, string]{Topic: "t", Partition: ToPartition(int32(i % 4)), Value: strings.Repeat("x", 500)}, nil).Get(context.Background())
				errs <- err
			}()
		}
		for range 10 {
			go func() {
				_, err := w.p.Send(context.Background(), Record[string, string]{Topic: "nobody"}, nil).Get(context.Background())
				errs <- err
			}()
		}
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		assert.ErrorIs(t, w.p.Close(ended), ErrClosed)
		for range 30 {
			assert.ErrorIs(t, <-errs, ErrClosed)
		}
		assert.LessOrEqual(t, time.Since(start), 50*time.Millisecond)
		w.p.core.sender.lost.Store(0)
	})
}

func TestKafkaProducer_Close_WhileOthersSend(t *testing.T) {
	for range 100 {
		run(t, func(c *Config) { c.Linger = 0 }, func(t *testing.T, w *world) {
			w.warmUp()
			var wg sync.WaitGroup
			var delivered atomic.Int64
			for g := range 20 {
				wg.Go(func() {
					for i := range 20 {
						_, err := w.p.Send(context.Background(), Record[string, string]{Topic: "t", Key: fmt.Sprint(g, i)}, nil).Get(context.Background())
						if err == nil {
							delivered.Add(1)
						} else if !assert.ErrorIs(t, err, ErrClosed) {
							return
						}
					}
				})
			}
			require.NoError(t, w.p.Close(t.Context()))
			wg.Wait()
			n := -1 // the warm-up
			for p := range int32(4) {
				n += len(w.cluster.Log("t", p))
			}
			assert.Equal(t, int(delivered.Load()), n)
		})
	}
}
