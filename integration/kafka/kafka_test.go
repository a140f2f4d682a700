// kafka_test.go proves the runner against real nodes, with franz-go as the
// client; it is skipped without KAFKA_TESTS=real.

package kafka_test

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
)

var shared kafka.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

func TestCluster_CreateTopic_TakesRecordsTheDumpFindsValid(t *testing.T) {
	c := shared.Cluster(t)
	c.CreateTopic(t, "dumped", 3)
	client := newClient(t, c)

	const records = 1000
	produce(t, client, "dumped", records)

	dump := c.DumpLog(t, "dumped")
	assert.Equal(t, records, dump.Records)
	assert.Equal(t, records, dump.Counted)
	assert.Positive(t, dump.Batches)
	assert.Empty(t, dump.Invalid)
}

func TestNode_Pause_AnswersNothingUntilResume(t *testing.T) {
	c := shared.Cluster(t)
	c.CreateTopic(t, "paused", 1)
	client := newClient(t, c)
	produce(t, client, "paused", 1)

	c.Node(1).Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	assert.Error(t, client.Ping(ctx), "a paused node answered")

	c.Node(1).Resume(t)
	produce(t, client, "paused", 1)
}

func TestNode_Restart_KeepsDataAfterStopAndKill(t *testing.T) {
	c := kafka.Start(t, kafka.Options{Topics: map[string]int{"kept": 2}, Config: map[string]string{
		// A killed node may come back when its old registration has run out.
		"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "200",
	}})
	client := newClient(t, c)
	produce(t, client, "kept", 100)

	c.Node(1).Kill(t)
	c.Node(1).Restart(t)
	produce(t, client, "kept", 100)

	c.Node(1).Stop(t)
	c.Node(1).Restart(t)
	produce(t, client, "kept", 100)

	dump := c.DumpLog(t, "kept")
	assert.Empty(t, dump.Invalid)
	assert.Equal(t, 300, dump.Records)
}

func newClient(t *testing.T, c *kafka.Cluster) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Bootstrap()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func produce(t *testing.T, client *kgo.Client, topic string, n int) {
	t.Helper()
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Key: fmt.Append(nil, "k", i), Value: fmt.Append(nil, "v", i)}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, client.ProduceSync(ctx, records...).FirstErr())
}
