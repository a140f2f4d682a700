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

	"github.com/kafka-go-producer/producer/internal/fakebroker"
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
