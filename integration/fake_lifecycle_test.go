// fake_lifecycle_test.go is about calls and their ends: Flush, Close, contexts,
// callbacks, and what is refused before it is queued.

package integration

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/fake"
	"github.com/kafka-go-producer/producer/integration/readback"
)

// mute makes the cluster swallow produce requests from now on.
func mute(c *kfake.Cluster) {
	c.ControlKey(kmsg.Produce.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, nil, true
	})
}

// lingering is a configuration whose records wait until something sends them.
func lingering(c *kfake.Cluster) producer.Config {
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.Linger = time.Hour
	return cfg
}

func TestFake_Close_DeliversWhatIsWaiting(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(3, "t"))
	p, err := producer.New(lingering(c), producer.BytesSerializer, producer.BytesSerializer)
	require.NoError(t, err)
	ctx := within(t, 10*time.Second)
	var called atomic.Int32
	for i := range 100 {
		p.Send(ctx, bytesRecord{Topic: "t", Key: fmt.Append(nil, i)}, func(_ producer.RecordMetadata, err error) {
			assert.NoError(t, err)
			called.Add(1)
		})
	}
	require.NoError(t, p.Close(ctx))
	assert.Equal(t, int32(100), called.Load(), "callbacks that ran before Close returned")
	assert.Len(t, readback.Flat(t, c.ListenAddrs(), "t"), 100)

	require.NoError(t, p.Close(ctx), "a second Close")
	refused := 0
	_, err = p.Send(ctx, bytesRecord{Topic: "t"}, func(_ producer.RecordMetadata, err error) {
		refused++
		assert.ErrorIs(t, err, producer.ErrClosed)
	}).Get(ctx)
	assert.ErrorIs(t, err, producer.ErrClosed)
	assert.NotErrorIs(t, err, producer.ErrMaybeWritten)
	assert.Equal(t, 1, refused)
	assert.NoError(t, p.Flush(ctx), "Flush after Close has nothing to wait for")
}

func TestFake_Close_FailsWhatIsLeftWhenItsTimeIsUp(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	mute(c)
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.BatchSize = 0 // more batches than may be in flight: some are never sent
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	require.NoError(t, err)
	const records = 20
	futures := make([]producer.Future, records)
	for i := range futures {
		futures[i] = p.Send(within(t, 10*time.Second), bytesRecord{Topic: "t", Value: []byte("v")}, nil)
	}
	const patience = 200 * time.Millisecond
	begun := time.Now()
	err = p.Close(within(t, patience))
	assert.ErrorIs(t, err, producer.ErrClosed)
	assert.Contains(t, err.Error(), fmt.Sprint(records), "says how many")
	assert.InDelta(t, patience, time.Since(begun), float64(100*time.Millisecond))

	ended, cancel := context.WithCancel(t.Context())
	cancel() // every outcome is known by now: Get does not wait
	maybe := 0
	for _, f := range futures {
		_, err := f.Get(ended)
		require.ErrorIs(t, err, producer.ErrClosed)
		if isMaybeWritten(err) {
			maybe++
		}
	}
	assert.Positive(t, maybe, "what was on the wire may be written")
	assert.Less(t, maybe, records, "what was not sent is surely not written")
}

func TestFake_Close_WakesBlockedSends(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	mute(c)
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.BufferMemory = 32 << 10
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	require.NoError(t, err)
	outcome := make(chan error)
	var sent atomic.Int32
	const senders = 10
	for range senders {
		go func() {
			for {
				f := p.Send(t.Context(), bytesRecord{Topic: "t", Value: make([]byte, 1000)}, nil)
				sent.Add(1)
				select {
				case <-f.Done():
					_, err := f.Get(t.Context())
					outcome <- err
					return
				default:
				}
			}
		}()
	}
	awaitStandstill(t, &sent)
	err = p.Close(within(t, 200*time.Millisecond))
	assert.ErrorIs(t, err, producer.ErrClosed)
	for range senders {
		select {
		case err := <-outcome:
			assert.ErrorIs(t, err, producer.ErrClosed)
		case <-time.After(5 * time.Second):
			t.Fatal("a Send did not return after Close")
		}
	}
}

// awaitStandstill returns when a counter has begun to count and then stood still
// for a while.
func awaitStandstill(t *testing.T, counter *atomic.Int32) {
	t.Helper()
	ctx := within(t, 10*time.Second)
	for before := int32(0); ; {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the counter never stood still")
		}
		now := counter.Load()
		if now > 0 && now == before {
			return
		}
		before = now
	}
}

func TestFake_Flush_WaitsForCallbacksAndSendsAtOnce(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	p := newProducer(t, lingering(c))
	ctx := within(t, 10*time.Second)
	returned := false
	p.Send(ctx, bytesRecord{Topic: "t"}, func(producer.RecordMetadata, error) {
		time.Sleep(50 * time.Millisecond)
		returned = true
	})
	require.NoError(t, p.Flush(ctx))
	assert.True(t, returned)
}

func TestFake_Flush_EndsWithItsContext(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	mute(c)
	cfg := patient(c)
	cfg.RequestTimeout, cfg.DeliveryTimeout = 500*time.Millisecond, time.Second
	p := newProducer(t, cfg)
	f := p.Send(t.Context(), bytesRecord{Topic: "t"}, nil)
	assert.ErrorIs(t, p.Flush(within(t, 50*time.Millisecond)), context.DeadlineExceeded)

	_, err := f.Get(within(t, 50*time.Millisecond))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorIs(t, err, producer.ErrMaybeWritten, "a cancelled Get is not a failed record")

	_, err = f.Get(t.Context())
	assert.ErrorIs(t, err, producer.ErrTimeout, "the record's own end")
}

func TestFake_Callback_MaySendButNotFlushOrClose(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	p := newProducer(t, producer.NewConfig(c.ListenAddrs()...))
	ctx := within(t, 10*time.Second)
	second := make(chan error, 1)
	p.Send(ctx, bytesRecord{Topic: "t"}, func(producer.RecordMetadata, error) {
		assert.ErrorIs(t, p.Flush(ctx), producer.ErrInvalidState)
		assert.ErrorIs(t, p.Close(ctx), producer.ErrInvalidState)
		p.Send(ctx, bytesRecord{Topic: "t"}, func(_ producer.RecordMetadata, err error) { second <- err })
	})
	require.NoError(t, p.Flush(ctx))
	select {
	case err := <-second:
		assert.NoError(t, err)
	case <-ctx.Done():
		t.Fatal("the record sent in a callback has no outcome")
	}
}

func TestFake_CallbackThatPanics_HarmsNobody(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.Logger = quietLogger()
	p := newProducer(t, cfg)
	ctx := within(t, 10*time.Second)
	p.Send(ctx, bytesRecord{Topic: "t"}, func(producer.RecordMetadata, error) { panic("of a callback") })
	_, err := p.Send(ctx, bytesRecord{Topic: "t"}, nil).Get(ctx)
	assert.NoError(t, err)
	assert.NoError(t, p.Flush(ctx))
}

func TestFake_Send_RefusesAtOnce(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.MaxRequestSize = 10_000
	cfg.MaxBlock = 200 * time.Millisecond
	p := newProducer(t, cfg)
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	tests := map[string]struct {
		ctx    context.Context
		record bytesRecord
		want   error
	}{
		"too large":             {t.Context(), bytesRecord{Topic: "t", Value: make([]byte, 10_001)}, producer.ErrRecordTooLarge},
		"topic name":            {t.Context(), bytesRecord{Topic: "not a topic"}, producer.ErrInvalidTopic},
		"no topic":              {t.Context(), bytesRecord{}, producer.ErrInvalidTopic},
		"negative partition":    {t.Context(), bytesRecord{Topic: "t", Partition: producer.ToPartition(-1)}, producer.ErrInvalidRecord},
		"before 1970":           {t.Context(), bytesRecord{Topic: "t", Timestamp: time.UnixMilli(-1)}, producer.ErrInvalidRecord},
		"ended context":         {ended, bytesRecord{Topic: "t"}, context.Canceled},
		"partition not there":   {t.Context(), bytesRecord{Topic: "t", Partition: producer.ToPartition(1)}, producer.ErrTimeout},
		"ended context, absent": {ended, bytesRecord{Topic: "absent"}, context.Canceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			f := p.Send(test.ctx, test.record, func(md producer.RecordMetadata, err error) {
				calls++
				assert.ErrorIs(t, err, test.want)
				assert.Equal(t, test.record.Topic, md.Topic)
				assert.Equal(t, int64(-1), md.Offset)
			})
			assert.Equal(t, 1, calls, "callbacks inside of Send")
			md, err := f.Get(ended)
			assert.ErrorIs(t, err, test.want)
			assert.NotErrorIs(t, err, producer.ErrMaybeWritten)
			assert.Equal(t, test.record.Topic, md.Topic)
		})
	}
	assert.Empty(t, readback.Flat(t, c.ListenAddrs(), "t"))
}
