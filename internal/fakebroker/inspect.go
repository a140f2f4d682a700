package fakebroker

// This file owns what tests can see. All results are copies of the cluster's lists; what they point to is not changed
// any more.

import (
	"slices"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

// Record is one record of a log. A nil Key or Value is null.
type Record struct {
	Offset    int64
	Timestamp int64 // ms
	Key       []byte
	Value     []byte
	Headers   []record.Header
}

// Batch is one batch of a log.
type Batch struct {
	BaseOffset    int64
	Count         int32
	Bytes         int // as sent
	Codec         record.Codec
	ProducerID    int64 // -1: none
	ProducerEpoch int16
	BaseSequence  int32
	Node          int32 // that appended it
	Conn          int   // over which it came
	At            time.Time
}

// Log returns the records of a partition in order; nothing when there is no such partition.
func (c *Cluster) Log(topic string, index int32) []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.partitionLocked(topic, index); p != nil {
		return slices.Clone(p.records)
	}
	return nil
}

// Batches returns the batches of a partition in order; nothing when there is no such partition.
func (c *Cluster) Batches(topic string, index int32) []Batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.partitionLocked(topic, index); p != nil {
		return slices.Clone(p.batches)
	}
	return nil
}

// Calls returns the requests that came, in the order they were read off connections; of all APIs when none is named.
func (c *Cluster) Calls(keys ...protocol.Key) []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var calls []Call
	for _, call := range c.calls {
		if len(keys) == 0 || slices.Contains(keys, call.Key) {
			calls = append(calls, call)
		}
	}
	return calls
}

// Dials returns the attempts to connect, in order, refused ones too.
func (c *Cluster) Dials() []Dial {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.dials)
}

// Conns counts the connections to a node that the broker has not seen end. One that it does not read from, it does not
// see end.
func (c *Cluster) Conns(id int32) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for cn := range c.conns {
		if cn.node.id == id {
			n++
		}
	}
	return n
}

func (c *Cluster) partitionLocked(topic string, index int32) *partition {
	t := c.topics[topic]
	if t == nil || index < 0 || int(index) >= len(t.partitions) {
		return nil
	}
	return t.partitions[index]
}
