// judge_test.go proves the judges with franz-go as the producer and with known
// hashes, so that a later disagreement is the producer's.

package judge_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/kafka/judge"
)

var shared kafka.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

func TestRead_TellsNullFromEmptyAndKeepsHeaders(t *testing.T) {
	c := shared.Cluster(t)
	c.CreateTopic(t, "shapes", 1)
	at := time.UnixMilli(1_700_000_000_123)
	produce(t, c,
		&kgo.Record{Topic: "shapes", Timestamp: at},
		&kgo.Record{Topic: "shapes", Key: []byte{}, Value: []byte{}, Timestamp: at},
		&kgo.Record{Topic: "shapes", Key: []byte{0, 255}, Value: []byte("v"), Timestamp: at, Headers: []kgo.RecordHeader{
			{Key: "a", Value: []byte("1")}, {Key: "a", Value: nil}, {Key: "", Value: []byte{}},
		}},
	)

	var got []judge.Record
	judge.Read(t, c, "shapes", judge.Uncommitted, func(r judge.Record) {
		got = append(got, judge.Record{
			Partition: r.Partition, Offset: r.Offset, Timestamp: r.Timestamp,
			Key: clone(r.Key), Value: clone(r.Value), Headers: r.Headers,
		})
	})
	assert.Equal(t, []judge.Record{
		{Offset: 0, Timestamp: at.UnixMilli()},
		{Offset: 1, Timestamp: at.UnixMilli(), Key: []byte{}, Value: []byte{}},
		{Offset: 2, Timestamp: at.UnixMilli(), Key: []byte{0, 255}, Value: []byte("v"), Headers: []judge.Header{
			{Key: "a", Value: []byte("1")}, {Key: "a", Value: nil}, {Key: "", Value: []byte{}},
		}},
	}, got)
}

func TestRead_ReachesTheEndOfManyPartitions(t *testing.T) {
	c := shared.Cluster(t)
	c.CreateTopic(t, "many", 12)
	const records = 50_000
	all := make([]*kgo.Record, records)
	for i := range all {
		all[i] = &kgo.Record{Topic: "many", Key: fmt.Append(nil, i), Value: fmt.Append(nil, "value ", i)}
	}
	produce(t, c, all...)

	seen := make(map[string]bool, records)
	judge.Read(t, c, "many", judge.Committed, func(r judge.Record) {
		seen[string(r.Key)+" "+string(r.Value)] = true
	})
	assert.Len(t, seen, records)
	assert.True(t, seen["49999 value 49999"])
}

func TestPartitions_GivesKnownHashes(t *testing.T) {
	keys := [][]byte{[]byte("21"), []byte("foobar"), {}, []byte("foo"), {0}, {0xff, 0xfe, 0xfd}, []byte("ключ")}
	placements := judge.Partitions(t, kafka.JavaFor(t, ""), keys, 12)
	var hashes []int32
	for _, p := range placements {
		hashes = append(hashes, p.Hash)
	}
	assert.Equal(t, []int32{-973932308, -790332482, 275646681, 597841616, 375494588, 998637092, 2122343024}, hashes)
	assert.Equal(t, int32(8), placements[3].Partition, "foo of 12")
	assert.Equal(t, int32(9), placements[2].Partition, "the empty key of 12")
}

// produce writes the records with franz-go and waits until all are there.
func produce(t *testing.T, c *kafka.Cluster, records ...*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...))
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, client.ProduceSync(ctx, records...).FirstErr())
}

func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}
