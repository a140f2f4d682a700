package producer

import (
	"maps"
	"slices"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// hints.go owns what a broker that does not lead a partition says about who does (KIP-951): the batch
// goes there at once, without metadata. All of it is the Sender's.

// leaderHint is a partition's new leader, in words of a produce response.
type leaderHint struct {
	queue         *queue
	leader, epoch int32
}

// takeHint remembers a hint until the whole response is read: addresses come at its end.
func (s *sender) takeHint(q *queue, p *protocol.ProduceResponsePartition) {
	switch p.ErrorCode {
	case errcode.NotLeaderOrFollower, errcode.FencedLeaderEpoch:
		if l := p.CurrentLeader; l.LeaderID >= 0 && l.LeaderEpoch >= 0 {
			s.hints = append(s.hints, leaderHint{q, l.LeaderID, l.LeaderEpoch})
		}
	}
}

// followHints makes the hinted leaders those of a new snapshot: where the epoch is newer than the one
// known, and the node is known or the response tells its address. Other nodes stay as they are.
func (s *sender) followHints(response *protocol.ProduceResponse) {
	if len(s.hints) == 0 {
		return
	}
	old := s.meta.current.Load()
	next := &cluster{topics: maps.Clone(old.topics)}
	for _, h := range s.hints {
		name := h.queue.topic.name
		info := next.topics[name]
		if info == nil || int(h.queue.partition) >= len(info.partitions) || h.epoch <= info.partitions[h.queue.partition].epoch {
			continue
		}
		n := s.hintedNode(h.leader, response)
		if n == nil {
			continue
		}
		if info == old.topics[name] {
			changed := *info
			changed.partitions = slices.Clone(info.partitions)
			info = &changed
			next.topics[name] = info
		}
		p := &info.partitions[h.queue.partition]
		p.leader, p.node, p.rack, p.epoch = h.leader, n, n.rack, h.epoch
		s.listPartitions(info)
		s.moveLeaders(info)
	}
	clear(s.hints)
	s.hints = s.hints[:0]
	s.meta.publish(next)
	s.rehome()
}

// hintedNode is the node with that id, made known to the network if only the response knows it.
func (s *sender) hintedNode(id int32, response *protocol.ProduceResponse) *nodeQueue {
	if n := s.nodes[id]; n != nil && n.live {
		return n
	}
	for _, e := range response.NodeEndpoints {
		if e.NodeID == id {
			nodes := make([]network.Node, 0, len(s.cluster.Nodes)+1)
			for _, n := range s.cluster.Nodes {
				nodes = append(nodes, network.Node(n))
			}
			nodes = append(nodes, network.Node{ID: id, Host: e.Host, Port: e.Port, Rack: e.Rack.Value})
			s.takeNodes(s.cluster.ClusterID, nodes)
			return s.nodes[id]
		}
	}
	return nil
}
