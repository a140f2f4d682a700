package producer

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

// oneRecordBatches makes each record a batch of its own, sent at once.
func oneRecordBatches(c *Config) { c.BatchSize, c.Linger = 0, 0 }

// sendNumbers sends n one-record batches "0", "1" ... to partition 0 and asserts that each arrives
// once, in order.
func (w *world) sendNumbers(n int) {
	w.t.Helper()
	var fs []Future
	for i := range n {
		fs = append(fs, w.sendTo(0, fmt.Sprint(i)))
	}
	for _, f := range fs {
		w.delivered(f)
	}
	assert.Equal(w.t, numbered(n), w.values(0))
}

// The scenarios in which an attempt fails and the broker has not lost anything: all records arrive
// once and in order, and the user hears of no error.
func TestDelivery_RetriesKeepOrder(t *testing.T) {
	refused := func(c errcode.Code) fakebroker.Action { return fakebroker.Action{Code: c} }
	late := fakebroker.Action{Edit: func(m protocol.Message) {
		m.(*protocol.ProduceResponse).Topics[0].Partitions[0].ErrorCode = errcode.RequestTimedOut
	}}
	for _, tc := range []struct {
		name   string
		script []fakebroker.Action
	}{
		{"first of five refused", []fakebroker.Action{refused(errcode.NotEnoughReplicas)}},
		{"third of five refused", []fakebroker.Action{{}, {}, refused(errcode.NotEnoughReplicas)}},
		{"all of five refused", []fakebroker.Action{refused(7), refused(7), refused(7), refused(7), refused(7)}},
		{"corrupt on the way", []fakebroker.Action{refused(errcode.CorruptMessage)}},
		{"refused again and again", []fakebroker.Action{refused(5), refused(6), refused(3), refused(56), refused(19)}},
		{"answer lost", []fakebroker.Action{{HangUp: fakebroker.AfterApplying}}},
		{"third answer lost", []fakebroker.Action{{}, {}, {HangUp: fakebroker.AfterApplying}}},
		{"request lost", []fakebroker.Action{{HangUp: fakebroker.BeforeApplying}}},
		{"answers lost three times", []fakebroker.Action{{HangUp: fakebroker.AfterApplying}, {HangUp: fakebroker.AfterApplying}, {HangUp: fakebroker.AfterApplying}}},
		{"no answer", []fakebroker.Action{{Silent: true}}},
		{"garbage for an answer", []fakebroker.Action{{Raw: []byte{0, 0, 0, 5, 1, 2, 3, 4, 5}}}},
		{"written, then said to be late", []fakebroker.Action{late}},
		{"written, then said to be late, five times", []fakebroker.Action{late, {}, {}, {}, {}, late, late, late, late}},
		{"answer without the partition", []fakebroker.Action{{Edit: func(m protocol.Message) {
			m.(*protocol.ProduceResponse).Topics = nil
		}}}},
		{"answers twice and for others", []fakebroker.Action{{Edit: func(m protocol.Message) {
			r := m.(*protocol.ProduceResponse)
			r.Topics[0].Partitions = append(r.Topics[0].Partitions, r.Topics[0].Partitions[0],
				protocol.ProduceResponsePartition{Index: 77}, protocol.ProduceResponsePartition{Index: 3})
		}}}},
		{"unknown producer", []fakebroker.Action{refused(errcode.UnknownProducerID)}},
	} {
		for _, inFlight := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s, %d in flight", tc.name, inFlight), func(t *testing.T) {
				run(t, func(c *Config) {
					oneRecordBatches(c)
					c.MaxInFlight = inFlight
				}, func(t *testing.T, w *world) {
					w.warmUp()
					w.cluster.On(protocol.Produce, fakebroker.Script(tc.script...))
					start := time.Now()
					w.sendNumbers(20)
					limit := 5 * time.Second
					if tc.script[0].Silent {
						limit += w.p.core.cfg.RequestTimeout
					}
					assert.Less(t, time.Since(start), limit, "nobody waited for nothing")
				})
			})
		}
	}
}

// A broker that has restarted remembers only the last batch of a producer.
func TestDelivery_OvertakenBatchIsWritten(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Script(
			fakebroker.Action{After: fakebroker.Wait{For: 10 * time.Millisecond}, Edit: func(m protocol.Message) { // until five are on their way
				m.(*protocol.ProduceResponse).Topics[0].Partitions[0].ErrorCode = errcode.NotEnoughReplicasAfterAppend
			}},
			fakebroker.Action{}, fakebroker.Action{}, fakebroker.Action{}, fakebroker.Action{},
			fakebroker.Action{Code: errcode.OutOfOrderSequenceNumber}))
		w.sendNumbers(10)
		for _, b := range w.cluster.Batches("t", 0) {
			assert.Zero(t, b.ProducerEpoch)
		}
	})
}

func TestDelivery_RetryIsTheSameBytes(t *testing.T) {
	run(t, func(c *Config) { c.Linger = time.Millisecond }, func(t *testing.T, w *world) {
		w.warmUp()
		var sent [][]byte
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			sent = append(sent, c.Produce().Topics[0].Partitions[0].Records.Chunks[0])
			if len(sent) == 1 {
				return fakebroker.Action{Before: fakebroker.Wait{For: time.Second}, Code: errcode.NotLeaderOrFollower}
			}
			return fakebroker.Action{}
		})
		first := []Future{w.sendTo(0, "a"), w.sendTo(0, "b")}
		time.Sleep(500 * time.Millisecond)
		late := w.sendTo(0, "late")
		w.delivered(first[0])
		w.delivered(late)
		require.GreaterOrEqual(t, len(sent), 3)
		again := sent[1]
		if b, _, err := record.ReadBatch(again); assert.NoError(t, err) && b.Count == 1 {
			again = sent[2] // the late one went out meanwhile
		}
		assert.Equal(t, sent[0], again)
		assert.Equal(t, []string{"a", "b", "late"}, w.values(0))
	})
}

func TestDelivery_NotIdempotent_OneInFlightKeepsOrder(t *testing.T) {
	run(t, func(c *Config) {
		oneRecordBatches(c)
		c.Idempotence, c.MaxInFlight = false, 1
	}, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			if c.Seen == 1 {
				w.cluster.SetLeader("t", 0, 2, 5)
				return fakebroker.Action{Code: errcode.NotLeaderOrFollower}
			}
			return fakebroker.Action{}
		})
		w.sendNumbers(20)
	})
}

func TestDelivery_LeaderMovesUnderLoad(t *testing.T) {
	run(t, func(c *Config) { c.Linger = 0 }, func(t *testing.T, w *world) {
		w.warmUp()
		epoch := int32(10)
		stop := time.Now().Add(20 * time.Second)
		go func() {
			for time.Now().Before(stop) {
				time.Sleep(200 * time.Millisecond)
				epoch++
				w.cluster.SetLeader("t", 0, 1+epoch%2, epoch)
			}
		}()
		n := 0
		for ; time.Now().Before(stop); n++ {
			w.sendTo(0, fmt.Sprint(n))
			time.Sleep(7 * time.Millisecond)
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Equal(t, numbered(n), w.values(0))
	})
}

func TestDelivery_Timeout_BrokerSilent(t *testing.T) {
	run(t, func(c *Config) {
		c.RequestTimeout, c.DeliveryTimeout = time.Second, 5*time.Second
	}, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{After: fakebroker.Wait{For: time.Hour}}))
		start := time.Now()
		_, err := w.get(w.sendTo(0, "v"))
		assert.InDelta(t, 5*time.Second, time.Since(start), float64(100*time.Millisecond))
		assert.ErrorIs(t, err, ErrTimeout)
		assert.ErrorIs(t, err, ErrMaybeWritten)
		assert.ErrorIs(t, err, errcode.RequestTimedOut, "and names its last cause")
		w.cluster.On(protocol.Produce, nil)
		w.delivered(w.sendTo(0, "after"))
		assert.Equal(t, []string{"v", "after"}, w.values(0), "the silent broker had it, once")
	})
}

func TestDelivery_Timeout_NeverSent(t *testing.T) {
	run(t, func(c *Config) {
		c.RequestTimeout, c.DeliveryTimeout = time.Second, 5*time.Second
	}, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.Down(1)
		w.cluster.Down(2)
		time.Sleep(time.Second)
		start := time.Now()
		_, err := w.get(w.sendTo(0, "v"))
		assert.InDelta(t, 5*time.Second, time.Since(start), float64(100*time.Millisecond))
		assert.ErrorIs(t, err, ErrTimeout)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		w.cluster.Up(1)
		w.cluster.Up(2)
		w.sendNumbers(3)
	})
}

// A batch that is written, but said to be late until its time is over, has used up its sequence
// number: no other record may get it.
func TestDelivery_Timeout_SequenceIsNotUsedAgain(t *testing.T) {
	for _, written := range []bool{true, false} {
		t.Run(fmt.Sprint("written ", written), func(t *testing.T) {
			run(t, func(c *Config) {
				oneRecordBatches(c)
				c.RequestTimeout, c.DeliveryTimeout = time.Second, 5*time.Second
			}, func(t *testing.T, w *world) {
				w.warmUp()
				late := fakebroker.Action{Code: errcode.RequestTimedOut}
				if written {
					late = fakebroker.Action{Edit: func(m protocol.Message) {
						m.(*protocol.ProduceResponse).Topics[0].Partitions[0].ErrorCode = errcode.RequestTimedOut
					}}
				}
				w.cluster.On(protocol.Produce, fakebroker.Always(late))
				lost := w.sendTo(0, "lost")
				_, err := w.get(lost)
				require.ErrorIs(t, err, ErrTimeout)
				assert.ErrorIs(t, err, ErrMaybeWritten)
				w.cluster.On(protocol.Produce, nil)
				for i := range 5 {
					w.delivered(w.sendTo(0, fmt.Sprint(i)))
				}
				want := numbered(5)
				if written {
					want = append([]string{"lost"}, want...)
				}
				assert.Equal(t, want, w.values(0))
				batches := w.cluster.Batches("t", 0)
				last := batches[len(batches)-1]
				assert.Equal(t, int16(1), last.ProducerEpoch, "the epoch was raised")
				assert.Equal(t, int32(4), last.BaseSequence)
			})
		})
	}
}

func TestDelivery_DefinitiveFailure_OthersGoOn(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Script(fakebroker.Action{}, fakebroker.Action{Code: errcode.InvalidRecord}))
		var fs []Future
		for i := range 6 {
			fs = append(fs, w.sendTo(0, fmt.Sprint(i)))
		}
		for i, f := range fs {
			_, err := w.get(f)
			if i == 1 {
				assert.ErrorIs(t, err, errcode.InvalidRecord)
				assert.ErrorIs(t, err, ErrInvalidRecord)
				assert.NotErrorIs(t, err, ErrMaybeWritten)
				assert.NotErrorIs(t, err, ErrRetriable)
				continue
			}
			assert.NoError(t, err)
		}
		assert.Equal(t, []string{"0", "2", "3", "4", "5"}, w.values(0))
	})
}

// A batch that may be written keeps its number, though one after it has lost its own for good.
func TestDelivery_DefinitiveFailure_BehindABatchThatMayBeWritten(t *testing.T) {
	for _, lost := range []errcode.Code{errcode.NotEnoughReplicasAfterAppend, errcode.RequestTimedOut, errcode.NotLeaderOrFollower} {
		run(t, oneRecordBatches, func(t *testing.T, w *world) {
			w.warmUp()
			w.cluster.On(protocol.Produce, fakebroker.Script(
				fakebroker.Action{After: fakebroker.Wait{For: 10 * time.Millisecond}, Edit: func(m protocol.Message) { // until b is on its way
					m.(*protocol.ProduceResponse).Topics[0].Partitions[0].ErrorCode = lost
				}},
				fakebroker.Action{Code: errcode.TopicAuthorizationFailed}))
			a, b, c, d := w.sendTo(0, "a"), w.sendTo(0, "b"), w.sendTo(0, "c"), w.sendTo(0, "d")
			w.delivered(a)
			_, err := w.get(b)
			assert.ErrorIs(t, err, errcode.TopicAuthorizationFailed)
			w.delivered(c)
			w.delivered(d)
			assert.Equal(t, []string{"a", "c", "d"}, w.values(0), lost.Name())
		})
	}
}

func TestDelivery_RetriesAreCounted(t *testing.T) {
	run(t, func(c *Config) { c.Retries = 2 }, func(t *testing.T, w *world) {
		w.warmUp()
		before := len(w.cluster.Calls(protocol.Produce))
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Code: errcode.NotEnoughReplicas}))
		_, err := w.get(w.sendTo(0, "v"))
		assert.ErrorIs(t, err, errcode.NotEnoughReplicas)
		assert.ErrorIs(t, err, ErrRetriable)
		assert.Len(t, w.cluster.Calls(protocol.Produce), before+3)
		w.cluster.On(protocol.Produce, nil)
		w.sendNumbers(3)
	})
}

func TestDelivery_TopicVanishesAndReturns(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		for i := range 10 {
			w.delivered(w.sendTo(0, fmt.Sprint(i)))
		}
		vanished := func(m protocol.Message) {
			for i := range m.(*protocol.MetadataResponse).Topics {
				t := &m.(*protocol.MetadataResponse).Topics[i]
				t.ErrorCode, t.Partitions = errcode.UnknownTopicOrPartition, nil
			}
		}
		w.cluster.On(protocol.Metadata, fakebroker.Script(
			fakebroker.Action{Edit: vanished}, fakebroker.Action{Edit: vanished}, fakebroker.Action{Edit: vanished}))
		w.cluster.Cut(1) // makes the producer ask
		time.Sleep(50 * time.Millisecond)
		for i := range 10 {
			w.delivered(w.sendTo(0, fmt.Sprint(10+i)))
		}
		assert.Equal(t, numbered(20), w.values(0))
	})
}

func TestDelivery_TopicRecreated(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		for i := range 10 {
			w.delivered(w.sendTo(0, fmt.Sprint(i)))
		}
		w.cluster.RemoveTopic("t")
		w.cluster.AddTopic("t", 1)
		for i := range 10 {
			w.delivered(w.sendTo(0, fmt.Sprint(i)))
		}
		assert.Equal(t, numbered(10), w.values(0))
	})
}

func TestDelivery_SequenceWraps(t *testing.T) {
	run(t, func(c *Config) { c.Linger = time.Millisecond }, func(t *testing.T, w *world) {
		// The broker's side of the wrap is the fake's; ours is what is asked for here.
		q := newQueue(&topic{name: "t"}, 0)
		s := &sender{cfg: &Config{Idempotence: true}, identity: identity{id: 7}}
		q.sender.sequence = sequence{id: 7, next: math.MaxInt32 - 2}
		var bases []int32
		for _, n := range []int{2, 3, 1} {
			b := &batch{}
			b.Open(make([]byte, 512))
			for range n {
				b.TryAppend(512, 1, nil, nil, nil)
			}
			s.seal(q, b)
			bases = append(bases, b.stamp.BaseSequence)
		}
		assert.Equal(t, []int32{math.MaxInt32 - 2, math.MaxInt32, 2}, bases)
	})
}

func TestDelivery_EpochUsedUp_NewProducerID(t *testing.T) {
	run(t, oneRecordBatches, func(t *testing.T, w *world) {
		w.warmUp()
		synctest.Wait()
		old := w.cluster.Batches("t", 0)[0].ProducerID
		q := w.p.core.meta.known("t", -1).queues[0]
		q.sender.sequence.epoch = math.MaxInt16 // the Sender is asleep
		q.sender.sequence.raise(position{})
		w.p.core.sender.settle(q)
		w.sendNumbers(3)
		last := w.cluster.Batches("t", 0)[3]
		assert.NotEqual(t, old, last.ProducerID)
		assert.Equal(t, int32(2), last.BaseSequence)
		w.delivered(w.sendTo(1, "others follow"))
	})
}

// A buffer that a stalled write still reads must not be given to other records, though its batch has
// failed (KAFKA-19012).
func TestDelivery_Timeout_MemoryOfAStalledWrite(t *testing.T) {
	run(t, func(c *Config) {
		c.Linger, c.RequestTimeout, c.DeliveryTimeout = 0, 30*time.Second, 31*time.Second
		c.BufferMemory = 64 << 10
	}, func(t *testing.T, w *world) {
		w.delivered(w.sendTo(1, "warm up"))
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			if c.Node != 1 {
				return fakebroker.Action{}
			}
			w.cluster.Freeze(1, 4<<10) // the second attempt is not read to its end
			return fakebroker.Action{Before: fakebroker.Wait{For: 5 * time.Second}, Code: errcode.NotEnoughReplicas}
		})
		start := time.Now()
		_, err := w.get(w.sendTo(0, strings.Repeat("A", 20<<10)))
		require.ErrorIs(t, err, ErrTimeout)
		assert.ErrorIs(t, err, ErrMaybeWritten)
		assert.InDelta(t, 31*time.Second, time.Since(start), float64(100*time.Millisecond))
		assert.GreaterOrEqual(t, w.p.core.acc.pool.inUse(), int64(20<<10), "the memory waits for the write")
		w.delivered(w.sendTo(1, strings.Repeat("B", 20<<10)))
		w.cluster.On(protocol.Produce, nil)
		w.cluster.Thaw(1)
		w.delivered(w.sendTo(0, "C"))
		for _, v := range w.values(0) {
			assert.NotContains(t, v, "B")
		}
		require.NoError(t, w.p.Flush(t.Context()))
		time.Sleep(time.Minute)
		assert.Zero(t, w.p.core.acc.pool.inUse())
	})
}

func TestDelivery_BaseOffsetUnknown(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Edit: func(m protocol.Message) {
			m.(*protocol.ProduceResponse).Topics[0].Partitions[0].BaseOffset = -1
		}}))
		fs := []Future{w.sendTo(0, "a"), w.sendTo(0, "b"), w.sendTo(0, "c")}
		for _, f := range fs {
			assert.Equal(t, int64(-1), w.delivered(f).Offset)
		}
	})
}
