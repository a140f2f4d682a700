package producer

import (
	"errors"
	"maps"
	"slices"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/backoff"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// refresh.go owns when metadata is fetched and what an answer changes. All of it is the Sender's.

// refresher is the Sender's side of metadata: one request at a time.
type refresher struct {
	request  network.Request
	message  protocol.MetadataRequest
	body     []byte
	response protocol.MetadataResponse

	flying  bool
	needed  bool  // something went wrong that newer metadata may cure
	asked   bool  // somebody waits for an update
	last    int64 // when the last one succeeded
	next    int64 // not before: the back-off
	idle    int   // updates in a row that failed or told nothing new
	backoff backoff.Exponential
}

// errNoBrokers is a metadata response to do nothing with.
var errNoBrokers = errors.New("metadata without brokers")

// refreshMetadata sends a request if it is time. When it is not, s.alarm knows.
func (s *sender) refreshMetadata() {
	r := &s.refresh
	asked, fresh := s.meta.takeAsked()
	r.asked = r.asked || asked
	if fresh {
		r.next = s.now
	}
	if r.flying {
		return
	}
	if !r.needed && !r.asked {
		age := r.last + int64(s.cfg.MetadataMaxAge)
		if r.last == 0 || s.now < age {
			if r.last != 0 {
				s.alarm(age)
			}
			return
		}
	}
	if s.now < r.next {
		s.alarm(r.next)
		return
	}
	node, ok := s.client.LeastLoaded(s.time)
	if !ok {
		return // a connection that is made, or may be, wakes the Sender
	}
	lowest, highest := protocol.Metadata.Versions()
	version, err := s.client.Version(node, protocol.Metadata, lowest, highest)
	if err != nil {
		s.refreshFailed(err)
		return
	}
	r.message = protocol.MetadataRequest{Topics: r.message.Topics[:0], AllowAutoTopicCreation: true}
	for _, name := range s.meta.topics() {
		r.message.Topics = append(r.message.Topics, protocol.MetadataRequestTopic{Name: protocol.Some(name)})
	}
	r.body = protocol.Append(r.body[:0], &r.message, version)
	r.request.Key, r.request.Version = protocol.Metadata, version
	r.request.Body = append(r.request.Body[:0], r.body)
	if err := s.client.Send(node, &r.request, s.time); err != nil {
		s.refreshFailed(err)
		return
	}
	r.flying, r.needed, r.asked = true, false, false
}

// refreshFailed notes that an update brought nothing; another one is needed.
func (s *sender) refreshFailed(err error) {
	r := &s.refresh
	s.meta.fail(err)
	r.flying, r.needed = false, true
	s.refreshAgain()
	s.logger.Debug("metadata not refreshed", "error", err)
}

// refreshAgain sets the back-off after an update that failed or told nothing new.
func (s *sender) refreshAgain() {
	s.refresh.next = s.now + int64(s.refresh.backoff.Delay(s.refresh.idle))
	s.refresh.idle++
	s.alarm(s.refresh.next)
}

// refreshed takes in a response.
func (s *sender) refreshed(body []byte) {
	r := &s.refresh
	if err := protocol.Decode(body, &r.response, r.request.Version); err != nil {
		s.refreshFailed(err)
		return
	}
	if err := r.response.ErrorCode.Err(); err != nil {
		s.refreshFailed(err)
		return
	}
	if len(r.response.Brokers) == 0 {
		s.refreshFailed(errNoBrokers)
		return
	}
	news := s.takeNodes()
	old := s.meta.current.Load()
	next := &cluster{topics: maps.Clone(old.topics)}
	update := s.meta.nextUpdate()
	for i := range r.response.Topics {
		t := &r.response.Topics[i]
		info := s.takeTopic(t, old.topics[t.Name.Value], update)
		next.topics[t.Name.Value] = info
		news = s.moveLeaders(info) || news
	}
	r.flying, r.last = false, s.now
	if news {
		r.idle, r.next = 0, s.now+int64(r.backoff.Delay(0))
	} else {
		s.refreshAgain()
	}
	s.meta.publish(next)
	s.rehome()
}

// takeNodes tells the network which brokers there are and reports whether that changed.
func (s *sender) takeNodes() (news bool) {
	nodes := make([]network.Node, 0, len(s.refresh.response.Brokers))
	for _, b := range s.refresh.response.Brokers {
		nodes = append(nodes, network.Node{ID: b.NodeID, Host: b.Host, Port: b.Port, Rack: b.Rack.Value})
		n := s.nodes[b.NodeID]
		if n == nil {
			n = &nodeQueue{id: b.NodeID}
			s.nodes[b.NodeID] = n
			news = true
		}
		n.rack = b.Rack.Value
	}
	for id, n := range s.nodes {
		n.live = slices.ContainsFunc(nodes, func(node network.Node) bool { return node.ID == id })
	}
	s.client.SetNodes(nodes)
	return news
}

// takeTopic makes the snapshot entry of a topic.
func (s *sender) takeTopic(t *protocol.MetadataTopic, old *topicInfo, update int64) *topicInfo {
	info := &topicInfo{id: t.TopicID, err: t.ErrorCode, update: update, topic: s.topic(t.Name.Value)}
	if t.ErrorCode != errcode.None || len(t.Partitions) == 0 {
		// Nothing to send to for now. Sequence numbers stay with the queues.
		s.refresh.needed = s.refresh.needed || t.ErrorCode.Retriable() && len(info.topic.queues) > 0
		return info
	}
	info.partitions = make([]partitionInfo, len(t.Partitions))
	for i := range info.partitions {
		info.partitions[i] = partitionInfo{leader: -1, epoch: -1}
	}
	same := old != nil && old.id == info.id
	for i := range t.Partitions {
		p := &t.Partitions[i]
		if p.Index < 0 || int(p.Index) >= len(info.partitions) {
			continue
		}
		leader, epoch := p.LeaderID, p.LeaderEpoch
		if same && int(p.Index) < len(old.partitions) {
			if was := &old.partitions[p.Index]; epoch < was.epoch {
				epoch = was.epoch // an answer that is behind what another broker told
				if p.LeaderEpoch >= 0 {
					leader = was.leader
				}
			}
		}
		part := partitionInfo{leader: -1, epoch: epoch, replicas: slices.Clone(p.ReplicaNodes), inSync: slices.Clone(p.ISRNodes)}
		if n := s.nodes[leader]; n != nil && n.live {
			part.leader, part.node, part.rack = leader, n, n.rack
		}
		info.partitions[p.Index] = part
	}
	for i := range info.partitions {
		p := &info.partitions[i]
		if p.node == nil {
			s.refresh.needed = true
			continue
		}
		info.available = append(info.available, int32(i))
		if s.cfg.PartitionerRackAware && p.rack == s.cfg.ClientRack {
			info.inRack = append(info.inRack, int32(i))
		}
	}
	if s.cfg.Partitioner != nil {
		info.infos = info.describe()
	}
	for len(info.topic.queues) < len(info.partitions) {
		info.topic.queues = append(info.topic.queues, newQueue(info.topic, int32(len(info.topic.queues))))
	}
	info.queues = info.topic.queues[:len(info.partitions):len(info.partitions)]
	return info
}

// topic is what the queues of the topic share; it is made when the topic is first heard of.
func (s *sender) topic(name string) *topic {
	t := s.topics[name]
	if t == nil {
		t = &topic{name: name, order: len(s.topics)}
		s.topics[name] = t
	}
	return t
}

// moveLeaders tells the queues of a topic who leads them now and reports whether that changed.
func (s *sender) moveLeaders(info *topicInfo) (news bool) {
	recreated := info.err == errcode.None && info.topic.id != info.id && info.topic.id != [16]byte{}
	if info.err == errcode.None {
		info.topic.id = info.id
	}
	for i, q := range info.topic.queues {
		st := &q.sender
		if recreated {
			st.sequence.bump = true // the new topic's log knows nothing of this producer
		}
		var n *nodeQueue
		if i < len(info.partitions) {
			n = info.partitions[i].node
		}
		if n == st.node && !recreated {
			continue
		}
		news = true
		st.node, st.retryAt = n, 0 // a new leader need not wait for the old one's back-off
		s.moved = append(s.moved, q)
	}
	return news
}
