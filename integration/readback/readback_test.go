// readback_test.go proves the reader with franz-go as the producer.

package readback_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer/integration/fake"
	"github.com/kafka-go-producer/producer/integration/readback"
)

func TestFlat_ReturnsEveryRecordInOrder(t *testing.T) {
	c := fake.Start(t, kfake.NumBrokers(3), kfake.SeedTopics(4, "all", "none"))
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer client.Close()
	const records = 1000
	for i := range records {
		r := &kgo.Record{Topic: "all", Partition: int32(i % 3), Value: fmt.Append(nil, i)} // partition 3 stays empty
		require.NoError(t, client.ProduceSync(t.Context(), r).FirstErr())
	}

	byPartition := readback.All(t, c.ListenAddrs(), "all")
	assert.Len(t, byPartition, 4)
	assert.Empty(t, byPartition[3])
	assert.Len(t, byPartition[1], 333)
	for i, r := range byPartition[2] {
		assert.Equal(t, fmt.Append(nil, 3*i+2), r.Value)
	}
	assert.Len(t, readback.Flat(t, c.ListenAddrs(), "all"), records)
	assert.Empty(t, readback.Flat(t, c.ListenAddrs(), "none"))
}
