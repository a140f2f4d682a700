package fakebroker

// This file owns the answers to everything but produce requests. They are computed under the cluster's lock, on the
// goroutine of the connection that asked.

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

const clusterID = "fake-cluster"

// newRequest is an empty request of an API that this broker has.
func newRequest(key protocol.Key) protocol.Message {
	switch key {
	case protocol.Produce:
		return new(protocol.ProduceRequest)
	case protocol.Metadata:
		return new(protocol.MetadataRequest)
	case protocol.ApiVersions:
		return new(protocol.ApiVersionsRequest)
	case protocol.InitProducerID:
		return new(protocol.InitProducerIDRequest)
	default:
		panic("fakebroker: no such API: " + key.String())
	}
}

// speaks reports whether a node has an API in a version.
func (c *Cluster) speaks(n *node, key protocol.Key, version int16) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := n.versions[key]
	return ok && r.low <= version && version <= r.high
}

// reply is what comes of a request.
type reply struct {
	message protocol.Message // nil: no answer is due
	version int16            // that the message is written in
	hangUp  bool             // end the connection
}

// apply does what a request asks for.
func (c *Cluster) apply(call *Call, action Action) reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := reply{version: call.Version}
	switch request := call.Message.(type) {
	case *protocol.ProduceRequest:
		return c.produceLocked(call, request, action)
	case *protocol.MetadataRequest:
		answer.message = c.metadataLocked(request, action.Code)
	case *protocol.InitProducerIDRequest:
		answer.message = c.producerIDLocked(request, action.Code)
	default: // ApiVersions, or a version of it that is not spoken: the answer to that is one of version 0
		code := action.Code
		if request == nil {
			code = errcode.UnsupportedVersion
		}
		if code == errcode.UnsupportedVersion {
			answer.version = 0
		}
		answer.message = c.versionsLocked(call, code)
	}
	return answer
}

// versionsLocked lists a node's APIs.
func (c *Cluster) versionsLocked(call *Call, code errcode.Code) *protocol.ApiVersionsResponse {
	r := &protocol.ApiVersionsResponse{ErrorCode: code, FinalizedFeaturesEpoch: -1}
	versions := c.nodes[call.Node].versions
	for _, key := range slices.Sorted(maps.Keys(versions)) {
		if code == errcode.None || key == protocol.ApiVersions {
			v := versions[key]
			r.APIKeys = append(r.APIKeys, protocol.APIVersionRange{Key: key, MinVersion: v.low, MaxVersion: v.high})
		}
	}
	return r
}

// producerIDLocked gives out producer ids: a new one each time without a transactional id, the next epoch with one.
func (c *Cluster) producerIDLocked(r *protocol.InitProducerIDRequest, code errcode.Code) *protocol.InitProducerIDResponse {
	if code != errcode.None {
		return &protocol.InitProducerIDResponse{ErrorCode: code, ProducerID: -1, ProducerEpoch: -1}
	}
	var t transactional
	if r.TransactionalID.Valid {
		t = c.epochs[r.TransactionalID.Value]
	}
	if t.id == 0 {
		c.producers++
		t.id = 1000 + c.producers
	} else {
		t.epoch++
	}
	if r.TransactionalID.Valid {
		c.epochs[r.TransactionalID.Value] = t
	}
	return &protocol.InitProducerIDResponse{ProducerID: t.id, ProducerEpoch: t.epoch}
}

// metadataLocked describes the nodes that are up and the topics asked for.
func (c *Cluster) metadataLocked(r *protocol.MetadataRequest, code errcode.Code) *protocol.MetadataResponse {
	response := &protocol.MetadataResponse{ClusterID: protocol.Some(clusterID), ControllerID: -1,
		ClusterAuthorizedOperations: protocol.AuthorizedOperationsUnknown, ErrorCode: code}
	for _, id := range c.nodeIDsLocked() {
		if n := c.nodes[id]; !n.down {
			if response.ControllerID < 0 {
				response.ControllerID = id
			}
			host, port := n.hostPort()
			response.Brokers = append(response.Brokers, protocol.MetadataBroker{NodeID: id, Host: host, Port: port})
		}
	}
	if r.Topics == nil {
		for _, name := range slices.Sorted(maps.Keys(c.topics)) {
			response.Topics = append(response.Topics, c.describeLocked(c.topics[name], code))
		}
		return response
	}
	for _, asked := range r.Topics {
		t := c.topics[asked.Name.Value]
		if !asked.Name.Valid {
			t = c.topicByIDLocked(asked.TopicID)
		}
		if t == nil && asked.Name.Valid && c.autoCreate > 0 && r.AllowAutoTopicCreation && code == errcode.None {
			t = c.addTopicLocked(asked.Name.Value, c.autoCreate)
		}
		if t != nil {
			response.Topics = append(response.Topics, c.describeLocked(t, code))
			continue
		}
		missing := protocol.MetadataTopic{ErrorCode: errcode.UnknownTopicOrPartition, Name: asked.Name,
			TopicAuthorizedOperations: protocol.AuthorizedOperationsUnknown}
		if !asked.Name.Valid {
			missing.ErrorCode, missing.TopicID = errcode.UnknownTopicID, asked.TopicID
		}
		if code != errcode.None {
			missing.ErrorCode = code
		}
		response.Topics = append(response.Topics, missing)
	}
	return response
}

// describeLocked describes one topic, or says why not.
func (c *Cluster) describeLocked(t *topic, code errcode.Code) protocol.MetadataTopic {
	described := protocol.MetadataTopic{ErrorCode: code, Name: protocol.Some(t.name), TopicID: t.id,
		TopicAuthorizedOperations: protocol.AuthorizedOperationsUnknown}
	if code != errcode.None {
		return described
	}
	all := c.nodeIDsLocked()
	for _, p := range t.partitions {
		m := protocol.MetadataPartition{Index: p.index, LeaderID: p.leader, LeaderEpoch: p.epoch, ReplicaNodes: all, ISRNodes: all}
		if n := c.nodes[p.leader]; n == nil || n.down {
			m.ErrorCode, m.LeaderID = errcode.LeaderNotAvailable, -1
		}
		described.Partitions = append(described.Partitions, m)
	}
	return described
}

// hostPort splits a node's address.
func (n *node) hostPort() (host string, port int32) {
	host, service, err := net.SplitHostPort(n.address)
	if err != nil {
		panic("fakebroker: " + err.Error())
	}
	number, err := strconv.ParseInt(service, 10, 32)
	if err != nil {
		panic("fakebroker: " + err.Error())
	}
	return host, int32(number)
}

// setThrottle puts a throttle time into a response.
func setThrottle(response protocol.Message, d time.Duration) {
	if d == 0 {
		return
	}
	ms := int32(d.Milliseconds())
	switch r := response.(type) {
	case *protocol.ProduceResponse:
		r.ThrottleTimeMs = ms
	case *protocol.MetadataResponse:
		r.ThrottleTimeMs = ms
	case *protocol.ApiVersionsResponse:
		r.ThrottleTimeMs = ms
	case *protocol.InitProducerIDResponse:
		r.ThrottleTimeMs = ms
	}
}
