// Package readback reads topics with franz-go's consumer, as an opinion on what
// was written that does not depend on the producer under test.
package readback

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// readTime bounds the reading of one topic.
const readTime = time.Minute

// All returns the records a topic has when the call starts, by partition, each
// in the order of its offsets.
func All(t testing.TB, bootstrap []string, topic string) map[int32][]*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readTime)
	defer cancel()
	records, err := all(ctx, bootstrap, topic)
	if err != nil {
		t.Fatalf("read topic %s back: %v", topic, err)
	}
	return records
}

// Flat returns the records of All in one slice, partition by partition.
func Flat(t testing.TB, bootstrap []string, topic string) []*kgo.Record {
	t.Helper()
	var flat []*kgo.Record
	byPartition := All(t, bootstrap, topic)
	for p := range int32(len(byPartition)) {
		flat = append(flat, byPartition[p]...)
	}
	return flat
}

func all(ctx context.Context, bootstrap []string, topic string) (map[int32][]*kgo.Record, error) {
	ends, err := endOffsets(ctx, bootstrap, topic)
	if err != nil {
		return nil, err
	}
	starts := make(map[int32]kgo.Offset, len(ends))
	records := make(map[int32][]*kgo.Record, len(ends))
	missing := 0 // partitions whose end is not reached
	for p, end := range ends {
		records[p] = nil
		if end > 0 {
			starts[p] = kgo.NewOffset().AtStart()
			missing++
		}
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(bootstrap...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: starts}),
		kgo.FetchMaxWait(100*time.Millisecond),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	for missing > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return nil, err
		}
		for _, e := range fetches.Errors() {
			return nil, fmt.Errorf("partition %d: %w", e.Partition, e.Err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset < ends[r.Partition] {
				records[r.Partition] = append(records[r.Partition], r)
			}
			if r.Offset == ends[r.Partition]-1 {
				missing--
			}
		})
	}
	return records, nil
}

// endOffsets returns each partition's end.
func endOffsets(ctx context.Context, bootstrap []string, topic string) (map[int32]int64, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap...))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	listed, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	if err := listed.Error(); err != nil {
		return nil, err
	}
	ends := make(map[int32]int64)
	listed.Each(func(o kadm.ListedOffset) { ends[o.Partition] = o.Offset })
	return ends, nil
}
