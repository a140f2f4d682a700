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

// deleteWait is how long the topic may take to be deleted, even if the measurement was interrupted.
const deleteWait = 5 * time.Second

type kafkaBroker struct {
	bootstrap string
	admin     *kgo.Client
	topic     string // empty: not made yet
}

func connect(bootstrap string) (*kafkaBroker, error) {
	k, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	return &kafkaBroker{bootstrap: bootstrap, admin: k}, nil
}

func (b *kafkaBroker) address() string { return b.bootstrap }

func (b *kafkaBroker) prepare(ctx context.Context, topic string) error {
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
	b.topic = topic
	return b.touch(ctx)
}

// touch writes a record to each partition. It waits until their leaders are there, and spares the first client what a
// broker does before it writes to a partition for the first time.
func (b *kafkaBroker) touch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, topicWait)
	defer cancel()
	records := make([]*kgo.Record, topicPartitions)
	for i := range records {
		records[i] = &kgo.Record{Topic: b.topic, Partition: int32(i)}
	}
	if err := b.admin.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("waiting for the leaders of %s: %w", b.topic, err)
	}
	return nil
}

// received sums the end offsets.
func (b *kafkaBroker) received(ctx context.Context) (sink.Stats, error) {
	q := kmsg.NewPtrListOffsetsRequest()
	q.ReplicaID = -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = b.topic
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
	if errs != nil {
		errs = fmt.Errorf("end offsets of %s: %w", b.topic, errs)
	}
	return st, errs
}

func (b *kafkaBroker) close() error {
	defer b.admin.Close()
	if b.topic == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteWait)
	defer cancel()
	q := kmsg.NewPtrDeleteTopicsRequest()
	q.TopicNames = []string{b.topic}
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = &b.topic
	q.Topics = append(q.Topics, t)
	if _, err := q.RequestWith(ctx, b.admin); err != nil {
		return fmt.Errorf("deleting %s: %w", b.topic, err)
	}
	return nil
}
