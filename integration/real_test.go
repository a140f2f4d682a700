// real_test.go is about real Kafka beyond the main job: what Java reads of
// records of every shape, and a cluster that loses a node.

package integration

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/kafka/judge"
)

func TestRealKafka_RecordsOfEveryShape_AsJavaReadsThem(t *testing.T) {
	const topic = "shapes"
	c := shared.Cluster(t)
	c.CreateTopic(t, topic, 1)
	p := newProducer(t, producer.NewConfig(c.Bootstrap()...))
	at := time.UnixMilli(1_700_000_000_123)
	sent := []bytesRecord{
		{Key: nil, Value: nil},
		{Key: []byte{}, Value: []byte{}},
		{Key: []byte("k"), Tombstone: true},
		{Key: []byte{0, 0xff}, Value: make([]byte, 900_000)},
		{Value: []byte("headers"), Headers: producer.Headers{{Key: "a", Value: []byte("1")}, {Key: "a"}, {Key: "", Value: []byte{}}}},
		{Value: []byte("epoch"), Timestamp: time.UnixMilli(0)},
	}
	ctx := within(t, time.Minute)
	var futures []producer.Future
	for _, r := range sent {
		r.Topic = topic
		if r.Timestamp.IsZero() {
			r.Timestamp = at
		}
		futures = append(futures, p.Send(ctx, r, nil))
	}
	require.NoError(t, p.Flush(ctx))
	for i, f := range futures {
		md, err := f.Get(ctx)
		require.NoError(t, err)
		assert.Equal(t, int64(i), md.Offset)
	}

	var got []judge.Record
	judge.Read(t, c, topic, judge.Uncommitted, func(r judge.Record) {
		r.Key, r.Value = slices.Clone(r.Key), slices.Clone(r.Value)
		got = append(got, r)
	})
	require.Len(t, got, len(sent))
	for i, r := range got {
		assert.Equal(t, int64(i), r.Offset)
		assert.Equal(t, sent[i].Key, r.Key, "key of record %d", i)
		assert.Equal(t, sent[i].Value, r.Value, "value of record %d", i)
	}
	assert.Equal(t, at.UnixMilli(), got[0].Timestamp)
	assert.Equal(t, int64(0), got[5].Timestamp)
	assert.Equal(t, []judge.Header{{Key: "a", Value: []byte("1")}, {Key: "a"}, {Key: "", Value: []byte{}}}, got[4].Headers)
	assert.Empty(t, c.DumpLog(t, topic).Invalid)
}

func TestRealKafka_ThreeNodes_OneKilledUnderLoad(t *testing.T) {
	const topic, partitions = "copied", 12
	c := kafka.Start(t, kafka.Options{
		Nodes: 3, Topics: map[string]int{topic: partitions},
		Config: map[string]string{
			"broker.session.timeout.ms": "5000", // after which others lead what the killed node led
		},
	})
	p := newProducer(t, producer.NewConfig(c.Bootstrap()...))
	w := newWorkload(4, 100_000, 1000, 3)

	var acked atomic.Int32
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for acked.Load() < int32(w.records()/4) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		c.Node(2).Kill(t)
	}()
	begun := time.Now()
	acks := sendCounted(t, p, topic, w, &acked)
	<-killed
	t.Logf("sent and flushed after %v", time.Since(begun).Round(time.Millisecond))

	a := newAudit(w, javaPlaces(t, c.Java(), w.keys, partitions), acks)
	judge.Read(t, c, topic, judge.Uncommitted, func(r judge.Record) {
		a.record(place{r.Partition, r.Offset}, r.Key, r.Value)
	})
	assert.NoError(t, a.verdict())
}
