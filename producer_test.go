package producer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

func TestKafkaProducer_Send_Metadata(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		at := time.UnixMilli(1_700_000_000_123)
		m := w.delivered(w.p.Send(t.Context(), Record[string, string]{
			Topic: "t", Key: "key", Value: "value", Timestamp: at,
			Headers: Headers{{Key: "h", Value: []byte("1")}, {Key: "h"}, {Key: "e", Value: []byte{}}},
		}, nil))
		assert.Equal(t, RecordMetadata{TopicPartition{"t", 1}, 0, at, 3, 5}, m) // murmur2("key") is 1 of 4
		assert.Equal(t, "t-1@0", m.String())
		log := w.cluster.Log("t", 1)
		require.Len(t, log, 1)
		assert.Equal(t, []byte("key"), log[0].Key)
		assert.Equal(t, []byte("value"), log[0].Value)
		assert.Equal(t, at.UnixMilli(), log[0].Timestamp)
		assert.Equal(t, []Header{{Key: "h", Value: []byte("1")}, {Key: "h"}, {Key: "e", Value: []byte{}}}, log[0].Headers)
	})
}

func TestKafkaProducer_Send_NullAndEmpty(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		f := w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(3), Value: ""}, nil)
		m := w.delivered(f)
		assert.Equal(t, -1, m.KeySize)
		assert.Equal(t, 0, m.ValueSize)
		m = w.delivered(w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(3), Key: "k", Value: "ignored", Tombstone: true}, nil))
		assert.Equal(t, -1, m.ValueSize)
		log := w.cluster.Log("t", 3)
		require.Len(t, log, 2)
		assert.Nil(t, log[0].Key)
		assert.Equal(t, []byte{}, log[0].Value)
		assert.Nil(t, log[1].Value)
	})
}

func TestKafkaProducer_Send_TimestampIsNow(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		for range 40 {
			before := time.Now().UnixMilli()
			m := w.delivered(w.sendTo(0, "v"))
			assert.InDelta(t, before, m.Timestamp.UnixMilli(), 2)
		}
		f := w.p.Send(t.Context(), Record[string, string]{Topic: "t", Timestamp: time.UnixMilli(-1)}, nil)
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, ErrInvalidRecord)
		assert.Equal(t, int64(0), w.delivered(w.p.Send(t.Context(), Record[string, string]{Topic: "t", Timestamp: time.UnixMilli(0)}, nil)).Timestamp.UnixMilli())
	})
}

func TestKafkaProducer_Send_ManyInOrderWithCallbacks(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		const n = 20_000
		var got [4][]int64
		for i := range n {
			w.p.Send(t.Context(), Record[string, string]{Topic: "t", Key: fmt.Sprint(i % 50), Value: fmt.Sprint(i)}, func(m RecordMetadata, err error) {
				assert.NoError(t, err)
				got[m.Partition] = append(got[m.Partition], m.Offset)
			})
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Zero(t, w.p.core.acc.pool.inUse())
		total := 0
		for p := range int32(4) {
			last := map[string]int{}
			for i, r := range w.cluster.Log("t", p) {
				assert.Equal(t, int64(i), got[p][i], "callbacks come in log order")
				var v int
				fmt.Sscan(string(r.Value), &v)
				assert.GreaterOrEqual(t, v, last[string(r.Key)])
				last[string(r.Key)] = v
				total++
			}
		}
		assert.Equal(t, n, total)
	})
}

func TestKafkaProducer_Send_Refused(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		r    Record[string, string]
		want error
	}{
		{"context ended", cancelled, Record[string, string]{Topic: "t"}, context.Canceled},
		{"no topic", nil, Record[string, string]{}, ErrInvalidTopic},
		{"topic name with a blank", nil, Record[string, string]{Topic: "a b"}, ErrInvalidTopic},
		{"topic name too long", nil, Record[string, string]{Topic: strings.Repeat("x", 250)}, ErrInvalidTopic},
		{"topic name of a dot", nil, Record[string, string]{Topic: "."}, ErrInvalidTopic},
		{"negative partition", nil, Record[string, string]{Topic: "t", Partition: ToPartition(-3)}, ErrInvalidRecord},
		{"too large for a request", nil, Record[string, string]{Topic: "t", Value: strings.Repeat("x", 1<<20)}, ErrRecordTooLarge},
		{"unknown partition", nil, Record[string, string]{Topic: "t", Partition: ToPartition(4)}, errcode.UnknownTopicOrPartition},
		{"unknown topic", nil, Record[string, string]{Topic: "nobody"}, errcode.UnknownTopicOrPartition},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run(t, func(c *Config) { c.MaxBlock = 500 * time.Millisecond }, func(t *testing.T, w *world) {
				w.warmUp()
				ctx := tc.ctx
				if ctx == nil {
					ctx = t.Context()
				}
				start := time.Now()
				var told []result
				f := w.p.Send(ctx, tc.r, func(m RecordMetadata, err error) { told = append(told, result{m, err}) })
				assert.LessOrEqual(t, time.Since(start), 550*time.Millisecond)
				require.Len(t, told, 1, "the callback ran before Send returned")
				m, err := f.Get(ctx)
				assert.ErrorIs(t, err, tc.want)
				assert.NotErrorIs(t, err, ErrMaybeWritten)
				assert.Equal(t, result{m, err}, told[0])
				assert.Equal(t, tc.r.Topic, m.Topic)
				assert.Equal(t, int64(-1), m.Offset)
				w.warmUp() // and the producer is as good as new
			})
		})
	}
}

func TestKafkaProducer_Send_UnknownTopicThenCreated(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		time.AfterFunc(300*time.Millisecond, func() { w.cluster.AddTopic("late", 1) })
		start := time.Now()
		w.delivered(w.p.Send(t.Context(), Record[string, string]{Topic: "late"}, nil))
		assert.Less(t, time.Since(start), time.Second)
	})
}

func TestKafkaProducer_Send_SerializerFailsOrPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Topic("t", 1))
		defer cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial = cluster.Dial
		broken := errors.New("broken")
		p, err := New(cfg, BytesSerializer, SerializerFunc(func(n int) ([]byte, error) {
			switch n {
			case 0:
				return nil, broken
			case 1:
				panic("no")
			}
			return []byte("fine"), nil
		}))
		require.NoError(t, err)
		send := func(n int) error {
			_, err := p.Send(t.Context(), Record[[]byte, int]{Topic: "t", Value: n}, nil).Get(t.Context())
			return err
		}
		err = send(0)
		assert.ErrorIs(t, err, ErrSerialization)
		assert.ErrorIs(t, err, broken)
		assert.ErrorIs(t, send(1), ErrSerialization)
		assert.NoError(t, send(2))
		assert.NoError(t, p.Close(t.Context()))
	})
}

func TestKafkaProducer_Send_BrokersDownAtStart(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.Down(1)
		w.cluster.Down(2)
		time.AfterFunc(3*time.Second, func() { w.cluster.Up(1); w.cluster.Up(2) })
		m, err := w.get(w.send("k", "v"))
		require.NoError(t, err)
		assert.Zero(t, m.Offset)
	})
}

func TestKafkaProducer_Send_NoBroker(t *testing.T) {
	refused := errors.New("connection refused")
	run(t, func(c *Config) { c.MaxBlock = time.Second }, func(t *testing.T, w *world) {
		w.cluster.OnDial(func(fakebroker.Dial) error { return refused })
		start := time.Now()
		_, err := w.get(w.send("k", "v"))
		assert.Equal(t, time.Second, time.Since(start))
		assert.ErrorIs(t, err, ErrTimeout)
		assert.ErrorIs(t, err, refused, "the error tells why")
		assert.ErrorIs(t, err, ErrRetriable)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		ctx := w.within(200 * time.Millisecond)
		start = time.Now()
		_, err = w.p.Send(ctx, Record[string, string]{Topic: "t"}, nil).Get(t.Context())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 200*time.Millisecond, time.Since(start))
	})
}

func TestKafkaProducer_Send_ContextCancelledAfterwards(t *testing.T) {
	run(t, func(c *Config) { c.Linger = 100 * time.Millisecond }, func(t *testing.T, w *world) {
		w.warmUp()
		ctx, cancel := context.WithCancel(t.Context())
		f := w.p.Send(ctx, Record[string, string]{Topic: "t", Value: "v"}, nil)
		cancel()
		_, err := f.Get(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, ErrMaybeWritten)
		w.delivered(f)
		_, err = f.Get(ctx)
		assert.NoError(t, err, "a known outcome is told whatever became of the context")
	})
}

func TestKafkaProducer_Send_CallerMayReuseItsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Topic("t", 1))
		defer cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial = cluster.Dial
		p, err := New(cfg, BytesSerializer, BytesSerializer)
		require.NoError(t, err)
		key, value := []byte("key"), []byte("value")
		p.Send(t.Context(), Record[[]byte, []byte]{Topic: "t", Key: key, Value: value}, nil)
		copy(key, "XXX")
		copy(value, "XXXXX")
		require.NoError(t, p.Close(t.Context()))
		assert.Equal(t, "key", string(cluster.Log("t", 0)[0].Key))
		assert.Equal(t, "value", string(cluster.Log("t", 0)[0].Value))
	})
}

func TestKafkaProducer_PartitionsFor(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock = time.Second }, func(t *testing.T, w *world) {
		infos, err := w.p.PartitionsFor(t.Context(), "t")
		require.NoError(t, err)
		require.Len(t, infos, 4)
		for i, info := range infos {
			assert.Equal(t, TopicPartition{"t", int32(i)}, info.TopicPartition)
			assert.Equal(t, w.cluster.Leader("t", int32(i)), info.Leader)
			assert.NotEmpty(t, info.Replicas)
		}
		_, err = w.p.PartitionsFor(t.Context(), "nobody")
		assert.ErrorIs(t, err, errcode.UnknownTopicOrPartition)
		assert.ErrorIs(t, err, ErrTimeout)
	})
}

func TestKafkaProducer_Send_FirstRecordIsQuick(t *testing.T) {
	run(t, func(c *Config) { c.Linger = 0 }, func(t *testing.T, w *world) {
		start := time.Now()
		w.delivered(w.send("k", "v"))
		assert.Less(t, time.Since(start), 50*time.Millisecond)
	})
}

func TestKafkaProducer_AcksNone(t *testing.T) {
	run(t, func(c *Config) { c.Acks, c.Idempotence = AcksNone, false }, func(t *testing.T, w *world) {
		m := w.delivered(w.send("k", "v"))
		assert.Equal(t, int64(-1), m.Offset)
		assert.Equal(t, 1, m.KeySize)
		synctest.Wait()
		assert.Len(t, w.cluster.Log("t", m.Partition), 1)
		assert.Equal(t, int16(0), w.cluster.Calls(protocol.Produce)[0].Produce().Acks)
	})
}

func TestKafkaProducer_Send_LogAppendTime(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Edit: func(m protocol.Message) {
			m.(*protocol.ProduceResponse).Topics[0].Partitions[0].LogAppendTimeMs = 123456
		}}))
		assert.Equal(t, int64(123456), w.delivered(w.send("k", "v")).Timestamp.UnixMilli())
	})
}

func TestKafkaProducer_Send_BatchSizeZero(t *testing.T) {
	run(t, func(c *Config) { c.BatchSize = 0 }, func(t *testing.T, w *world) {
		for i := range 10 {
			w.p.Send(t.Context(), Record[string, string]{Topic: "t", Value: fmt.Sprint(i)}, nil)
		}
		require.NoError(t, w.p.Flush(t.Context()))
		n := 0
		for p := range int32(4) {
			for _, b := range w.cluster.Batches("t", p) {
				assert.Equal(t, int32(1), b.Count)
				n++
			}
		}
		assert.Equal(t, 10, n)
	})
}

func TestKafkaProducer_Send_RecordLargerThanBatch(t *testing.T) {
	run(t, func(c *Config) { c.BatchSize = 1 << 10 }, func(t *testing.T, w *world) {
		w.sendTo(0, "before")
		big := w.sendTo(0, strings.Repeat("x", 100<<10))
		w.sendTo(0, "after")
		w.delivered(big)
		require.NoError(t, w.p.Flush(t.Context()))
		batches := w.cluster.Batches("t", 0)
		require.Len(t, batches, 3)
		assert.Equal(t, int32(1), batches[1].Count)
		assert.Equal(t, []int{6, 100 << 10, 5}, []int{len(w.values(0)[0]), len(w.values(0)[1]), len(w.values(0)[2])})
	})
}

func TestKafkaProducer_Send_LargerThanBufferMemory(t *testing.T) {
	run(t, func(c *Config) { c.BufferMemory = 64 << 10 }, func(t *testing.T, w *world) {
		_, err := w.get(w.sendTo(0, strings.Repeat("x", 65<<10)))
		assert.ErrorIs(t, err, ErrRecordTooLarge)
		assert.ErrorContains(t, err, "BufferMemory")
		w.delivered(w.sendTo(0, strings.Repeat("x", 60<<10)))
	})
}
