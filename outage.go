package producer

import (
	"errors"
	"fmt"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/network"
)

// outage.go owns what the log hears of brokers, topics and batches that fail, and what is known of why a
// record was not sent. All of it is the Sender's.

// tellEvery is how often the log hears of what goes on failing.
const tellEvery = 30 * time.Second

// link is what became of the connection to a node.
type link struct {
	up     bool
	since  int64    // when it went down, or was first tried
	warned reminder // that it cannot be made; in this outage
	err    error    // why it is down
}

// reminder is when the log last heard of something that goes on failing; zero: never.
type reminder int64

// due says whether the log is to hear of it now: at once, and then every tellEvery.
func (r *reminder) due(now int64) bool {
	if *r != 0 && now-int64(*r) < int64(tellEvery) {
		return false
	}
	*r = reminder(max(now, 1))
	return true
}

// connected notes that a node can be reached.
func (s *sender) connected(e network.Event) {
	if l := s.links[e.Node]; l != nil && l.warned != 0 {
		s.logger.Info("connected again", "node", e.Node, "after", s.lasted(l.since))
	}
	s.links[e.Node] = &link{up: true}
}

// disconnected acts on a connection that ended or was not made.
func (s *sender) disconnected(e network.Event) {
	s.refresh.needed = true
	s.meta.fail(e.Err)
	if errors.Is(e.Err, ErrAuthentication) {
		s.meta.refuse(e.Err)
	}
	s.tellOutage(e)
	if errors.Is(e.Err, errcode.RebootstrapRequired) {
		s.rebootstrap(e.Err.Error())
	}
}

// tellOutage notes why a node cannot be reached. Brokers and what is between end connections now and
// then; it is worth a warning when they let a request wait, or take no new one.
func (s *sender) tellOutage(e network.Event) {
	l := s.links[e.Node]
	lost := l != nil && l.up
	if l == nil || l.up {
		l = &link{since: s.now}
		s.links[e.Node] = l
	}
	l.err = e.Err
	level := s.logger.Debug
	switch {
	case lost && !errors.Is(e.Err, errcode.RequestTimedOut):
		level = s.logger.Info
	case l.warned.due(s.now):
		level = s.logger.Warn
	}
	level("not connected", "node", e.Node, "for", s.lasted(l.since), "error", e.Err)
}

// forgetLinks drops those of brokers that have left the cluster.
func (s *sender) forgetLinks() {
	for id := range s.links {
		if n := s.nodes[id]; id >= 0 && (n == nil || !n.live) {
			delete(s.links, id)
		}
	}
}

// tellRetry tells of batches that are sent again: of the first, and then of how many there were.
func (s *sender) tellRetry(b *batch) {
	s.retried++
	if s.retryTold.due(s.now) {
		s.logger.Warn("sending again", "partition", b.queue.name().String(), "attempt", b.attempts+1, "error", b.lastErr, "batches", s.retried)
		s.retried = 0
	}
}

// tellTopic tells of a topic that gets unavailable, as a whole or in parts, or available again.
func (s *sender) tellTopic(name string, info, old *topicInfo) {
	before := &topicInfo{}
	if old != nil {
		before = old
	}
	leaderless, leaderlessBefore := len(info.partitions)-len(info.available), len(before.partitions)-len(before.available)
	switch {
	case info.err != before.err && info.err != errcode.None:
		s.logger.Warn("topic not available", "topic", name, "error", info.err)
	case info.err == errcode.None && before.err != errcode.None:
		s.logger.Info("topic available", "topic", name)
	case leaderless != 0 && leaderlessBefore == 0:
		s.logger.Warn("partitions without a leader", "topic", name, "partitions", leaderless, "of", len(info.partitions))
	case leaderless == 0 && leaderlessBefore != 0:
		s.logger.Info("all partitions have a leader again", "topic", name)
	}
}

// excuse is why a batch has not been acknowledged, as far as the Sender knows.
func (s *sender) excuse(b *batch) error {
	n := b.queue.sender.node
	switch {
	case b.lastErr != nil:
		return b.lastErr
	case n == nil:
		if info := s.meta.current.Load().topics[b.queue.topic.name]; info != nil && info.err != errcode.None {
			return info.err
		}
		return errcode.LeaderNotAvailable
	case s.links[n.id] != nil && !s.links[n.id].up:
		return s.links[n.id].err
	case s.cfg.Idempotence && s.identity.id < 0:
		return s.identity.err
	case b.onWire:
		return fmt.Errorf("node %d has not answered", n.id)
	case n.blocked.Load() != 0:
		return fmt.Errorf("node %d has not taken more for %v", n.id, s.lasted(n.blocked.Load()))
	}
	return nil
}

// lasted is how long something has lasted, for people to read.
func (s *sender) lasted(since int64) time.Duration {
	return time.Duration(s.now - since).Round(time.Millisecond)
}
