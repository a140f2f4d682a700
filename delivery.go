package producer

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
)

// delivery.go owns what the end of a produce request, or of a batch's time, means for the batches
// concerned. All of it is the Sender's. Whatever is decided, publish is the one place where records
// learn their outcome.

// answer is what became of one batch in one request.
type answer struct {
	err        error // nil: written
	unclear    bool  // no answer came: the batch may be written
	baseOffset int64
	appendTime int64                      // ms; -1: records keep their own
	blamed     []protocol.BatchIndexError // the records on whose account the batch was refused
}

// errNoAnswer is a response that leaves out a batch of its request.
var errNoAnswer = errors.New("the response says nothing of this partition")

// produced acts on the end of a produce request: nothing refers to its batches' memory any more.
func (s *sender) produced(r *produceRequest, e network.Event) {
	switch e.Kind {
	case network.Written:
		for _, b := range r.batches {
			s.finish(r, b, answer{baseOffset: -1, appendTime: -1})
		}
	case network.Response:
		s.answered(r, e.Body)
	default:
		s.refresh.needed = true
		unclear := !errors.Is(e.Err, errcode.UnsupportedVersion) // then nothing was sent
		for _, b := range r.batches {
			s.finish(r, b, answer{err: e.Err, unclear: unclear})
		}
	}
	for _, b := range r.batches {
		s.settle(b.queue)
		s.place(b.queue)
	}
	for _, b := range r.batches {
		if b.published || b.split {
			s.release(b)
		}
	}
	clear(r.batches)
	clear(r.chunks)
	r.batches = r.batches[:0]
	s.requests = append(s.requests, r)
}

// answered matches a response with the batches of its request. Answers for partitions that were not
// asked for, and second ones, are ignored; a batch without answer ends like one whose connection broke.
func (s *sender) answered(r *produceRequest, body []byte) {
	if err := protocol.Decode(body, &r.response, r.Version); err != nil {
		for _, b := range r.batches {
			s.finish(r, b, answer{err: fmt.Errorf("%w: %w", errcode.NetworkException, err), unclear: true})
		}
		return
	}
	if t := r.response.ThrottleTimeMs; t > 0 && r.Version >= firstProduceThrottledByClient {
		s.client.Throttle(r.node.id, s.time.Add(time.Duration(t)*time.Millisecond))
	}
	for i := range r.response.Topics {
		t := &r.response.Topics[i]
		for j := range t.Partitions {
			p := &t.Partitions[j]
			if b := r.find(t, p.Index); b != nil {
				s.takeHint(b.queue, p)
				s.finish(r, b, answerOf(p))
			}
		}
	}
	for _, b := range r.batches {
		if b.onWire {
			s.finish(r, b, answer{err: fmt.Errorf("%w: %w", errcode.NetworkException, errNoAnswer), unclear: true})
		}
	}
	s.followHints(&r.response)
}

// firstProduceThrottledByClient is the version of Produce from which brokers leave it to clients to
// wait for the throttle time they announce (KIP-219).
const firstProduceThrottledByClient = 6

// find is the batch of that partition that has no answer yet, or nil. Answers come in the order of
// the request, so the search begins behind the last find.
func (r *produceRequest) find(t *protocol.ProduceResponseTopic, partition int32) *batch {
	for i := range r.batches {
		k := (r.answered + i) % len(r.batches)
		b := r.batches[k]
		if b.onWire && b.queue.partition == partition && r.names(t, b.queue.topic) {
			r.answered = k + 1
			return b
		}
	}
	return nil
}

func (r *produceRequest) names(t *protocol.ProduceResponseTopic, topic *topic) bool {
	if r.Version > lastProduceByName {
		return t.TopicID == topic.id
	}
	return t.Name == topic.name
}

func answerOf(p *protocol.ProduceResponsePartition) answer {
	if p.ErrorCode == errcode.None {
		return answer{baseOffset: p.BaseOffset, appendTime: p.LogAppendTimeMs}
	}
	a := answer{
		err: p.ErrorCode, unclear: errors.Is(p.ErrorCode, ErrMaybeWritten), blamed: p.RecordErrors,
		baseOffset: p.BaseOffset, appendTime: -1,
	}
	if p.ErrorMessage.Value != "" {
		a.err = fmt.Errorf("%w (%s)", p.ErrorCode, p.ErrorMessage.Value)
	}
	return a
}

// finish decides about a batch whose request has ended.
func (s *sender) finish(r *produceRequest, b *batch, a answer) {
	q := b.queue
	st := &q.sender
	if i := slices.Index(st.flying, b); i >= 0 {
		st.flying = slices.Delete(st.flying, i, i+1)
	}
	b.onWire = false
	b.maybe = b.maybe || a.unclear
	b.lastErr = a.err
	var code errcode.Code
	if errors.As(a.err, &code) && code.InvalidMetadata() {
		s.refresh.needed = true
	}
	switch {
	case a.err == nil, errors.Is(a.err, errcode.DuplicateSequenceNumber),
		errors.Is(a.err, errcode.OutOfOrderSequenceNumber) && st.sequence.overtaken(b):
		st.sequence.acknowledged(b)
		if !b.published {
			s.publish(b, a.baseOffset, a.appendTime, nil)
		}
	case b.published: // its time was over before
		st.sequence.givenUp(b)
	case errors.Is(a.err, errcode.MessageTooLarge) && b.Count() > 1:
		s.split(b)
	case s.mayRetry(b, a.err):
		s.resend(r, b)
	case b.expired(s.now, s.cfg.DeliveryTimeout):
		st.sequence.givenUp(b)
		s.publish(b, -1, -1, s.timedOut(b))
	default:
		if b.maybe {
			st.sequence.givenUp(b)
		} else if b.hasSequence {
			st.sequence.raise(b.position) // the broker waits for this number: nothing after it is written
		}
		f := failed(nil, "%s", q.name()).because(a.err)
		if len(a.blamed) > 0 {
			s.blame(b, a)
			// The cause is not theirs: who asks for it must not take them for bad records.
			f = failed(ErrRetriable, "%s: not written because other records of its batch were refused: %v", q.name(), a.err)
		}
		f.maybeWritten = b.maybe
		s.publish(b, -1, -1, f)
	}
}

// blame tells the records that made the broker refuse their batch what was wrong with them (KIP-467).
// The others were fine, and may be sent again.
func (s *sender) blame(b *batch, a answer) {
	o := b.acks.outcome
	o.blamed = make(map[int32]error, len(a.blamed))
	for _, e := range a.blamed {
		f := failed(nil, "%s: record %d of its batch", TopicPartition{o.topic, o.partition}, e.BatchIndex).because(a.err)
		f.maybeWritten = b.maybe
		if e.Message.Value != "" {
			f.what += ": " + e.Message.Value
		}
		o.blamed[e.BatchIndex] = f
	}
}

// mayRetry says whether a batch that failed with err is worth another attempt.
func (s *sender) mayRetry(b *batch, err error) bool {
	if b.expired(s.now, s.cfg.DeliveryTimeout) || b.attempts > s.cfg.Retries {
		return false
	}
	if b.hasSequence && (errors.Is(err, errcode.OutOfOrderSequenceNumber) || errors.Is(err, errcode.UnknownProducerID)) {
		// Of a batch behind others that are not acknowledged this is to be expected. Of the first one it means
		// that the broker has lost what was before it, or has forgotten this producer, as it may after a long
		// pause; so neither it nor any after it is written.
		if st := &b.queue.sender; st.first(b) {
			st.sequence.raise(b.position)
		}
		return true
	}
	return errors.Is(err, ErrRetriable)
}

// first says whether no batch before b is still to be acknowledged.
func (st *queueState) first(b *batch) bool {
	return (len(st.flying) == 0 || b.before(st.flying[0].position)) && (len(st.resend) == 0 || b.before(st.resend[0].position))
}

// resend puts a batch among those to be sent again. The first of them sets the back-off, unless the
// partition has moved to another broker meanwhile.
func (s *sender) resend(r *produceRequest, b *batch) {
	st := &b.queue.sender
	st.resend = insert(st.resend, b)
	b.queue.waiting.Add(1)
	s.tellRetry(b)
	if st.resend[0] == b {
		st.retryAt = s.now
		if st.node == r.node {
			st.retryAt += int64(s.retry.Delay(b.attempts - 1))
		}
	}
}

// timedOut is the error of a batch whose delivery time-out passed.
func (s *sender) timedOut(b *batch) error {
	f := failed(ErrTimeout, "%s: %d records not delivered in %v",
		b.queue.name(), b.Count(), s.lasted(b.opened))
	f.maybeWritten = b.maybe || b.onWire
	return f.because(s.excuse(b))
}

// fileExpiry sees to it that the queue is looked at when the delivery time-out of its oldest batch passes.
func (s *sender) fileExpiry(q *queue, oldest int64) {
	if !q.sender.expiring {
		q.sender.expiring = true
		s.expiring.add(q, oldest+int64(s.cfg.DeliveryTimeout))
	}
}

// expire fails the batches of a queue whose delivery time-out has passed.
func (s *sender) expire(q *queue) {
	st := &q.sender
	for _, b := range st.flying {
		if !b.published && b.expired(s.now, s.cfg.DeliveryTimeout) {
			s.publish(b, -1, -1, s.timedOut(b)) // its memory waits for the request to end
		}
	}
	expired := func(b *batch) bool { return b.expired(s.now, s.cfg.DeliveryTimeout) }
	s.failThose(q, expired, s.timedOut)
	if len(st.flying) > 0 {
		s.fileExpiry(q, st.flying[0].opened)
	}
	s.settle(q)
	s.place(q)
}

// failWaiting fails every batch of a queue that is not on the wire.
func (s *sender) failWaiting(q *queue, err func(*batch) error) {
	s.failThose(q, func(*batch) bool { return true }, err)
}

// failThose fails the batches of a queue from the front, as far as which holds, those on the wire aside.
func (s *sender) failThose(q *queue, which func(*batch) bool, err func(*batch) error) {
	st := &q.sender
	for len(st.resend) > 0 && which(st.resend[0]) {
		b := st.resend[0]
		st.resend = slices.Delete(st.resend, 0, 1)
		q.waiting.Add(-1)
		st.sequence.givenUp(b)
		s.publish(b, -1, -1, err(b))
		s.release(b)
	}
	for {
		q.mu.Lock()
		b := q.head
		switch {
		case b != nil && !b.ready.Load():
			b = nil // a worker's: it will come up again
		case b != nil && which(b):
			b = q.popLocked()
		case b == nil && q.open != nil && which(q.open):
			b, q.open = q.open, nil
		default:
			b = nil
		}
		q.mu.Unlock()
		if b == nil {
			return
		}
		q.waiting.Add(-1)
		s.publish(b, -1, -1, err(b))
		s.release(b)
	}
}

// abandon fails all that is left in a queue when the producer ends by force. No connection is left.
func (s *sender) abandon(q *queue) {
	closed := func(b *batch) error {
		s.lost.Add(int64(b.Count()))
		f := failed(ErrClosed, "%s: not delivered", q.name()).because(s.excuse(b))
		f.maybeWritten = b.maybe || b.onWire
		return f
	}
	flying := q.sender.flying
	q.sender.flying = nil
	for _, b := range flying {
		if !b.published {
			s.publish(b, -1, -1, closed(b))
		}
		b.onWire = false
		s.release(b)
	}
	s.failWaiting(q, closed)
}

// publish tells a batch's records their outcome: everybody who waits in Get wakes up, and callbacks go
// to the completion goroutine. The batch's memory returns to the pool, unless a connection may still
// read it; then it does when the request ends.
func (s *sender) publish(b *batch, baseOffset, appendTime int64, err error) {
	if invariants.Enabled && b.published {
		panic("producer: a batch was published twice")
	}
	b.published = true
	k := b.acks
	b.acks = nil
	if err != nil {
		s.counts.failures += int64(len(k.entries))
	}
	if k.wanted {
		k.charged = acknowledgementCharge * len(k.entries)
	}
	s.free(b, k.charged) // first: who hears of it may send again
	k.outcome.publish(baseOffset, appendTime, err)
	s.acc.live.Add(-1)
	b.queue.topic.live.Add(-1)
	if k.wanted {
		s.comp.push(k)
	} else {
		s.acc.over(k)
	}
}

// free returns a batch's memory to the pool if nothing reads it; keep bytes stay charged.
func (s *sender) free(b *batch, keep int) {
	s.chunks = s.chunks[:0]
	if !b.onWire {
		s.chunks = b.Close(s.chunks)
	}
	if len(s.chunks) > 0 || keep > 0 {
		s.acc.pool.put(s.chunks, keep)
		clear(s.chunks)
	}
}

// release ends the life of a batch that is published and not on the wire.
func (s *sender) release(b *batch) {
	s.free(b, 0)
	b.reset()
	s.acc.batches.Put(b)
}
