package protocol

// This file owns the Metadata API, versions 1 to 13: 4 can forbid the creation of topics, 7 adds leader epochs, 9 is
// flexible, 10 adds topic ids, 12 looks topics up by id, 13 adds an error for the whole response.

import (
	"math"

	"github.com/kafka-go-producer/producer/errcode"
)

// AuthorizedOperationsUnknown stands in a bit field of authorized operations that was not asked for.
const AuthorizedOperationsUnknown = math.MinInt32

// MetadataRequest asks which brokers there are and who leads the partitions of some topics.
type MetadataRequest struct {
	Topics                 []MetadataRequestTopic // nil: all topics; empty: none, only brokers
	AllowAutoTopicCreation bool                   // since version 4; before, the broker's configuration decides alone

	IncludeClusterAuthorizedOperations bool // versions 8 to 10
	IncludeTopicAuthorizedOperations   bool // since version 8
}

// MetadataRequestTopic names a topic.
type MetadataRequestTopic struct {
	TopicID [16]byte   // since version 10, of use since 12: zero looks the topic up by name
	Name    NullString // null, to look up by id, since version 10
}

// Key returns Metadata.
func (*MetadataRequest) Key() Key { return Metadata }

func (r *MetadataRequest) walk(c *coder, version int16) {
	nullArray(c, &r.Topics, 2)
	for i := range r.Topics {
		t := &r.Topics[i]
		c.uuidIf(version >= 10, &t.TopicID)
		c.nullString(&t.Name, version >= 10)
		c.noTags()
	}
	c.boolIf(version >= 4, &r.AllowAutoTopicCreation, true)
	c.boolIf(version >= 8 && version <= 10, &r.IncludeClusterAuthorizedOperations, false)
	c.boolIf(version >= 8, &r.IncludeTopicAuthorizedOperations, false)
	c.noTags()
}

// MetadataResponse is what one broker knows of the cluster; others may be ahead of it or behind.
type MetadataResponse struct {
	ThrottleTimeMs int32            // since version 3: how long to send nothing more
	Brokers        []MetadataBroker // those alive
	ClusterID      NullString       // since version 2
	ControllerID   int32            // -1: none known
	Topics         []MetadataTopic

	ClusterAuthorizedOperations int32        // versions 8 to 10; AuthorizedOperationsUnknown if not asked for
	ErrorCode                   errcode.Code // since version 13: REBOOTSTRAP_REQUIRED tells to start from the bootstrap servers
}

// MetadataBroker is the address of a broker.
type MetadataBroker struct {
	NodeID int32
	Host   string
	Port   int32
	Rack   NullString
}

// MetadataTopic is a topic, or why nothing can be said about it.
type MetadataTopic struct {
	ErrorCode  errcode.Code
	Name       NullString // null, since version 12, when an id was looked up that the broker does not know
	TopicID    [16]byte   // since version 10; zero: it has none, or it is not known
	IsInternal bool
	Partitions []MetadataPartition

	TopicAuthorizedOperations int32 // since version 8; AuthorizedOperationsUnknown if not asked for
}

// MetadataPartition is a partition, or why it cannot be used now.
type MetadataPartition struct {
	ErrorCode       errcode.Code // LEADER_NOT_AVAILABLE comes with leader -1
	Index           int32
	LeaderID        int32 // -1: none
	LeaderEpoch     int32 // since version 7; -1: not known
	ReplicaNodes    []int32
	ISRNodes        []int32
	OfflineReplicas []int32 // since version 5
}

// Key returns Metadata.
func (*MetadataResponse) Key() Key { return Metadata }

func (r *MetadataResponse) walk(c *coder, version int16) {
	c.int32If(version >= 3, &r.ThrottleTimeMs, 0)
	array(c, &r.Brokers, 11)
	for i := range r.Brokers {
		b := &r.Brokers[i]
		c.int32(&b.NodeID)
		c.string(&b.Host)
		c.int32(&b.Port)
		c.nullString(&b.Rack, true)
		c.noTags()
	}
	c.nullStringIf(version >= 2, &r.ClusterID)
	c.int32(&r.ControllerID)
	array(c, &r.Topics, 6)
	for i := range r.Topics {
		r.Topics[i].walk(c, version)
	}
	c.int32If(version >= 8 && version <= 10, &r.ClusterAuthorizedOperations, AuthorizedOperationsUnknown)
	c.int16If(version >= 13, (*int16)(&r.ErrorCode), 0)
	c.noTags()
}

func (t *MetadataTopic) walk(c *coder, version int16) {
	c.int16((*int16)(&t.ErrorCode))
	c.nullString(&t.Name, version >= 12)
	c.uuidIf(version >= 10, &t.TopicID)
	c.bool(&t.IsInternal)
	array(c, &t.Partitions, 18)
	for i := range t.Partitions {
		p := &t.Partitions[i]
		c.int16((*int16)(&p.ErrorCode))
		c.int32(&p.Index)
		c.int32(&p.LeaderID)
		c.int32If(version >= 7, &p.LeaderEpoch, -1)
		c.int32s(&p.ReplicaNodes)
		c.int32s(&p.ISRNodes)
		c.int32sIf(version >= 5, &p.OfflineReplicas)
		c.noTags()
	}
	c.int32If(version >= 8, &t.TopicAuthorizedOperations, AuthorizedOperationsUnknown)
	c.noTags()
}
