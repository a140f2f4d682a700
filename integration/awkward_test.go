// awkward_test.go is about records that break encoders: each codec carries 200,000
// of them to real Kafka, and Java's consumer must read what was sent.

package integration

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/kafka/judge"
)

const (
	awkwardRecords    = 200_000
	awkwardPartitions = 6
	mebibyte          = 1 << 20
)

// awkward is record number i: the same one each time it is asked for.
func awkward(topic string, i int) bytesRecord {
	rng := rand.New(rand.NewPCG(uint64(i), 20261129))
	r := bytesRecord{
		Topic:     topic,
		Partition: producer.ToPartition(int32(i % awkwardPartitions)),
		Key:       awkwardBytes(rng, i%4 < 2, 40),
		Value:     awkwardBytes(rng, i%2 == 0, 200),
		Timestamp: time.UnixMilli(1_700_000_000_000 + rng.Int64N(1e9) - 5e8), // out of order
	}
	switch {
	case i%20_000 == 7:
		r.Value = make([]byte, mebibyte)
		for j := range r.Value {
			r.Value[j] = byte(rng.Uint32() & 0x3f)
		}
	case i%7 == 0:
		for h := range rng.IntN(5) + 1 {
			r.Headers = append(r.Headers, producer.Header{
				Key:   []string{"", "trace", "trace", "ключ"}[rng.IntN(4)],
				Value: awkwardBytes(rng, h%2 == 0, 30),
			})
		}
	}
	return r
}

// awkwardBytes is null or empty, or else up to n bytes that compress a little.
func awkwardBytes(rng *rand.Rand, full bool, n int) []byte {
	switch {
	case !full && rng.IntN(2) == 0:
		return nil
	case !full:
		return []byte{}
	}
	b := make([]byte, 1+rng.IntN(n))
	for i := range b {
		b[i] = byte(rng.Uint32()) & 0x8f
	}
	return b
}

func TestRealKafka_AwkwardRecords_EachCodec(t *testing.T) {
	c := kafka.Start(t, kafka.Options{Nodes: 1, Config: map[string]string{"message.max.bytes": fmt.Sprint(2 * mebibyte)}})
	for _, codec := range []producer.Compression{
		producer.CompressionNone, producer.CompressionGzip, producer.CompressionSnappy, producer.CompressionLZ4, producer.CompressionZstd,
	} {
		t.Run(string(codec), func(t *testing.T) {
			topic := "awkward-" + string(codec)
			c.CreateTopic(t, topic, awkwardPartitions)
			sent := sendAwkward(t, c, topic, codec)

			read, wrong := 0, 0
			judge.Read(t, c, topic, judge.Uncommitted, func(r judge.Record) {
				read++
				i, ok := sent[place{r.Partition, r.Offset}]
				if !ok || !sameAsSent(awkward(topic, i), r) {
					if wrong++; wrong <= 3 {
						t.Errorf("record %d, partition %d, offset %d: not what was sent", i, r.Partition, r.Offset)
					}
				}
			})
			assert.Equal(t, awkwardRecords, read)
			assert.Zero(t, wrong)
			assert.Empty(t, c.DumpLog(t, topic).Invalid)
		})
	}
}

// sendAwkward sends all of them and returns which one is where.
func sendAwkward(t *testing.T, c *kafka.Cluster, topic string, codec producer.Compression) map[place]int {
	t.Helper()
	cfg := producer.NewConfig(c.Bootstrap()...)
	cfg.Compression, cfg.MaxRequestSize = codec, 2*mebibyte
	p := newProducer(t, cfg)
	ctx := within(t, 2*time.Minute)
	sent := make(map[place]int, awkwardRecords)
	failed := 0
	for i := range awkwardRecords {
		p.Send(ctx, awkward(topic, i), func(md producer.RecordMetadata, err error) {
			if err != nil {
				if failed++; failed <= 3 {
					t.Errorf("record %d: %v", i, err)
				}
			}
			sent[place{md.Partition, md.Offset}] = i
		})
	}
	require.NoError(t, p.Flush(ctx))
	require.Zero(t, failed)
	require.Len(t, sent, awkwardRecords)
	return sent
}

// sameAsSent compares with what Java read. Null and empty are not the same.
func sameAsSent(want bytesRecord, got judge.Record) bool {
	same := func(a, b []byte) bool { return (a == nil) == (b == nil) && string(a) == string(b) }
	if !same(want.Key, got.Key) || !same(want.Value, got.Value) || want.Timestamp.UnixMilli() != got.Timestamp ||
		len(want.Headers) != len(got.Headers) {
		return false
	}
	for i, h := range want.Headers {
		if h.Key != got.Headers[i].Key || !same(h.Value, got.Headers[i].Value) {
			return false
		}
	}
	return true
}
