// cluster.go owns what is not the producer: the fake cluster, and the consumer
// that proves what was written. Both come from franz-go.

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// startFake starts three brokers inside of this process.
func startFake() (*kfake.Cluster, error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		return nil, fmt.Errorf("start the fake cluster: %w", err)
	}
	return c, nil
}

// reader reads a topic from the end it had when the reader was opened.
type reader struct{ client *kgo.Client }

// openReader creates the topic if it is missing and notes where it ends.
func openReader(ctx context.Context, servers []string, topic string) (*reader, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(servers...))
	if err != nil {
		return nil, err
	}
	admin := kadm.NewClient(client)
	// -1: as many copies as the broker makes by default.
	if _, err := admin.CreateTopic(ctx, 3, -1, nil, topic); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		client.Close()
		return nil, fmt.Errorf("create topic %s: %w", topic, err)
	}
	ends, err := endOffsets(ctx, admin, topic)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("look up the end of topic %s: %w", topic, err)
	}
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: ends})
	return &reader{client}, nil
}

// endOffsets waits until every partition of a topic, which may be brand-new, has
// a leader that knows its end.
func endOffsets(ctx context.Context, admin *kadm.Client, topic string) (map[int32]kgo.Offset, error) {
	for {
		listed, err := admin.ListEndOffsets(ctx, topic)
		if err == nil {
			err = listed.Error()
		}
		if err == nil {
			return listed.KOffsets()[topic], nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// readAll reads n records and makes sure that each of this run's values is there
// once. It returns how many it read.
func (r *reader) readAll(ctx context.Context, n int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	seen := make(map[string]bool, n)
	for len(seen) < n {
		fetches := r.client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return len(seen), fmt.Errorf("read back: %d of %d records came: %w", len(seen), n, err)
		}
		for _, e := range fetches.Errors() {
			return len(seen), fmt.Errorf("read back %s-%d: %w", e.Topic, e.Partition, e.Err)
		}
		for rec := range fetches.RecordsAll() {
			value := string(rec.Value)
			if seen[value] {
				return len(seen), fmt.Errorf("read back: %q is there twice", value)
			}
			seen[value] = true
		}
	}
	for i := range n {
		if want := record("", i).Value; !seen[want] {
			return len(seen), fmt.Errorf("read back: %q is missing", want)
		}
	}
	return len(seen), nil
}

func (r *reader) close() { r.client.Close() }
