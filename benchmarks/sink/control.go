package sink

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// control.go owns the requests that are not Produce. They are rare: an independent library reads and writes them.

// The APIs.
const (
	keyProduce        = 0
	keyMetadata       = 3
	keyApiVersions    = 18
	keyInitProducerID = 22
)

// nodeID is the only broker's.
const nodeID = 1

// offer is a range of versions of an API.
type offer struct{ key, from, to int16 }

func offers() [4]offer {
	return [...]offer{{keyProduce, 3, 11}, {keyMetadata, 0, 12}, {keyApiVersions, 0, 4}, {keyInitProducerID, 0, 4}}
}

// offered tells whether a request is answered; ApiVersions is in any version.
func offered(key, version int16) bool {
	if key == keyApiVersions {
		return true
	}
	for _, o := range offers() {
		if o.key == key {
			return o.from <= version && version <= o.to
		}
	}
	return false
}

// control appends the response body.
func (s *Server) control(out []byte, c *cursor, h header) ([]byte, error) {
	switch h.key {
	case keyApiVersions:
		return apiVersions(h.version).AppendTo(out), nil
	case keyInitProducerID:
		r := kmsg.NewInitProducerIDResponse()
		r.Version = h.version
		r.ProducerID = 1000 + s.ids.Add(1)
		return r.AppendTo(out), nil
	default:
		q := kmsg.NewPtrMetadataRequest()
		q.Version = h.version
		if err := q.ReadFrom(c.b); err != nil {
			return out, fmt.Errorf("metadata: %w", err)
		}
		return s.metadata(q).AppendTo(out), nil
	}
}

// apiVersions answers a version that is too new as brokers do: in version 0, with the error and the list.
func apiVersions(version int16) *kmsg.ApiVersionsResponse {
	r := kmsg.NewPtrApiVersionsResponse()
	r.Version = version
	for _, o := range offers() {
		if o.key == keyApiVersions && version > o.to {
			r.Version, r.ErrorCode = 0, 35
		}
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MinVersion, k.MaxVersion = o.key, o.from, o.to
		r.ApiKeys = append(r.ApiKeys, k)
	}
	return r
}

func (s *Server) metadata(q *kmsg.MetadataRequest) *kmsg.MetadataResponse {
	r := kmsg.NewPtrMetadataResponse()
	r.Version = q.Version
	b := kmsg.NewMetadataResponseBroker()
	b.NodeID, b.Host, b.Port = nodeID, s.host, s.port
	r.Brokers = append(r.Brokers, b)
	r.ClusterID, r.ControllerID = kmsg.StringPtr("sink"), nodeID
	for _, t := range s.wanted(q) {
		m := kmsg.NewMetadataResponseTopic()
		m.Topic, m.TopicID = kmsg.StringPtr(t.name), t.id
		for i := range t.next {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition, p.Leader, p.LeaderEpoch = int32(i), nodeID, 0
			p.Replicas, p.ISR = []int32{nodeID}, []int32{nodeID}
			m.Partitions = append(m.Partitions, p)
		}
		r.Topics = append(r.Topics, m)
	}
	return r
}

// wanted lists the topics a request asks for. An id that is not known is left out.
func (s *Server) wanted(q *kmsg.MetadataRequest) []*topic {
	if q.Topics == nil {
		return s.topics.all()
	}
	var wanted []*topic
	for _, t := range q.Topics {
		if t.Topic != nil {
			wanted = append(wanted, s.topics.named([]byte(*t.Topic)))
		} else if known := s.topics.withID(t.TopicID); known != nil {
			wanted = append(wanted, known)
		}
	}
	return wanted
}
