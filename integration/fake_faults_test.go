// fake_faults_test.go is about clusters that misbehave: cut connections, leaders
// that move, answers that lie or never come. What is acknowledged must be there
// once and in order all the same.

package integration

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/integration/fake"
)

const faultTopic, faultPartitions = "t", 6

// patient is a configuration whose back-offs suit a cluster in the same process.
func patient(c *kfake.Cluster) producer.Config {
	cfg := producer.NewConfig(c.ListenAddrs()...)
	cfg.BatchSize = 2 << 10 // many batches, so that faults meet several
	cfg.RetryBackoff, cfg.RetryBackoffMax = 5*time.Millisecond, 50*time.Millisecond
	cfg.ReconnectBackoff, cfg.ReconnectBackoffMax = 5*time.Millisecond, 50*time.Millisecond
	return cfg
}

// A disturbance begins to misbehave and returns how to stop it, which tells how
// often it struck.
type disturbance func(*kfake.Cluster) (stop func() int)

func TestFake_Faults_NothingLostNothingTwice(t *testing.T) {
	tests := map[string]disturbance{
		"connections cut before the append":  cutSome(kmsg.Produce),
		"connections cut at everything else": cutSome(kmsg.Metadata, kmsg.ApiVersions, kmsg.InitProducerID),
		"not the leader":                     failSome(kerr.NotLeaderForPartition),
		"too few replicas":                   failSome(kerr.NotEnoughReplicas),
		"appended but too few replicas":      failSome(kerr.NotEnoughReplicasAfterAppend),
		"appended but timed out":             failSome(kerr.RequestTimedOut),
		"storage error":                      failSome(kerr.KafkaStorageError),
		"unknown topic for a while":          failSome(kerr.UnknownTopicOrPartition),
		"producer id is slow to come":        slowProducerID,
		"leaders keep moving":                moveLeaders,
	}
	for name, disturb := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fake.Start(t, kfake.NumBrokers(3), kfake.SeedTopics(faultPartitions, faultTopic))
			p := newProducer(t, patient(c))
			w := newWorkload(4, 5000, 200, 11)
			stop := disturb(c)
			acks := sendAll(t, p, faultTopic, w)
			struck := stop()
			t.Logf("struck %d times", struck)
			assert.Positive(t, struck, "faults")
			checkReadback(t, c.ListenAddrs(), faultTopic, w, acks)
		})
	}
}

// maxFaults is how often one disturbance strikes at most: there must be an end
// to back-offs.
const maxFaults = 20

// cutSome closes the connection of every third request of some kinds, the first
// included, instead of handling it.
func cutSome(keys ...kmsg.Key) disturbance {
	return func(c *kfake.Cluster) func() int {
		var stopped atomic.Bool
		var seen, cut atomic.Int32
		for _, key := range keys {
			c.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if stopped.Load() || seen.Add(1)%3 != 1 || cut.Load() == maxFaults {
					return nil, nil, false
				}
				cut.Add(1)
				return nil, errors.New("cut"), true
			})
		}
		return func() int { stopped.Store(true); return int(cut.Load()) }
	}
}

// failSome answers every third produce request with an error.
func failSome(err *kerr.Error) disturbance {
	return func(c *kfake.Cluster) func() int {
		var seen atomic.Int32
		fault := c.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Produce}, Err: err, Count: maxFaults,
			When: func(kmsg.Request) bool { return seen.Add(1)%3 == 1 },
		})
		return func() int { fault.Remove(); return fault.Hits() }
	}
}

func slowProducerID(c *kfake.Cluster) func() int {
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, TopLevel: true, Err: kerr.CoordinatorLoadInProgress, Count: 3})
	return func() int { fault.Remove(); return fault.Hits() }
}

// moveLeaders moves a partition to another broker every millisecond.
func moveLeaders(c *kfake.Cluster) func() int {
	ctx, cancel := context.WithCancel(context.Background())
	var moving sync.WaitGroup
	moves := 0
	moving.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if c.MoveTopicPartition(faultTopic, rand.Int32N(faultPartitions), rand.Int32N(3)) == nil {
				moves++
			}
		}
	})
	return func() int { cancel(); moving.Wait(); return moves }
}

func TestFake_BrokerThatNeverAnswers_DeliveryTimeoutSaysMaybeWritten(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	c.ControlKey(kmsg.Produce.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, nil, true
	})
	cfg := patient(c)
	cfg.RequestTimeout = 300 * time.Millisecond
	cfg.DeliveryTimeout = time.Second
	p := newProducer(t, cfg)
	ctx := within(t, 10*time.Second)

	calls := make(chan error, 2)
	begun := time.Now()
	f := p.Send(ctx, bytesRecord{Topic: "t", Value: []byte("v")}, func(_ producer.RecordMetadata, err error) { calls <- err })
	md, err := f.Get(ctx)
	assert.ErrorIs(t, err, producer.ErrTimeout)
	assert.ErrorIs(t, err, producer.ErrMaybeWritten)
	assert.InDelta(t, time.Second, time.Since(begun), float64(200*time.Millisecond))
	assert.Equal(t, producer.TopicPartition{Topic: "t", Partition: 0}, md.TopicPartition)
	assert.Equal(t, int64(-1), md.Offset)

	require.NoError(t, p.Flush(ctx))
	require.Len(t, calls, 1, "callbacks")
	assert.Equal(t, err, <-calls, "Future and callback tell the same")
}

func TestFake_RefusedByTheBroker_IsSurelyNotWritten(t *testing.T) {
	tests := map[string]struct {
		fault *kerr.Error
		code  errcode.Code
	}{
		"not authorized": {kerr.TopicAuthorizationFailed, errcode.TopicAuthorizationFailed},
		"invalid record": {kerr.InvalidRecord, errcode.InvalidRecord},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := fake.Start(t, kfake.SeedTopics(1, "t"))
			p := newProducer(t, patient(c))
			ctx := within(t, 10*time.Second)
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: test.fault})

			_, err := p.Send(ctx, bytesRecord{Topic: "t", Value: []byte("v")}, nil).Get(ctx)
			assert.ErrorIs(t, err, test.code)
			assert.NotErrorIs(t, err, producer.ErrMaybeWritten)
			assert.NotErrorIs(t, err, producer.ErrRetriable)

			md, err := p.Send(ctx, bytesRecord{Topic: "t", Value: []byte("v")}, nil).Get(ctx)
			require.NoError(t, err, "the producer goes on")
			assert.Equal(t, int64(0), md.Offset)
		})
	}
}

func TestFake_UnknownTopic_EndsWithMaxBlock(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	cfg := patient(c)
	cfg.MaxBlock = 300 * time.Millisecond
	p := newProducer(t, cfg)
	ctx := within(t, 10*time.Second)

	calls := 0
	begun := time.Now()
	f := p.Send(ctx, bytesRecord{Topic: "absent", Value: []byte("v")}, func(md producer.RecordMetadata, err error) {
		calls++
		assert.ErrorIs(t, err, producer.ErrTimeout)
		assert.Equal(t, producer.TopicPartition{Topic: "absent", Partition: -1}, md.TopicPartition)
	})
	assert.InDelta(t, cfg.MaxBlock, time.Since(begun), float64(100*time.Millisecond))
	assert.Equal(t, 1, calls, "a refused record's callback runs inside of Send")
	select {
	case <-f.Done():
	default:
		t.Error("a refused record's Future is done when Send returns")
	}
	_, err := f.Get(ctx)
	assert.ErrorIs(t, err, producer.ErrTimeout)
	assert.ErrorIs(t, err, errcode.UnknownTopicOrPartition, "the broker's last word")
	assert.NotErrorIs(t, err, producer.ErrMaybeWritten)
	assert.Contains(t, err.Error(), "absent")

	_, err = p.Send(ctx, bytesRecord{Topic: "t", Value: []byte("v")}, nil).Get(ctx)
	assert.NoError(t, err, "other topics do not suffer")
}

func TestFake_NobodyThere_EndsWithMaxBlock(t *testing.T) {
	c := fake.Start(t)
	addrs := c.ListenAddrs()
	c.Close()
	cfg := producer.NewConfig(addrs...)
	cfg.MaxBlock = 300 * time.Millisecond
	p := newProducer(t, cfg)
	begun := time.Now()
	_, err := p.Send(within(t, 10*time.Second), bytesRecord{Topic: "t", Value: []byte("v")}, nil).Get(t.Context())
	assert.InDelta(t, cfg.MaxBlock, time.Since(begun), float64(100*time.Millisecond))
	assert.ErrorIs(t, err, producer.ErrTimeout)
	assert.NotErrorIs(t, err, producer.ErrMaybeWritten)
}
