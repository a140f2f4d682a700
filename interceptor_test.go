package producer

import (
	"context"
	"errors"
	"log/slog"
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

// tracer is an interceptor that marks values and notes acknowledgements.
type tracer struct {
	mark  string
	told  *[]string
	panic string // where: "send", "ack"
}

func (i *tracer) OnSend(_ context.Context, r Record[string, string]) (Record[string, string], func(RecordMetadata, error)) {
	if i.panic == "send" {
		panic("interceptor")
	}
	r.Value += i.mark
	return r, func(m RecordMetadata, err error) {
		*i.told = append(*i.told, i.mark+" "+m.String())
		if i.panic == "ack" {
			panic("interceptor")
		}
	}
}

func TestInterceptor_OrderAndPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Topic("t", 1))
		defer cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial, cfg.MaxBlock = cluster.Dial, time.Second
		cfg.Logger = slog.New(slog.DiscardHandler)
		var told []string
		p, err := New(cfg, StringSerializer, SerializerFunc(func(v string) ([]byte, error) {
			if strings.HasPrefix(v, "bad") {
				return nil, errors.New("bad")
			}
			return []byte(v), nil
		}), &tracer{"1", &told, ""}, &tracer{"x", &told, "send"}, &tracer{"2", &told, "ack"}, &tracer{"3", &told, ""})
		require.NoError(t, err)
		cb := func(m RecordMetadata, err error) { told = append(told, "callback "+m.String()) }
		send := func(r Record[string, string], want error) {
			t.Helper()
			told = nil
			_, err := p.Send(t.Context(), r, cb).Get(t.Context())
			assert.ErrorIs(t, err, want)
			require.NoError(t, p.Flush(t.Context()))
		}
		send(Record[string, string]{Topic: "t", Value: "v"}, nil)
		assert.Equal(t, []string{"1 t-0@0", "2 t-0@0", "3 t-0@0", "callback t-0@0"}, told)
		assert.Equal(t, "v123", string(cluster.Log("t", 0)[0].Value))

		failed := func(at string) []string { return []string{"1 " + at, "2 " + at, "3 " + at, "callback " + at} }
		send(Record[string, string]{Topic: "t", Value: "bad"}, ErrSerialization)
		assert.Equal(t, failed("t--1@-1"), told)
		send(Record[string, string]{Topic: "t", Value: strings.Repeat("x", 2<<20)}, ErrRecordTooLarge)
		assert.Equal(t, failed("t--1@-1"), told)
		send(Record[string, string]{Topic: "nobody", Partition: ToPartition(7)}, ErrTimeout)
		assert.Equal(t, failed("nobody-7@-1"), told)
		send(Record[string, string]{Topic: "t", Partition: ToPartition(-7)}, ErrInvalidRecord)
		assert.Equal(t, failed("t--1@-1"), told)
		require.NoError(t, p.Close(t.Context()))
		told = nil
		_, err = p.Send(t.Context(), Record[string, string]{Topic: "t"}, cb).Get(t.Context())
		assert.ErrorIs(t, err, ErrClosed)
		assert.Equal(t, failed("t--1@-1"), told)
	})
}

// reentrant calls the producer from inside the hook.
type reentrant struct {
	p     *KafkaProducer[string, string]
	depth int
}

func (i *reentrant) OnSend(ctx context.Context, r Record[string, string]) (Record[string, string], func(RecordMetadata, error)) {
	if i.depth == 0 {
		i.depth++
		i.p.Send(ctx, Record[string, string]{Topic: "t", Value: "from the hook"}, nil)
		_, _ = i.p.PartitionsFor(ctx, "t")
	}
	return r, func(RecordMetadata, error) { _, _ = i.p.PartitionsFor(ctx, "t") }
}

func TestInterceptor_MayCallTheProducer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Topic("t", 1))
		defer cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial = cluster.Dial
		hook := &reentrant{}
		p, err := New(cfg, StringSerializer, StringSerializer, hook)
		require.NoError(t, err)
		hook.p = p
		p.Send(t.Context(), Record[string, string]{Topic: "t"}, nil)
		require.NoError(t, p.Close(t.Context()))
		assert.Len(t, cluster.Log("t", 0), 2)
	})
}

// tally counts what it and the callback are told, by value of the record.
type tally struct{ acks, callbacks map[string][]error }

func (c *tally) OnSend(_ context.Context, r Record[string, string]) (Record[string, string], func(RecordMetadata, error)) {
	return r, func(_ RecordMetadata, err error) { c.acks[r.Value] = append(c.acks[r.Value], err) }
}

// picky is a partitioner that panics, or chooses what is not there.
type picky struct{}

func (picky) Partition(_ string, key, _ []byte, _ []PartitionInfo) int32 {
	if string(key) == "panic" {
		panic("no")
	}
	return int32(len(key))
}

func TestInterceptor_HearsOfEveryFailureOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fakebroker.New(fakebroker.Topic("t", 1))
		defer cluster.Close()
		cfg := NewConfig("b1:9092")
		cfg.Dial, cfg.Logger, cfg.Partitioner = cluster.Dial, slog.New(slog.DiscardHandler), picky{}
		cfg.MaxBlock, cfg.RequestTimeout, cfg.Linger, cfg.DeliveryTimeout = time.Second, time.Second, 0, 3*time.Second
		cfg.BufferMemory = 64 << 10
		told := &tally{map[string][]error{}, map[string][]error{}}
		p, err := New(cfg, StringSerializer, SerializerFunc(func(v string) ([]byte, error) {
			if v == "serializer panics" {
				panic("no")
			}
			return []byte(v), nil
		}), told)
		require.NoError(t, err)
		want := map[string]error{}
		sent := func(ctx context.Context, r Record[string, string], e error) {
			want[r.Value] = e
			p.Send(ctx, r, func(_ RecordMetadata, err error) {
				assert.Len(t, told.acks[r.Value], len(told.callbacks[r.Value])+1, "%.20s: the interceptor comes first", r.Value)
				told.callbacks[r.Value] = append(told.callbacks[r.Value], err)
			})
		}
		send := func(r Record[string, string], e error) { sent(t.Context(), r, e) }

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		sent(ended, Record[string, string]{Topic: "t", Value: "context has ended"}, context.Canceled)
		send(Record[string, string]{Topic: "t t", Value: "topic's name"}, ErrInvalidTopic)
		send(Record[string, string]{Topic: "t", Value: "serializer panics"}, ErrSerialization)
		send(Record[string, string]{Topic: "t", Value: "partitioner panics", Key: "panic"}, ErrInvalidRecord)
		send(Record[string, string]{Topic: "t", Value: "partitioner's choice", Key: "k"}, ErrInvalidRecord)
		send(Record[string, string]{Topic: "nobody", Value: "no such topic"}, ErrTimeout)
		send(Record[string, string]{Topic: "t", Partition: ToPartition(3), Value: "no such partition"}, ErrTimeout)
		send(Record[string, string]{Topic: "t", Value: strings.Repeat("l", 64<<10)}, ErrRecordTooLarge)
		for _, code := range []errcode.Code{errcode.InvalidRecord, errcode.MessageTooLarge, errcode.TopicAuthorizationFailed} {
			cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Code: code}))
			send(Record[string, string]{Topic: "t", Value: "broker says " + code.Name()}, code)
			require.NoError(t, p.Flush(t.Context()))
		}
		cluster.On(protocol.Produce, fakebroker.Always(fakebroker.Action{Silent: true}))
		send(Record[string, string]{Topic: "t", Value: strings.Repeat("d", 60<<10)}, ErrMaybeWritten)
		send(Record[string, string]{Topic: "t", Value: strings.Repeat("b", 32<<10)}, ErrBufferExhausted)
		require.NoError(t, p.Flush(t.Context()))
		send(Record[string, string]{Topic: "t", Value: "closed by force"}, ErrClosed)
		require.Error(t, p.Close(ended))
		send(Record[string, string]{Topic: "t", Value: "closed before"}, ErrClosed)

		assert.Len(t, told.acks, len(want))
		for value, e := range want {
			for _, errs := range [][]error{told.acks[value], told.callbacks[value]} {
				require.Len(t, errs, 1, "%.20s", value)
				assert.ErrorIs(t, errs[0], e, "%.20s", value)
			}
		}
	})
}
