package producer

import (
	"errors"
	"math"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
	"github.com/kafka-go-producer/producer/record"
)

// sequence.go owns idempotence: the producer's id, and the sequence numbers of each partition. All of
// it is the Sender's.
//
// A broker takes batches of a producer id and epoch in the order of their sequence numbers only, and
// recognises the last five. So a batch that may have been written is sent again with the number it
// has, byte for byte, until the broker says yes or the delivery time-out passes. If a number is lost
// for good, the epoch is raised for that partition and counting starts at zero (KIP-360, which leaves
// that to a client without transactions). That happens once nothing is on the wire, and nothing before
// the lost number waits to be sent again: such a batch may be written, and keeps its number until the
// broker has answered. Those after the lost number are not written, and get new ones.

// sequence is a partition's part in it.
type sequence struct {
	id    int64 // the producer id next counts under; -1: none yet
	epoch int16
	next  int32

	proven     bool     // a batch under this id and epoch was acknowledged
	acked      int64    // then: the order of the latest such batch
	unresolved bool     // a batch that has a number was given up: the broker's next number is unknown
	lost       int64    // the order of the last such batch
	bump       bool     // the epoch is to be raised
	from       position // and the batches from here on get new numbers
}

// mayStart says whether a batch without a number may get one, when the producer has that id now and
// the oldest batch without an answer is span batches back. The broker recognises the last five: one that
// is answered "late" again and again must not fall out of them while newer ones overtake it, or it
// would look like a gap, and be written twice.
func (q *sequence) mayStart(span, id int64) bool {
	switch {
	case q.unresolved, q.bump:
		return false
	case !q.proven, q.id != id:
		return span == 0 // the first of an id and epoch goes alone, or a later one could be taken for it
	}
	return span < maxInFlightIdempotent
}

// raise asks for a higher epoch, and new numbers for the batches from p on.
func (q *sequence) raise(p position) {
	if !q.bump || p.before(q.from) {
		q.bump, q.from = true, p
	}
}

// renumbers says whether a batch there waits for a new number.
func (q *sequence) renumbers(p position) bool { return q.bump && !p.before(q.from) }

// acknowledged notes that the broker has a batch, and with it all before it.
func (q *sequence) acknowledged(b *batch) {
	if b.stamp.ProducerID == q.id && b.stamp.ProducerEpoch == q.epoch {
		q.proven, q.acked = true, max(q.acked, b.order)
	}
	if b.order > q.lost {
		q.unresolved = false
	}
}

// overtaken says whether a batch after b was acknowledged, and b may be written: then it is, as brokers
// take batches in order. One that has restarted may know only the last of them, and say that b is out of
// order.
func (q *sequence) overtaken(b *batch) bool {
	return b.maybe && q.proven && b.order < q.acked && b.stamp.ProducerID == q.id && b.stamp.ProducerEpoch == q.epoch
}

// givenUp notes that a batch will not be sent again, though it may be written.
func (q *sequence) givenUp(b *batch) {
	if b.hasSequence {
		q.unresolved, q.lost = true, max(q.lost, b.order)
	}
}

// add is the sequence number n records after base: they wrap to zero after the largest int32.
func add(base, n int32) int32 { return int32((int64(base) + int64(n)) & math.MaxInt32) }

// seal gives a batch its stamp, and its header.
func (s *sender) seal(q *queue, b *batch) {
	b.stamp = record.NoProducer()
	if s.cfg.Idempotence {
		seq := &q.sender.sequence
		if seq.id != s.identity.id {
			*seq = sequence{id: s.identity.id, epoch: s.identity.epoch}
		}
		b.hasSequence = true
		b.stamp = record.Stamp{ProducerID: seq.id, ProducerEpoch: seq.epoch, BaseSequence: seq.next}
		seq.next = add(seq.next, b.Count())
	}
	b.Seal(b.stamp)
}

// settle raises the epoch of a queue's sequences if that is due and nothing is on the wire.
func (s *sender) settle(q *queue) {
	st := &q.sender
	seq := &st.sequence
	if len(st.flying) > 0 {
		return
	}
	if seq.unresolved && len(st.resend) == 0 {
		seq.raise(position{})
	}
	if !seq.bump || len(st.resend) > 0 && !seq.renumbers(st.resend[0].position) {
		return
	}
	if seq.id < 0 {
		seq.bump = false
		return
	}
	*seq = sequence{id: seq.id, epoch: seq.epoch + 1}
	if seq.epoch < 0 { // used up: the next number is counted under a new id
		s.identity.id, s.identity.next = -1, s.now
		*seq = sequence{id: -1}
		// What waits to be sent again was not written: it goes back to having no number.
	}
	for _, b := range st.resend {
		b.hasSequence = false
	}
	s.logger.Debug("sequence numbers start again", "partition", q.name().String(), "epoch", seq.epoch)
}

// identity is the producer's id and how it is come by.
type identity struct {
	id    int64 // -1: none yet
	epoch int16

	request  network.Request
	body     []byte
	flying   bool
	next     int64 // not before
	failures int   // in a row
	err      error // the last of them
}

// identify asks for a producer id if one is needed. When it is not time yet, s.alarm knows.
func (s *sender) identify() {
	i := &s.identity
	if !s.cfg.Idempotence || i.id >= 0 || i.flying || !s.meta.used() {
		return
	}
	if s.now < i.next {
		s.alarm(i.next)
		return
	}
	node, ok := s.client.LeastLoaded(s.time)
	if !ok {
		return
	}
	lowest, highest := protocol.InitProducerID.Versions()
	version, err := s.client.Version(node, protocol.InitProducerID, lowest, highest)
	if err != nil {
		s.notIdentified(err)
		return
	}
	i.body = protocol.Append(i.body[:0], &protocol.InitProducerIDRequest{
		TransactionTimeoutMs: math.MaxInt32, ProducerID: -1, ProducerEpoch: -1,
	}, version)
	i.request.Key, i.request.Version = protocol.InitProducerID, version
	i.request.Body = append(i.request.Body[:0], i.body)
	if err := s.client.Send(node, &i.request, s.time); err != nil {
		s.notIdentified(err)
		return
	}
	i.flying = true
}

// identified acts on the end of the request.
func (s *sender) identified(e network.Event) {
	i := &s.identity
	i.flying = false
	if e.Kind != network.Response {
		s.notIdentified(e.Err)
		return
	}
	var response protocol.InitProducerIDResponse
	err := protocol.Decode(e.Body, &response, i.request.Version)
	if t := response.ThrottleTimeMs; t > 0 && i.request.Version >= 1 {
		s.client.Throttle(e.Node, s.time.Add(time.Duration(t)*time.Millisecond))
	}
	if err == nil {
		err = response.ErrorCode.Err()
	}
	if err != nil {
		s.notIdentified(err)
		return
	}
	i.id, i.epoch, i.failures, i.err = response.ProducerID, response.ProducerEpoch, 0, nil
	s.logger.Debug("producer id", "id", i.id, "epoch", i.epoch)
}

// notIdentified sets the back-off. If trying again will not help, what waits fails: nothing can be
// sent without an id. Later records try again.
func (s *sender) notIdentified(err error) {
	i := &s.identity
	i.next = s.now + int64(s.retry.Delay(i.failures))
	i.failures++
	i.err = err
	s.alarm(i.next)
	s.logger.Debug("no producer id", "error", err)
	if errors.Is(err, ErrRetriable) || errors.Is(err, errcode.NetworkException) || errors.Is(err, ErrTimeout) {
		return
	}
	for _, t := range s.topics {
		for _, q := range t.queues {
			s.failWaiting(q, func(*batch) error {
				return failed(nil, "%s: no producer id", q.name()).because(err)
			})
			s.settle(q)
			s.place(q)
		}
	}
}
