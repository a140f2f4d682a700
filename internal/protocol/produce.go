package protocol

// This file owns the Produce API, versions 3 to 13: 3 carries v2 batches, 7 allows zstd, 8 names bad records, 9 is
// flexible, 10 hints at the new leader (KIP-951), 11 allows TRANSACTION_ABORTABLE, 12 adds partitions to the transaction
// implicitly (KIP-890), 13 names topics by id.

import "github.com/kafka-go-producer/producer/errcode"

// ProduceRequest brings record batches to the leader of their partitions.
type ProduceRequest struct {
	TransactionalID NullString // null outside transactions
	Acks            int16      // 0: no response comes; 1: the leader has it; -1: all in-sync replicas have it
	TimeoutMs       int32      // how long the broker may wait for the replicas
	Topics          []ProduceRequestTopic
}

// ProduceRequestTopic holds the batches of one topic.
type ProduceRequestTopic struct {
	Name       string   // until version 12
	TopicID    [16]byte // since version 13; zero: not known, the broker answers UNKNOWN_TOPIC_ID
	Partitions []ProduceRequestPartition
}

// ProduceRequestPartition holds the batch of one partition. Brokers refuse more than one.
type ProduceRequestPartition struct {
	Index   int32
	Records Records
}

// Key returns Produce.
func (*ProduceRequest) Key() Key { return Produce }

func (r *ProduceRequest) walk(c *coder, version int16) {
	c.nullString(&r.TransactionalID, true)
	c.int16(&r.Acks)
	c.int32(&r.TimeoutMs)
	array(c, &r.Topics, 3)
	for i := range r.Topics {
		r.Topics[i].walk(c, version)
	}
	c.noTags()
}

func (t *ProduceRequestTopic) walk(c *coder, version int16) {
	c.stringIf(version <= 12, &t.Name)
	c.uuidIf(version >= 13, &t.TopicID)
	array(c, &t.Partitions, 6)
	for i := range t.Partitions {
		p := &t.Partitions[i]
		c.int32(&p.Index)
		c.records(&p.Records)
		c.noTags()
	}
	c.noTags()
}

// ProduceResponse tells what became of each batch. There is none for acks 0.
type ProduceResponse struct {
	Topics         []ProduceResponseTopic
	ThrottleTimeMs int32 // how long to send nothing more, for a quota was exceeded

	// NodeEndpoints tells where the leaders named in CurrentLeader live. Since version 10, usually empty.
	NodeEndpoints []NodeEndpoint
}

// ProduceResponseTopic holds the outcomes of one topic.
type ProduceResponseTopic struct {
	Name       string   // until version 12
	TopicID    [16]byte // since version 13
	Partitions []ProduceResponsePartition
}

// ProduceResponsePartition is the outcome of one batch.
type ProduceResponsePartition struct {
	Index           int32
	ErrorCode       errcode.Code
	BaseOffset      int64             // of the batch's first record; -1 after an error
	LogAppendTimeMs int64             // the broker's timestamp of the records; -1: they keep their own
	LogStartOffset  int64             // since version 5; -1: not known
	RecordErrors    []BatchIndexError // since version 8: the records to blame, usually empty
	ErrorMessage    NullString        // since version 8: the broker's words, for logs
	CurrentLeader   LeaderIDAndEpoch  // since version 10, after NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH
}

// BatchIndexError blames one record for the refusal of its batch.
type BatchIndexError struct {
	BatchIndex int32 // position in the batch, from 0
	Message    NullString
}

// LeaderIDAndEpoch names a partition's leader. Both are -1 when the broker does not say.
type LeaderIDAndEpoch struct {
	LeaderID    int32
	LeaderEpoch int32
}

// NodeEndpoint is the address of a broker.
type NodeEndpoint struct {
	NodeID int32
	Host   string
	Port   int32
	Rack   NullString
}

// Key returns Produce.
func (*ProduceResponse) Key() Key { return Produce }

func (r *ProduceResponse) walk(c *coder, version int16) {
	array(c, &r.Topics, 3)
	for i := range r.Topics {
		t := &r.Topics[i]
		c.stringIf(version <= 12, &t.Name)
		c.uuidIf(version >= 13, &t.TopicID)
		array(c, &t.Partitions, 22)
		for j := range t.Partitions {
			t.Partitions[j].walk(c, version)
		}
		c.noTags()
	}
	c.int32(&r.ThrottleTimeMs)

	var present uint32
	if c.decoding {
		r.NodeEndpoints = r.NodeEndpoints[:0]
	} else if version >= 10 && len(r.NodeEndpoints) > 0 {
		present = 1
	}
	for t := c.tagged(present); c.nextTag(&t); {
		if t.id == 0 && version >= 10 {
			r.walkNodeEndpoints(c)
		}
	}
}

func (r *ProduceResponse) walkNodeEndpoints(c *coder) {
	array(c, &r.NodeEndpoints, 11)
	for i := range r.NodeEndpoints {
		n := &r.NodeEndpoints[i]
		c.int32(&n.NodeID)
		c.string(&n.Host)
		c.int32(&n.Port)
		c.nullString(&n.Rack, true)
		c.noTags()
	}
}

func (p *ProduceResponsePartition) walk(c *coder, version int16) {
	c.int32(&p.Index)
	c.int16((*int16)(&p.ErrorCode))
	c.int64(&p.BaseOffset)
	c.int64(&p.LogAppendTimeMs)
	c.int64If(version >= 5, &p.LogStartOffset, -1)
	arrayIf(c, version >= 8, &p.RecordErrors, 6)
	if version >= 8 {
		for i := range p.RecordErrors {
			e := &p.RecordErrors[i]
			c.int32(&e.BatchIndex)
			c.nullString(&e.Message, true)
			c.noTags()
		}
	}
	c.nullStringIf(version >= 8, &p.ErrorMessage)

	unknown := LeaderIDAndEpoch{LeaderID: -1, LeaderEpoch: -1}
	var present uint32
	if c.decoding {
		p.CurrentLeader = unknown
	} else if version >= 10 && p.CurrentLeader != unknown {
		present = 1
	}
	for t := c.tagged(present); c.nextTag(&t); {
		if t.id == 0 && version >= 10 {
			c.int32(&p.CurrentLeader.LeaderID)
			c.int32(&p.CurrentLeader.LeaderEpoch)
			c.noTags()
		}
	}
}
