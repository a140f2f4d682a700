// fake_records_test.go is about what arrives: records of every shape, one by one
// and by the thousand, on an in-process cluster.

package integration

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/fake"
	"github.com/kafka-go-producer/producer/integration/readback"
)

func TestFake_Get_TellsWhereARecordWent(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(3, "t"))
	p := newProducer(t, producer.NewConfig(c.ListenAddrs()...))
	ctx := within(t, 10*time.Second)

	before := time.Now().Add(-2 * time.Millisecond).Truncate(time.Millisecond)
	for i := range 3 {
		md, err := p.Send(ctx, bytesRecord{
			Topic: "t", Partition: producer.ToPartition(1), Key: []byte("key"), Value: []byte("value"),
		}, nil).Get(ctx)
		require.NoError(t, err)
		assert.Equal(t, producer.TopicPartition{Topic: "t", Partition: 1}, md.TopicPartition)
		assert.Equal(t, int64(i), md.Offset)
		assert.Equal(t, 3, md.KeySize)
		assert.Equal(t, 5, md.ValueSize)
		assert.False(t, md.Timestamp.Before(before) || md.Timestamp.After(time.Now()), "%v", md.Timestamp)
		assert.Equal(t, fmt.Sprintf("t-1@%d", i), md.String())
	}
}

func TestFake_RecordsOfEveryShape(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	p := newProducer(t, producer.NewConfig(c.ListenAddrs()...))
	ctx := within(t, 10*time.Second)

	at := time.UnixMilli(1_700_000_000_123)
	big := []byte(strings.Repeat("0123456789abcdef", 40_000)) // of many chunks, larger than a batch
	headers := producer.Headers{{Key: "a", Value: []byte("1")}, {Key: "a"}, {Key: "", Value: []byte{}}}
	sent := []bytesRecord{
		{Key: nil, Value: nil},
		{Key: []byte{}, Value: []byte{}},
		{Key: nil, Value: []byte{}},
		{Key: []byte{}, Value: nil},
		{Key: []byte("k"), Value: []byte("looked at by nobody"), Tombstone: true},
		{Key: []byte{0, 0xff}, Value: big},
		{Value: []byte("with headers"), Headers: headers},
		{Value: []byte("dated"), Timestamp: at},
		{Value: []byte("of the epoch"), Timestamp: time.UnixMilli(0)},
	}
	for _, r := range sent {
		r.Topic = "t"
		p.Send(ctx, r, func(_ producer.RecordMetadata, err error) { assert.NoError(t, err) })
	}
	require.NoError(t, p.Flush(ctx))

	got := readback.Flat(t, c.ListenAddrs(), "t")
	require.Len(t, got, len(sent))
	for i, r := range got {
		want := sent[i]
		if want.Tombstone {
			want.Value = nil
		}
		assert.Equal(t, want.Key, r.Key, "key of record %d", i)
		assert.Equal(t, want.Value, r.Value, "value of record %d", i)
		if !want.Timestamp.IsZero() {
			assert.True(t, want.Timestamp.Equal(r.Timestamp), "timestamp of record %d: %v", i, r.Timestamp)
		}
	}
	assert.Equal(t, []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "a"}, {Key: "", Value: []byte{}}}, got[6].Headers)
}

func TestFake_StringKeys_EmptyMeansNone(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	p, err := producer.New(producer.NewConfig(c.ListenAddrs()...), producer.StringSerializer, producer.StringSerializer)
	require.NoError(t, err)
	ctx := within(t, 10*time.Second)
	p.Send(ctx, producer.Record[string, string]{Topic: "t", Key: "", Value: ""}, nil)
	p.Send(ctx, producer.Record[string, string]{Topic: "t", Key: "k", Tombstone: true}, nil)
	require.NoError(t, p.Close(ctx))

	got := readback.Flat(t, c.ListenAddrs(), "t")
	require.Len(t, got, 2)
	assert.Nil(t, got[0].Key)
	assert.Equal(t, []byte{}, got[0].Value)
	assert.Equal(t, []byte("k"), got[1].Key)
	assert.Nil(t, got[1].Value)
}

func TestFake_Send_LeavesTheCallersBytesAlone(t *testing.T) {
	c := fake.Start(t, kfake.SeedTopics(1, "t"))
	p := newProducer(t, producer.NewConfig(c.ListenAddrs()...))
	ctx := within(t, 10*time.Second)
	key, value := []byte("key 000"), []byte("value 000")
	for i := range 100 {
		copy(key[4:], fmt.Sprintf("%03d", i))
		copy(value[6:], fmt.Sprintf("%03d", i))
		p.Send(ctx, bytesRecord{Topic: "t", Key: key, Value: value}, nil)
		clear(key[4:])
		clear(value[6:])
	}
	require.NoError(t, p.Flush(ctx))
	for i, r := range readback.Flat(t, c.ListenAddrs(), "t") {
		assert.Equal(t, fmt.Sprintf("key %03d", i), string(r.Key))
		assert.Equal(t, fmt.Sprintf("value %03d", i), string(r.Value))
	}
}

func TestFake_ManySenders_NothingLostNothingTwice(t *testing.T) {
	const topic, partitions = "t", 12
	tests := map[string]func(*producer.Config){
		"defaults":        func(*producer.Config) {},
		"no linger":       func(c *producer.Config) { c.Linger = 0 },
		"tiny batches":    func(c *producer.Config) { c.BatchSize = 300 },
		"a record each":   func(c *producer.Config) { c.BatchSize = 0 },
		"one in flight":   func(c *producer.Config) { c.MaxInFlight = 1 },
		"little memory":   func(c *producer.Config) { c.BufferMemory = 64 << 10 },
		"small requests":  func(c *producer.Config) { c.MaxRequestSize = 20 << 10 },
		"not idempotent":  func(c *producer.Config) { c.Idempotence = false; c.MaxInFlight = 1 },
		"leader acks":     func(c *producer.Config) { c.Idempotence = false; c.Acks = producer.AcksLeader },
		"tiny all around": func(c *producer.Config) { c.BatchSize = 1; c.BufferMemory = 8 << 10; c.Linger = 0 },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fake.Start(t, kfake.NumBrokers(3), kfake.SeedTopics(partitions, topic))
			cfg := producer.NewConfig(c.ListenAddrs()...)
			change(&cfg)
			p := newProducer(t, cfg)
			w := newWorkload(4, 2000, 200, 7)
			acks := sendAll(t, p, topic, w)
			checkReadback(t, c.ListenAddrs(), topic, w, acks)
		})
	}
}

// sendAll sends a workload, each sender from a goroutine of its own, flushes, and
// returns where each record was acknowledged.
func sendAll(t *testing.T, p bytesProducer, topic string, w *workload) [][]place {
	t.Helper()
	return sendCounted(t, p, topic, w, new(atomic.Int32))
}

// sendCounted is sendAll; others can watch how many records are acknowledged.
func sendCounted(t *testing.T, p bytesProducer, topic string, w *workload, acked *atomic.Int32) [][]place {
	t.Helper()
	ctx := within(t, 2*time.Minute)
	acks := make([][]place, w.senders)
	var senders sync.WaitGroup
	for s := range w.senders {
		acks[s] = make([]place, w.perSender)
		senders.Go(func() {
			value := make([]byte, valueSize)
			for n := range w.perSender {
				w.value(value, s, n)
				p.Send(ctx, bytesRecord{Topic: topic, Key: w.key(s, n), Value: value}, func(md producer.RecordMetadata, err error) {
					if err != nil || acks[s][n] != (place{}) {
						t.Errorf("record %d of sender %d: error %v, acknowledged before at %v", n, s, err, acks[s][n])
					}
					acks[s][n] = place{md.Partition, md.Offset}
					acked.Add(1)
				})
			}
		})
	}
	senders.Wait()
	require.NoError(t, p.Flush(ctx))
	require.Equal(t, w.records(), int(acked.Load()), "callbacks")
	return acks
}

// checkReadback audits what franz-go reads; franz-go's hash of the keys, which is
// not ours, says where they belong.
func checkReadback(t *testing.T, bootstrap []string, topic string, w *workload, acks [][]place) {
	t.Helper()
	byPartition := readback.All(t, bootstrap, topic)
	partitioner := kgo.StickyKeyPartitioner(nil).ForTopic(topic)
	places := make([]int32, len(w.keys))
	for i, key := range w.keys[1:] {
		places[i+1] = int32(partitioner.Partition(&kgo.Record{Key: key}, len(byPartition)))
	}
	a := newAudit(w, places, acks)
	for p := range int32(len(byPartition)) {
		for _, r := range byPartition[p] {
			a.record(place{r.Partition, r.Offset}, r.Key, r.Value)
		}
	}
	require.NoError(t, a.verdict())
}

func TestFake_PartitionsFor(t *testing.T) {
	c := fake.Start(t, kfake.NumBrokers(3), kfake.SeedTopics(5, "t"))
	p := newProducer(t, producer.NewConfig(c.ListenAddrs()...))
	partitions, err := p.PartitionsFor(within(t, 10*time.Second), "t")
	require.NoError(t, err)
	require.Len(t, partitions, 5)
	for i, info := range partitions {
		assert.Equal(t, producer.TopicPartition{Topic: "t", Partition: int32(i)}, info.TopicPartition)
		assert.Equal(t, c.LeaderFor("t", int32(i)), info.Leader)
	}
}
