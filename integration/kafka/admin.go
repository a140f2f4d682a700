// admin.go owns what a test asks of a cluster through the admin protocol.

package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CreateTopic creates a topic, copied to up to three nodes, and returns when
// every node knows a leader for each partition.
func (c *Cluster) CreateTopic(t testing.TB, topic string, partitions int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyTime)
	defer cancel()
	if err := c.createTopic(ctx, topic, partitions); err != nil {
		t.Fatal(err)
	}
}

func (c *Cluster) createTopic(ctx context.Context, topic string, partitions int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...), kgo.DisableClientMetrics())
	if err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	defer client.Close()
	copies := int16(-1) // the broker's default.replication.factor
	if c.zookeeper != nil {
		copies = int16(min(len(c.nodes), 3)) // releases before 2.4 want a number
	}
	if _, err := kadm.NewClient(client).CreateTopic(ctx, int32(partitions), copies, nil, topic); err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	for _, n := range c.nodes {
		if n.process.exited() {
			continue
		}
		if err := n.awaitLeaders(ctx, topic, partitions); err != nil {
			return fmt.Errorf("create topic %s: node %d: %w", topic, n.id, err)
		}
	}
	return nil
}

// awaitLeaders returns when the node knows a leader for every partition.
func (n *Node) awaitLeaders(ctx context.Context, topic string, partitions int) error {
	seed, closeSeed, err := n.connect()
	if err != nil {
		return err
	}
	defer closeSeed()
	for {
		led, err := leaders(ctx, seed, topic)
		if led == partitions {
			return nil
		}
		if pollErr := pollPause(ctx, 20*time.Millisecond); pollErr != nil {
			return fmt.Errorf("%w: %d of %d partitions have a leader (%w)", pollErr, led, partitions, err)
		}
	}
}

// leaders counts the partitions of a topic that have a leader.
func leaders(ctx context.Context, seed *kgo.Broker, topic string) (int, error) {
	md, err := metadataOf(ctx, seed, topic)
	if err != nil {
		return 0, err
	}
	led := 0
	for _, t := range md.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode == 0 && p.Leader >= 0 {
				led++
			}
		}
	}
	return led, kerr.ErrorForCode(md.Topics[0].ErrorCode)
}

// connect returns a way to ask this very node, not just any of the cluster.
func (n *Node) connect() (seed *kgo.Broker, closeSeed func(), err error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(n.Address()), kgo.DisableClientMetrics())
	if err != nil {
		return nil, nil, err
	}
	return client.SeedBrokers()[0], client.Close, nil
}

// metadataOf asks a node for the cluster's nodes and the given topics. It goes
// past the client's cache of metadata.
func metadataOf(ctx context.Context, seed *kgo.Broker, topics ...string) (*kmsg.MetadataResponse, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil would be all
	for _, topic := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req.Topics = append(req.Topics, t)
	}
	return req.RequestWith(ctx, seed)
}
