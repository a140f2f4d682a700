package producer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// limitTo makes brokers refuse batches of more than n bytes.
func limitTo(n int) func(fakebroker.Call) fakebroker.Action {
	return func(c fakebroker.Call) fakebroker.Action {
		codes := map[fakebroker.Partition]errcode.Code{}
		for _, t := range c.Produce().Topics {
			for _, p := range t.Partitions {
				if p.Records.Size() > n {
					codes[fakebroker.Partition{Topic: "t", Index: p.Index}] = errcode.MessageTooLarge
				}
			}
		}
		return fakebroker.Action{Codes: codes}
	}
}

func TestSplit_KeepsOrderAndTellsEverybody(t *testing.T) {
	for _, tc := range []struct {
		name             string
		batch, limit     int
		record, n        int
		idempotent, late bool
	}{
		{"a little too large", 16 << 10, 12 << 10, 100, 500, true, false},
		{"far too large", 1 << 20, 8 << 10, 3000, 300, true, false},
		{"down to single records", 64 << 10, 400, 250, 200, true, false},
		{"not idempotent", 64 << 10, 4 << 10, 250, 200, false, false},
		{"parts refused once more", 64 << 10, 4 << 10, 250, 200, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run(t, func(c *Config) {
				c.BatchSize, c.MaxRequestSize = tc.batch, 2<<20
				if c.Idempotence = tc.idempotent; !tc.idempotent {
					c.MaxInFlight = 1
				}
			}, func(t *testing.T, w *world) {
				w.warmUp()
				limit, calls := limitTo(tc.limit), 0
				w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
					if calls++; tc.late && calls%3 == 0 {
						return fakebroker.Action{Code: errcode.NotEnoughReplicas}
					}
					return limit(c)
				})
				var offsets []int64
				var fs []Future
				for i := range tc.n {
					v := fmt.Sprintf("%05d%s", i, strings.Repeat("x", tc.record-5))
					fs = append(fs, w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0), Value: v}, func(m RecordMetadata, err error) {
						assert.NoError(t, err)
						offsets = append(offsets, m.Offset)
					}))
				}
				for i, f := range fs {
					m := w.delivered(f)
					assert.Equal(t, int64(i+1), m.Offset) // behind the warm-up
					assert.Equal(t, tc.record, m.ValueSize)
					assert.True(t, isClosed(f.Done()) || f.outcome.open > 0)
				}
				require.NoError(t, w.p.Flush(t.Context()))
				for i, v := range w.values(0) {
					assert.Equal(t, fmt.Sprintf("%05d", i), v[:5])
					assert.Equal(t, int64(i+1), offsets[i])
				}
				assert.Len(t, w.values(0), tc.n)
				for _, b := range w.cluster.Batches("t", 0) {
					assert.LessOrEqual(t, b.Bytes, tc.limit)
					assert.LessOrEqual(t, b.ProducerEpoch, int16(0), "sequences are what the broker expects")
				}
				assert.Zero(t, w.p.core.acc.pool.inUse())
			})
		})
	}
}

func TestSplit_SingleRecordTooLarge(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, limitTo(1000))
		small, big, after := w.sendTo(0, "small"), w.sendTo(0, strings.Repeat("x", 2000)), w.sendTo(0, "after")
		w.delivered(small)
		_, err := w.get(big)
		assert.ErrorIs(t, err, ErrRecordTooLarge)
		assert.ErrorIs(t, err, errcode.MessageTooLarge)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		w.delivered(after)
		assert.Equal(t, []string{"small", "after"}, w.values(0))
	})
}

func TestSplit_PartsInheritTheAge(t *testing.T) {
	run(t, func(c *Config) { c.RequestTimeout, c.DeliveryTimeout = time.Second, 5*time.Second }, func(t *testing.T, w *world) {
		w.warmUp()
		limit := limitTo(200)
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			if a := limit(c); len(a.Codes) > 0 {
				return a
			}
			return fakebroker.Action{Code: errcode.NotEnoughReplicas}
		})
		start := time.Now()
		fs := []Future{w.sendTo(0, strings.Repeat("x", 100)), w.sendTo(0, strings.Repeat("y", 100))}
		for _, f := range fs {
			_, err := w.get(f)
			assert.ErrorIs(t, err, ErrTimeout)
		}
		assert.InDelta(t, 5*time.Second, time.Since(start), float64(100*time.Millisecond))
		assert.True(t, isClosed(fs[0].Done()))
		w.cluster.On(protocol.Produce, nil)
		w.delivered(w.sendTo(0, "after"))
	})
}

func TestDelivery_RecordErrors(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.warmUp()
		w.cluster.On(protocol.Produce, fakebroker.Script(fakebroker.Action{Code: errcode.InvalidRecord, Edit: func(m protocol.Message) {
			p := &m.(*protocol.ProduceResponse).Topics[0].Partitions[0]
			p.RecordErrors = []protocol.BatchIndexError{{BatchIndex: 1, Message: protocol.Some("it is bad")}}
		}}))
		var told []error
		var fs []Future
		for range 3 {
			fs = append(fs, w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0)}, func(_ RecordMetadata, err error) { told = append(told, err) }))
		}
		require.NoError(t, w.p.Flush(t.Context()))
		for i, f := range fs {
			_, err := w.get(f)
			assert.Equal(t, told[i], err)
			assert.NotErrorIs(t, err, ErrMaybeWritten)
			if i == 1 {
				assert.ErrorIs(t, err, ErrInvalidRecord)
				assert.ErrorContains(t, err, "it is bad")
				assert.NotErrorIs(t, err, ErrRetriable)
			} else {
				assert.ErrorContains(t, err, "other records of its batch")
				assert.ErrorIs(t, err, ErrRetriable, "it may be sent again")
				assert.NotErrorIs(t, err, ErrInvalidRecord)
				assert.NotErrorIs(t, err, errcode.InvalidRecord)
			}
		}
		assert.Empty(t, w.values(0), "nothing was sent again by itself")
		w.warmUp()
	})
}
