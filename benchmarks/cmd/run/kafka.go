package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

// kafka.go owns a real broker, which an independent client administers.

// topicWait is how long a new topic may take to get its leaders.
const topicWait = 10 * time.Second

type kafkaBroker struct {
	bootstrap string
	admin     *kgo.Client
	before    int64 // records of the topic that are not the client's
}

func connect(bootstrap string) (*kafkaBroker, error) {
	k, err := kgo.NewClient(kgo.SeedBrokers(bootstrap),
		kgo.MetadataMinAge(100*time.Millisecond), // topics are new each time
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	return &kafkaBroker{bootstrap: bootstrap, admin: k}, nil
}

func (b *kafkaBroker) address() string { return b.bootstrap }

func (b *kafkaBroker) close() error {
	b.admin.Close()
	return nil
}

func (b *kafkaBroker) begin(ctx context.Context, topic string) error {
	q := kmsg.NewPtrCreateTopicsRequest()
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, topicPartitions, -1 // the broker's default
	q.Topics = append(q.Topics, t)
	r, err := q.RequestWith(ctx, b.admin)
	if err != nil {
		return fmt.Errorf("making %s: %w", topic, err)
	}
	for _, t := range r.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return fmt.Errorf("making %s: %w", topic, err)
		}
	}
	return b.touch(ctx, topic)
}

// touch writes a record to each partition. It waits until their leaders are there, and spares the client what a broker
// does before it writes to a partition for the first time: files are made and synced then, tens of milliseconds each,
// which would be charged to clients by how many partitions they happen to use.
func (b *kafkaBroker) touch(ctx context.Context, topic string) error {
	ctx, cancel := context.WithTimeout(ctx, topicWait)
	defer cancel()
	records := make([]*kgo.Record, topicPartitions)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: int32(i)}
	}
	if err := b.admin.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("waiting for the leaders of %s: %w", topic, err)
	}
	b.before = int64(len(records))
	return nil
}

// received sums the end offsets.
func (b *kafkaBroker) received(ctx context.Context, topic string) (sink.Stats, error) {
	q := kmsg.NewPtrListOffsetsRequest()
	q.ReplicaID = -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	for i := range int32(topicPartitions) {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = i, -1 // the end
		t.Partitions = append(t.Partitions, p)
	}
	q.Topics = append(q.Topics, t)
	var st sink.Stats
	var errs error
	for _, shard := range b.admin.RequestSharded(ctx, q) {
		if shard.Err != nil {
			errs = errors.Join(errs, shard.Err)
			continue
		}
		r, ok := shard.Resp.(*kmsg.ListOffsetsResponse)
		if !ok {
			continue
		}
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				errs = errors.Join(errs, kerr.ErrorForCode(p.ErrorCode))
				st.Records += max(p.Offset, 0)
			}
		}
	}
	st.Records -= b.before
	if errs != nil {
		errs = fmt.Errorf("end offsets of %s: %w", topic, errs)
	}
	return st, errs
}

func (b *kafkaBroker) end(ctx context.Context, topic string) error {
	q := kmsg.NewPtrDeleteTopicsRequest()
	q.TopicNames = []string{topic}
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = &topic
	q.Topics = append(q.Topics, t)
	if _, err := q.RequestWith(ctx, b.admin); err != nil {
		return fmt.Errorf("deleting %s: %w", topic, err)
	}
	return nil
}
