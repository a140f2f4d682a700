package fakebroker

// This file owns produce requests: what a broker checks, in which order, and what it keeps. All of it runs under the
// cluster's lock.

import (
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

// partition is one partition's log and leadership.
type partition struct {
	index     int32
	leader    int32 // -1: none
	epoch     int32
	records   []Record
	batches   []Batch
	producers map[int64]*producerState
}

// produceLocked appends what may be appended. With acks=0 the broker does not answer, and hanging up is the only way it
// has to say no.
func (c *Cluster) produceLocked(call *Call, r *protocol.ProduceRequest, action Action) reply {
	response := &protocol.ProduceResponse{}
	for _, t := range r.Topics {
		named := c.topics[t.Name]
		missing := errcode.UnknownTopicOrPartition
		if call.Version >= 13 {
			named, missing = c.topicByIDLocked(t.TopicID), errcode.UnknownTopicID
		}
		answered := protocol.ProduceResponseTopic{Name: t.Name, TopicID: t.TopicID}
		for i := range t.Partitions {
			outcome := protocol.ProduceResponsePartition{Index: t.Partitions[i].Index, ErrorCode: missing, BaseOffset: -1,
				LogAppendTimeMs: -1, LogStartOffset: -1, CurrentLeader: protocol.LeaderIDAndEpoch{LeaderID: -1, LeaderEpoch: -1}}
			switch {
			case r.Acks < -1 || r.Acks > 1:
				outcome.ErrorCode = errcode.InvalidRequiredAcks
			case action.Code != errcode.None:
				outcome.ErrorCode = action.Code
			case named != nil:
				c.appendLocked(call, named, &t.Partitions[i], &outcome, action)
			}
			answered.Partitions = append(answered.Partitions, outcome)
			c.addEndpointLocked(response, outcome.CurrentLeader.LeaderID)
		}
		response.Topics = append(response.Topics, answered)
	}
	if r.Acks == 0 {
		return reply{hangUp: refusedAny(response)}
	}
	return reply{message: response, version: call.Version}
}

// appendLocked handles the batch of one partition.
func (c *Cluster) appendLocked(
	call *Call, t *topic, in *protocol.ProduceRequestPartition, out *protocol.ProduceResponsePartition, action Action,
) {
	if in.Index < 0 || int(in.Index) >= len(t.partitions) {
		out.ErrorCode = errcode.UnknownTopicOrPartition
		return
	}
	if code := action.Codes[Partition{Topic: t.name, Index: in.Index}]; code != errcode.None {
		out.ErrorCode = code
		return
	}
	p := t.partitions[in.Index]
	if p.leader != call.Node {
		out.ErrorCode = errcode.NotLeaderOrFollower
		out.CurrentLeader = protocol.LeaderIDAndEpoch{LeaderID: p.leader, LeaderEpoch: p.epoch}
		return
	}
	batch, records, code := check(in.Records)
	if code != errcode.None {
		out.ErrorCode = code
		return
	}
	entry := Batch{Count: batch.Count, Bytes: in.Records.Size(), Codec: batch.Codec(), ProducerID: batch.ProducerID,
		ProducerEpoch: batch.ProducerEpoch, BaseSequence: batch.BaseSequence, Node: call.Node, Conn: call.Conn, At: time.Now()}
	offset, code := p.append(entry, records)
	if out.ErrorCode = code; code == errcode.None {
		out.BaseOffset, out.LogStartOffset = offset, 0
	}
}

// check takes a batch apart as a broker does before it appends.
func check(in protocol.Records) (record.Batch, []Record, errcode.Code) {
	var raw []byte
	for _, chunk := range in.Chunks {
		raw = append(raw, chunk...)
	}
	batch, rest, err := record.ReadBatch(raw)
	switch {
	case err != nil:
		return batch, nil, errcode.CorruptMessage
	case len(rest) > 0, batch.Control(), batch.LogAppendTime(), batch.Count == 0,
		batch.LastOffsetDelta != batch.Count-1, batch.ProducerID >= 0 && batch.BaseSequence < 0:
		return batch, nil, errcode.InvalidRecord
	}
	var records []Record
	newest := int64(-1)
	for r, err := range batch.Records() {
		if err != nil {
			return batch, nil, errcode.CorruptMessage
		}
		if r.OffsetDelta != int32(len(records)) {
			return batch, nil, errcode.InvalidRecord // a broker would rewrite the batch; this client must not need that
		}
		newest = max(newest, r.Timestamp)
		records = append(records, Record{Timestamp: r.Timestamp, Key: r.Key, Value: r.Value, Headers: r.Headers})
	}
	if len(records) != int(batch.Count) || newest != batch.MaxTimestamp {
		return batch, nil, errcode.InvalidRecord
	}
	return batch, records, errcode.None
}

// append appends a batch that was checked, unless its sequence forbids it or it is there already. It returns the offset
// of the first record.
func (p *partition) append(batch Batch, records []Record) (int64, errcode.Code) {
	batch.BaseOffset = int64(len(p.records))
	if batch.ProducerID >= 0 {
		state := p.producers[batch.ProducerID]
		if state == nil {
			state = &producerState{}
			p.producers[batch.ProducerID] = state
		}
		offset, code := state.admit(batch)
		if code != errcode.None || offset < batch.BaseOffset {
			return offset, code
		}
	}
	for i := range records {
		records[i].Offset = batch.BaseOffset + int64(i)
	}
	p.records = append(p.records, records...)
	p.batches = append(p.batches, batch)
	return batch.BaseOffset, errcode.None
}

// addEndpointLocked tells where a leader lives, as brokers do with NOT_LEADER_OR_FOLLOWER.
func (c *Cluster) addEndpointLocked(response *protocol.ProduceResponse, id int32) {
	n := c.nodes[id]
	if n == nil {
		return
	}
	for _, e := range response.NodeEndpoints {
		if e.NodeID == id {
			return
		}
	}
	host, port := n.hostPort()
	response.NodeEndpoints = append(response.NodeEndpoints, protocol.NodeEndpoint{NodeID: id, Host: host, Port: port})
}

// refusedAny reports whether any partition was refused.
func refusedAny(response *protocol.ProduceResponse) bool {
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != errcode.None {
				return true
			}
		}
	}
	return false
}
