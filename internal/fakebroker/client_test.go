package fakebroker_test

// This file owns the tests' side of the protocol: one request, one answer, no pipelining.

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

// client is a connection to one node.
type client struct {
	t           *testing.T
	wire        net.Conn
	correlation int32
}

// inBubble runs a test against a cluster of its own in a synctest bubble.
func inBubble(t *testing.T, options []fakebroker.Option, test func(t *testing.T, c *fakebroker.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := fakebroker.New(options...)
		defer c.Close()
		test(t, c)
	})
}

func dial(t *testing.T, c *fakebroker.Cluster, address string) *client {
	t.Helper()
	wire, err := c.Dial(context.Background(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = wire.Close() })
	return &client{t: t, wire: wire}
}

// send writes a request and returns its correlation id.
func (c *client) send(m protocol.Message, version int16) int32 {
	c.t.Helper()
	c.correlation++
	_, err := c.wire.Write(c.frame(m, version))
	require.NoError(c.t, err)
	return c.correlation
}

func (c *client) frame(m protocol.Message, version int16) []byte {
	frame := protocol.AppendRequestHeader(make([]byte, 4), m.Key(), version, c.correlation, "test")
	frame = protocol.Append(frame, m, version)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// receive reads the answer to the last request; io.EOF and the like when the broker hangs up.
func (c *client) receive(m protocol.Message, version int16) error {
	var size [4]byte
	if _, err := io.ReadFull(c.wire, size[:]); err != nil {
		return err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c.wire, frame); err != nil {
		return err
	}
	correlation, body, err := protocol.ReadResponseHeader(frame, m.Key(), version)
	if err != nil {
		return err
	}
	require.Equal(c.t, c.correlation, correlation)
	if versions, ok := m.(*protocol.ApiVersionsResponse); ok {
		return protocol.DecodeApiVersions(body, version, versions)
	}
	return protocol.Decode(body, m, version)
}

// ask sends a request and receives its answer.
func (c *client) ask(request, response protocol.Message, version int16) {
	c.t.Helper()
	c.send(request, version)
	require.NoError(c.t, c.receive(response, version))
}

// produce sends one batch in version 9 and returns the outcome.
func (c *client) produce(topic string, index int32, b []byte) protocol.ProduceResponsePartition {
	c.t.Helper()
	var response protocol.ProduceResponse
	c.ask(produceRequest(topic, index, b), &response, 9)
	return response.Topics[0].Partitions[0]
}

func produceRequest(topic string, index int32, b []byte) *protocol.ProduceRequest {
	return &protocol.ProduceRequest{Acks: -1, TimeoutMs: 1000, Topics: []protocol.ProduceRequestTopic{{
		Name:       topic,
		Partitions: []protocol.ProduceRequestPartition{{Index: index, Records: protocol.Records{Chunks: [][]byte{b}}}},
	}}}
}

// batch builds a batch of values. The stamp's zero producer id stands for none.
func batch(stamp record.Stamp, values ...string) []byte {
	if stamp.ProducerID == 0 {
		stamp = record.NoProducer()
	}
	var b record.Builder
	b.Open(make([]byte, 4096))
	for i, v := range values {
		if _, ok := b.TryAppend(4096, int64(1000+i), []byte("k"), []byte(v), []record.Header{{Key: "h", Value: []byte{byte(i)}}}); !ok {
			panic("the test's batch does not fit")
		}
	}
	b.Seal(stamp)
	var flat []byte
	for _, chunk := range b.AppendChunks(nil) {
		flat = append(flat, chunk...)
	}
	return flat
}

// sequenced is the stamp of an idempotent producer.
func sequenced(epoch int16, sequence int32) record.Stamp {
	return record.Stamp{ProducerID: 7, ProducerEpoch: epoch, BaseSequence: sequence}
}

// values are those of a log.
func values(c *fakebroker.Cluster, topic string, index int32) []string {
	var all []string
	for _, r := range c.Log(topic, index) {
		all = append(all, string(r.Value))
	}
	return all
}

const (
	none = errcode.None
	ms   = time.Millisecond
)
