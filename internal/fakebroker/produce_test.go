package fakebroker_test

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

var oneTopic = []fakebroker.Option{fakebroker.Nodes(2), fakebroker.Topic("t", 2)}

func TestProduce_KeepsRecordsInOrder(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		assert.EqualValues(t, 0, b1.produce("t", 0, batch(record.Stamp{}, "a", "b")).BaseOffset)
		assert.EqualValues(t, 2, b1.produce("t", 0, batch(record.Stamp{}, "c")).BaseOffset)

		assert.Equal(t, []string{"a", "b", "c"}, values(c, "t", 0))
		second := c.Log("t", 0)[1]
		assert.Equal(t, fakebroker.Record{Offset: 1, Timestamp: 1001, Key: []byte("k"), Value: []byte("b"),
			Headers: []record.Header{{Key: "h", Value: []byte{1}}}}, second)
		assert.EqualValues(t, 2, c.Batches("t", 0)[1].BaseOffset)
	})
}

func TestProduce_EveryVersionIsAnswered(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		low, high := protocol.Produce.Versions()
		for v := low; v <= high; v++ {
			request := produceRequest("t", 0, batch(record.Stamp{}, "x"))
			request.Topics[0].TopicID = c.TopicID("t")
			var response protocol.ProduceResponse
			b1.ask(request, &response, v)
			assert.Equal(t, none, response.Topics[0].Partitions[0].ErrorCode, "version %d", v)
		}
		assert.Len(t, c.Log("t", 0), int(high-low)+1)
	})
}

func TestProduce_RefusesWhatABrokerRefuses(t *testing.T) {
	flip := func(b []byte, at int) []byte { b[at] ^= 1; return b }
	fixed := func(b []byte, at int, with byte) []byte { b[at] = with; return b }
	tests := []struct {
		name  string
		topic string
		index int32
		batch []byte
		want  errcode.Code
	}{
		{"unknown topic", "nope", 0, batch(record.Stamp{}, "a"), errcode.UnknownTopicOrPartition},
		{"unknown partition", "t", 9, batch(record.Stamp{}, "a"), errcode.UnknownTopicOrPartition},
		{"negative partition", "t", -1, batch(record.Stamp{}, "a"), errcode.UnknownTopicOrPartition},
		{"led elsewhere", "t", 1, batch(record.Stamp{}, "a"), errcode.NotLeaderOrFollower},
		{"damaged", "t", 0, flip(batch(record.Stamp{}, "a"), 70), errcode.CorruptMessage},
		{"other magic", "t", 0, fixed(batch(record.Stamp{}, "a"), 16, 1), errcode.CorruptMessage},
		{"cut off", "t", 0, batch(record.Stamp{}, "a")[:65], errcode.CorruptMessage},
		{"two batches", "t", 0, append(batch(record.Stamp{}, "a"), batch(record.Stamp{}, "b")...), errcode.InvalidRecord},
		{"empty", "t", 0, nil, errcode.CorruptMessage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
				got := dial(t, c, "b1:9092").produce(tt.topic, tt.index, tt.batch)
				assert.Equal(t, tt.want, got.ErrorCode)
				assert.EqualValues(t, -1, got.BaseOffset)
				assert.Empty(t, c.Log("t", 0))
			})
		})
	}
}

func TestProduce_NotLeader_NamesTheLeader(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		c.SetLeader("t", 0, 2, 5)
		var response protocol.ProduceResponse
		dial(t, c, "b1:9092").ask(produceRequest("t", 0, batch(record.Stamp{}, "a")), &response, 10)
		assert.Equal(t, protocol.LeaderIDAndEpoch{LeaderID: 2, LeaderEpoch: 5}, response.Topics[0].Partitions[0].CurrentLeader)
		assert.Equal(t, []protocol.NodeEndpoint{{NodeID: 2, Host: "b2", Port: 9092}}, response.NodeEndpoints)
	})
}

func TestProduce_Acks0_IsNotAnswered(t *testing.T) {
	inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
		b1 := dial(t, c, "b1:9092")
		request := produceRequest("t", 0, batch(record.Stamp{}, "a"))
		request.Acks = 0
		b1.send(request, 9)
		var versions protocol.ApiVersionsResponse
		b1.ask(&protocol.ApiVersionsRequest{ClientSoftwareName: "x", ClientSoftwareVersion: "1"}, &versions, 3)
		assert.Len(t, c.Log("t", 0), 1)

		request.Topics[0].Name = "nope"
		b1.send(request, 9)
		assert.ErrorIs(t, b1.receive(new(protocol.ProduceResponse), 9), io.EOF, "hanging up is the only way to refuse")
	})
}

func TestProduce_HoldsProducersToTheirSequences(t *testing.T) {
	type step struct {
		epoch    int16
		sequence int32
		records  int
		code     errcode.Code
		offset   int64
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"in order", []step{{0, 0, 2, none, 0}, {0, 2, 1, none, 2}}},
		{"gap", []step{{0, 0, 2, none, 0}, {0, 3, 1, errcode.OutOfOrderSequenceNumber, -1}, {0, 2, 1, none, 2}}},
		{"duplicate keeps its offset", []step{{0, 0, 2, none, 0}, {0, 2, 1, none, 2}, {0, 0, 2, none, 0}, {0, 3, 1, none, 3}}},
		{"same start, other end", []step{{0, 0, 2, none, 0}, {0, 0, 1, errcode.OutOfOrderSequenceNumber, -1}}},
		{"only five are remembered", []step{{0, 0, 1, none, 0}, {0, 1, 1, none, 1}, {0, 2, 1, none, 2}, {0, 3, 1, none, 3},
			{0, 4, 1, none, 4}, {0, 0, 1, none, 0}, {0, 5, 1, none, 5}, {0, 0, 1, errcode.OutOfOrderSequenceNumber, -1},
			{0, 1, 1, none, 1}}},
		{"new epoch begins at 0", []step{{0, 0, 1, none, 0}, {1, 1, 1, errcode.OutOfOrderSequenceNumber, -1}, {1, 0, 1, none, 1}}},
		{"older epoch", []step{{1, 0, 1, none, 0}, {0, 1, 1, errcode.InvalidProducerEpoch, -1}}},
		{"unknown producer begins anywhere", []step{{0, 40, 1, none, 0}, {0, 41, 1, none, 1}}},
		{"wraps", []step{{0, math.MaxInt32 - 1, 3, none, 0}, {0, 1, 1, none, 3}}},
		{"wraps between batches", []step{{0, math.MaxInt32, 1, none, 0}, {0, 0, 1, none, 1}}},
	}
	three := []string{"a", "b", "c"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, oneTopic, func(t *testing.T, c *fakebroker.Cluster) {
				b1 := dial(t, c, "b1:9092")
				for i, s := range tt.steps {
					got := b1.produce("t", 0, batch(sequenced(s.epoch, s.sequence), three[:s.records]...))
					assert.Equal(t, s.code, got.ErrorCode, "step %d", i)
					assert.Equal(t, s.offset, got.BaseOffset, "step %d", i)
				}
			})
		})
	}
}
