package producer

import (
	"errors"
	"slices"
	"time"

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
	partial bool  // the request on its way asks for new topics only
	needed  bool  // something went wrong that newer metadata may cure
	asked   bool  // somebody waits for an update
	fresh   bool  // of topics that no update has told of yet
	last    int64 // when the last full one succeeded; zero: none did
	next    int64 // not before: the back-off
	idle    int   // updates in a row that failed or told nothing new
	failing int64 // since when one was due and none succeeded; zero: the last did
	backoff backoff.Exponential
}

// errNoBrokers is a metadata response to do nothing with.
var errNoBrokers = errors.New("metadata without brokers")

// refreshMetadata sends a request if it is time. When it is not, s.alarm knows.
func (s *sender) refreshMetadata() {
	r := &s.refresh
	asked, fresh := s.meta.takeAsked()
	r.asked, r.fresh = r.asked || asked, r.fresh || fresh
	if fresh {
		r.next = s.now // a new topic need not wait for the back-off of others
	}
	if r.flying || !s.refreshDue() {
		return
	}
	if s.now < r.next {
		s.alarm(r.next)
		return
	}
	if r.failing == 0 {
		r.failing = s.now // not first when one fails: where brokers swallow packets, none is ever sent
	}
	s.maybeRebootstrap()
	node, ok := s.client.LeastLoaded(s.time)
	if !ok {
		return // a connection that is made, or may be, wakes the Sender
	}
	if err := s.sendRefresh(node); err != nil {
		s.refreshFailed(err)
		return
	}
	r.flying, r.needed, r.asked, r.fresh = true, false, false, false
}

// refreshDue says whether there is a reason for an update now.
func (s *sender) refreshDue() bool {
	r := &s.refresh
	if r.needed || r.asked {
		return true
	}
	if r.last == 0 {
		return false // nobody has ever asked for anything
	}
	age := r.last + int64(s.cfg.MetadataMaxAge)
	if s.now < age {
		s.alarm(age)
		return false
	}
	return true
}

// sendRefresh asks a node: for new topics only, if that is all that is wanted, else for all.
func (s *sender) sendRefresh(node int32) error {
	r := &s.refresh
	lowest, highest := protocol.Metadata.Versions()
	version, err := s.client.Version(node, protocol.Metadata, lowest, highest)
	if err != nil {
		return err
	}
	r.partial = r.fresh && !r.needed && r.last != 0 && s.now < r.last+int64(s.cfg.MetadataMaxAge)
	r.message.AllowAutoTopicCreation = true
	r.message.Topics = slices.Grow(r.message.Topics[:0], 1) // never nil: that would mean all topics
	known := s.meta.current.Load().topics
	s.meta.want(s.topics) // a record may have come just after its topic was forgotten
	for _, name := range s.meta.topics(s.now - int64(s.cfg.MetadataMaxIdle)) {
		if r.partial && known[name] != nil {
			continue
		}
		r.message.Topics = append(r.message.Topics, protocol.MetadataRequestTopic{Name: protocol.Some(name)})
	}
	r.body = protocol.Append(r.body[:0], &r.message, version)
	r.request.Key, r.request.Version = protocol.Metadata, version
	r.request.Body = append(r.request.Body[:0], r.body)
	return s.client.Send(node, &r.request, s.time)
}

// refreshFailed notes that an update brought nothing; another one is needed.
func (s *sender) refreshFailed(err error) {
	r := &s.refresh
	s.meta.fail(err)
	r.flying, r.needed = false, true
	if errors.Is(err, errcode.RebootstrapRequired) {
		s.rebootstrap(err.Error())
	}
	s.refreshAgain()
	s.logger.Debug("metadata not refreshed", "error", err)
}

// refreshAgain sets the back-off after an update that failed or told nothing new.
func (s *sender) refreshAgain() {
	s.refresh.next = s.now + int64(s.refresh.backoff.Delay(s.refresh.idle))
	s.refresh.idle++
	s.alarm(s.refresh.next)
}

// firstMetadataThrottledByClient is like firstProduceThrottledByClient.
const firstMetadataThrottledByClient = 6

// refreshed takes in a response.
func (s *sender) refreshed(node int32, body []byte) {
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
	if t := r.response.ThrottleTimeMs; t > 0 && r.request.Version >= firstMetadataThrottledByClient {
		s.client.Throttle(node, s.time.Add(time.Duration(t)*time.Millisecond))
	}
	news := s.takeNodes(r.response.ClusterID.Value, r.brokers())
	old := s.meta.current.Load()
	next := &cluster{topics: s.meta.stillWanted(old.topics)}
	update := s.meta.nextUpdate()
	for i := range r.response.Topics {
		t := &r.response.Topics[i]
		info := s.takeTopic(t, old.topics[t.Name.Value], update)
		s.tellTopic(t.Name.Value, info, old.topics[t.Name.Value])
		next.topics[t.Name.Value] = info
		news = s.moveLeaders(info) || news
	}
	r.flying, r.failing = false, 0
	if !r.partial {
		r.last = s.now
	}
	if news {
		r.idle, r.next = 0, s.now+int64(r.backoff.Delay(0))
	} else {
		s.refreshAgain()
	}
	s.meta.publish(next)
	s.rehome()
}

// brokers are the nodes of the last response.
func (r *refresher) brokers() []network.Node {
	nodes := make([]network.Node, 0, len(r.response.Brokers))
	for _, b := range r.response.Brokers {
		nodes = append(nodes, network.Node{ID: b.NodeID, Host: b.Host, Port: b.Port, Rack: b.Rack.Value})
	}
	return nodes
}

// takeNodes tells the network which brokers there are and reports whether that changed.
func (s *sender) takeNodes(clusterID string, nodes []network.Node) (news bool) {
	for _, n := range s.nodes {
		n.leaves = n.live
		n.live = false
	}
	for _, node := range nodes {
		n := s.nodes[node.ID]
		if n == nil {
			n = &nodeQueue{id: node.ID}
			s.nodes[node.ID] = n
		}
		news = news || !n.leaves
		n.live, n.leaves, n.rack = true, false, node.Rack
	}
	for _, n := range s.nodes {
		news = news || n.leaves
	}
	s.client.SetNodes(nodes)
	s.forgetLinks()
	s.tellListener(clusterID, nodes)
	return news
}

// takeTopic makes the snapshot entry of a topic.
func (s *sender) takeTopic(t *protocol.MetadataTopic, old *topicInfo, update int64) *topicInfo {
	info := &topicInfo{id: t.TopicID, err: t.ErrorCode, update: update, topic: s.topics[t.Name.Value]}
	if t.ErrorCode != errcode.None || len(t.Partitions) == 0 {
		if info.topic == nil {
			info.topic = &topic{name: t.Name.Value} // not kept: it may be anybody's mistake
		}
		// Nothing to send to for now. Sequence numbers stay with the queues.
		s.refresh.needed = s.refresh.needed || t.ErrorCode.Retriable() && len(info.topic.queues) > 0
		return info
	}
	info.topic = s.topic(t.Name.Value)
	info.partitions = make([]partitionInfo, len(t.Partitions))
	for i := range info.partitions {
		info.partitions[i] = partitionInfo{leader: -1, epoch: -1}
	}
	if info.id == [16]byte{} {
		info.id = info.topic.id // a broker too old to tell
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
	s.listPartitions(info)
	s.refresh.needed = s.refresh.needed || len(info.available) < len(info.partitions)
	for len(info.topic.queues) < len(info.partitions) {
		info.topic.queues = append(info.topic.queues, newQueue(info.topic, int32(len(info.topic.queues))))
	}
	info.queues = info.topic.queues[:len(info.partitions):len(info.partitions)]
	return info
}

// listPartitions fills in what partitioners choose from.
func (s *sender) listPartitions(info *topicInfo) {
	info.available, info.inRack = nil, nil
	for i := range info.partitions {
		p := &info.partitions[i]
		if p.node == nil {
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
	var none [16]byte
	recreated := info.topic.id != info.id && info.topic.id != none && info.id != none
	if info.id != none {
		info.topic.id = info.id
	}
	for i, q := range info.topic.queues {
		st := &q.sender
		if recreated {
			st.sequence.proven = false // the new log takes any number for the first: the next batch goes alone
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
