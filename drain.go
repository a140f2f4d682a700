package producer

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/network"
	"github.com/kafka-go-producer/producer/record"
)

// drain.go owns where a queue belongs and how ready queues become requests. All of it is the Sender's.

// queueState is the Sender's part of a queue.
type queueState struct {
	node   *nodeQueue // of the leader; nil: none known
	flying []*batch   // on the wire, in the order they were first sent
	resend []*batch   // sent before and to be sent again, in that order too; they precede the queue's own
	sent   int64      // batches sent so far, for that order

	retryAt  int64 // when resend may go
	sequence sequence

	ready, full                     bool // in its node's line; counted in its node's full
	lingering, backingOff, expiring bool // in the wheel of that name
	homeless                        bool
}

func newQueueState() queueState { return queueState{sequence: sequence{id: -1}} }

// nodeQueue is a broker's line of queues that are ready for it.
type nodeQueue struct {
	id     int32
	rack   string
	live   bool // as of the last metadata
	leaves bool // scratch of takeNodes
	line   fifo
	full   int // queues in the line whose next batch will not grow any more

	blocked atomic.Int64 // since when it has not taken what is ready, on the producer's clock; zero: it has. Callers read it
}

// fifo is a line of queues.
type fifo struct {
	items []*queue
	head  int
}

func (f *fifo) len() int      { return len(f.items) - f.head }
func (f *fifo) push(q *queue) { f.items = append(f.items, q) }

func (f *fifo) pop() *queue {
	q := f.items[f.head]
	f.items[f.head] = nil
	f.head++
	switch {
	case f.head == len(f.items):
		f.items, f.head = f.items[:0], 0
	case f.head > 1024 && f.head*2 > len(f.items):
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	return q
}

// place puts a queue where it belongs now. It may be called for any queue at any time.
func (s *sender) place(q *queue) {
	st := &q.sender
	next := s.look(q)
	if !next.any {
		return
	}
	s.fileExpiry(q, next.oldest)
	switch {
	case st.ready:
		s.markFull(q, next.full)
		return
	case !s.mayGo(q), next.compressing:
		return // its batches on the wire, or a worker, will place it again
	case len(st.resend) > 0 && st.retryAt > s.now:
		if !st.backingOff {
			st.backingOff = true
			s.backingOff.add(q, st.retryAt)
		}
		return
	case !next.full && !next.due:
		if !st.lingering {
			st.lingering = true
			s.lingering.add(q, next.oldest+int64(s.cfg.Linger))
		}
		return
	}
	if st.node == nil {
		if !st.homeless {
			st.homeless = true
			s.homeless = append(s.homeless, q)
		}
		s.refresh.needed = true
		return
	}
	st.ready = true
	st.node.line.push(q)
	s.markFull(q, next.full)
}

// outlook is what a queue has to send next.
type outlook struct {
	any         bool  // something, at some time
	oldest      int64 // when the oldest batch was opened
	full        bool  // the next batch will not grow any more
	due         bool  // it may still grow, but is to be sent as it is
	compressing bool  // it is a worker's
}

// look finds out. A batch that is due and is to be compressed is closed.
func (s *sender) look(q *queue) (next outlook) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if resend := q.sender.resend; len(resend) > 0 {
		return outlook{any: true, oldest: resend[0].opened, full: true}
	}
	if s.acc.compression != nil && q.head == nil && s.dueLocked(q) {
		q.open.crumb = true
		s.acc.closeLocked(q)
	}
	next.oldest, next.any = q.oldestLocked()
	if b := q.head; b != nil {
		next.compressing = !b.ready.Load()
		next.full = !next.compressing && !b.crumb
		next.due = !next.compressing && b.crumb
		return next
	}
	next.due = s.dueLocked(q)
	return next
}

// dueLocked says whether the open batch is to be sent as it is.
func (s *sender) dueLocked(q *queue) bool {
	b := q.open
	return b != nil && (s.hurry || b.opened+int64(s.cfg.Linger) <= s.now || b.flight <= s.flush.Load())
}

func (s *sender) markFull(q *queue, full bool) {
	if st := &q.sender; full && !st.full {
		st.full = true
		st.node.full++
	}
}

// leaveLine clears the flags of a queue that was taken off n's line.
func (s *sender) leaveLine(q *queue, n *nodeQueue) {
	q.sender.ready = false
	if q.sender.full {
		q.sender.full = false
		n.full--
	}
}

// mayGo says whether the queue's next batch may be sent, as far as order is concerned.
func (s *sender) mayGo(q *queue) bool {
	st := &q.sender
	switch {
	case s.cfg.MaxInFlight == 1:
		return len(st.flying) == 0 // keeps order without sequences, also when the leader moves
	case !s.cfg.Idempotence:
		return true
	case len(st.resend) > 0:
		// The lowest sequence first: the broker takes no other. Those after it may still be out.
		first := st.resend[0].position
		return !st.sequence.renumbers(first) && (len(st.flying) == 0 || first.before(st.flying[0].position))
	}
	span := int64(0)
	if len(st.flying) > 0 {
		span = st.sent - st.flying[0].order
	}
	return st.sequence.mayStart(span, s.identity.id)
}

// rehome places the queues that the last metadata gave another leader, and those that had none.
func (s *sender) rehome() {
	if len(s.moved) > 0 {
		for _, n := range s.nodes {
			for range n.line.len() {
				if q := n.line.pop(); q.sender.node == n {
					n.line.push(q)
				} else {
					s.leaveLine(q, n)
				}
			}
		}
	}
	for _, q := range s.homeless {
		q.sender.homeless = false
	}
	again := append(s.moved, s.homeless...)
	s.moved, s.homeless = s.moved[:0], s.homeless[:0]
	for _, q := range again {
		s.settle(q)
		s.place(q)
	}
}

// produceRequest is a request and the batches in it; it is used again and again.
type produceRequest struct {
	network.Request
	node     *nodeQueue
	message  protocol.ProduceRequest
	response protocol.ProduceResponse
	batches  []*batch
	answered int // of batches, from the front: where the next answer is looked for
	vectors  [][]byte
	fields   []byte
	chunks   [][]byte
}

// drain sends what is ready for a node, as far as the node takes it.
func (s *sender) drain(n *nodeQueue) {
	if n.line.len() == 0 {
		n.blocked.Store(0) // there is nothing that it does not take
		return
	}
	if s.cfg.Idempotence && s.identity.id < 0 {
		return
	}
	for n.line.len() > 0 {
		if !s.client.Ready(n.id, s.time) {
			n.blocked.CompareAndSwap(0, s.now)
			return
		}
		n.blocked.Store(0)
		// While an answer is on its way, crumbs gather: fewer, larger requests serve many callers that
		// wait for their records better than a request each.
		if n.full == 0 && s.client.InFlight(n.id) > 0 && s.flushing.Load() == 0 && !s.hurry {
			return
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// sendOne builds a request from the front of a node's line and sends it; false: nothing to send.
func (s *sender) sendOne(n *nodeQueue) bool {
	r := s.newRequest(n)
	size := 0
	for k := n.line.len(); k > 0 && size < s.cfg.MaxRequestSize; k-- {
		q := n.line.pop()
		s.leaveLine(q, n)
		b := s.take(q)
		if b == nil {
			s.place(q)
			continue
		}
		if size > 0 && size+b.size > s.cfg.MaxRequestSize {
			s.putBack(q, b)
			break
		}
		size += b.size
		s.launch(q, b)
		r.batches = append(r.batches, b)
		s.place(q)
	}
	if len(r.batches) == 0 {
		s.requests = append(s.requests, r)
		return false
	}
	s.send(r)
	return true
}

func (s *sender) newRequest(n *nodeQueue) *produceRequest {
	var r *produceRequest
	if k := len(s.requests); k > 0 {
		r, s.requests = s.requests[k-1], s.requests[:k-1]
	} else {
		r = &produceRequest{}
		r.Tag = r
	}
	r.node, r.answered = n, 0
	return r
}

// take gives the batch of the queue that is to be sent next, if it may be sent now. It leaves the
// queue, and is sealed unless it was sent before: then its bytes stay as they are.
func (s *sender) take(q *queue) *batch {
	st := &q.sender
	if !s.mayGo(q) {
		return nil
	}
	if len(st.resend) > 0 {
		if st.retryAt > s.now {
			return nil
		}
		b := st.resend[0]
		st.resend = slices.Delete(st.resend, 0, 1)
		q.waiting.Add(-1)
		if s.cfg.Idempotence && !b.hasSequence {
			s.seal(q, b) // its number went with an epoch
		}
		return b
	}
	q.mu.Lock()
	b := q.head
	switch {
	case b != nil && b.ready.Load():
		b = q.popLocked()
	case b == nil && s.acc.compression == nil && s.dueLocked(q):
		b, q.open = q.open, nil
		q.hint = b.Size()
	default:
		b = nil
	}
	q.mu.Unlock()
	if b != nil {
		q.waiting.Add(-1)
		b.size = b.Size()
		b.order = st.sent
		st.sent++
		s.seal(q, b)
	}
	return b
}

// putBack undoes take, for a batch that has no room in the request. It keeps its sequence number.
func (s *sender) putBack(q *queue, b *batch) {
	q.sender.resend = slices.Insert(q.sender.resend, 0, b)
	q.waiting.Add(1)
	q.sender.retryAt = min(q.sender.retryAt, s.now)
	s.place(q)
}

// launch notes that the batch is about to be on the wire.
func (s *sender) launch(q *queue, b *batch) {
	b.onWire = true
	if b.attempts++; b.attempts > 1 {
		s.counts.retries++
	}
	q.sender.flying = insert(q.sender.flying, b)
	s.counts.batches++
	s.counts.records += int64(b.Count())
	s.counts.bytes += int64(b.size)
}

// insert puts a batch where it belongs among others of its queue.
func insert(batches []*batch, b *batch) []*batch {
	i := len(batches)
	for i > 0 && b.before(batches[i-1].position) {
		i--
	}
	return slices.Insert(batches, i, b)
}

// send encodes the request and hands it to the network.
func (s *sender) send(r *produceRequest) {
	lowest, highest := protocol.Produce.Versions()
	slices.SortStableFunc(r.batches, func(a, b *batch) int { return cmp.Compare(a.queue.topic.order, b.queue.topic.order) })
	for _, b := range r.batches {
		if b.queue.topic.id == [16]byte{} {
			highest = min(highest, lastProduceByName)
		}
		if b.Codec() == record.CodecZstd {
			lowest = max(lowest, firstProduceWithZstd)
		}
	}
	version, err := s.client.Version(r.node.id, protocol.Produce, lowest, highest)
	if err == nil {
		s.encode(r, version)
		err = s.client.Send(r.node.id, &r.Request, s.time)
	}
	s.counts.requests++
	if err != nil { // it ends before it began
		s.produced(r, network.Event{Kind: network.Failed, Node: r.node.id, Request: &r.Request, Err: err})
	}
}

// firstProduceWithZstd is the version of Produce from which brokers take batches compressed with zstd
// (KIP-110).
const firstProduceWithZstd = 7

// lastProduceByName is the last version of Produce that names topics; later ones want topic ids.
const lastProduceByName = 12

func (s *sender) encode(r *produceRequest, version int16) {
	m := &r.message
	m.Acks = int16(s.cfg.Acks)
	m.TimeoutMs = int32(s.cfg.RequestTimeout / time.Millisecond)
	m.Topics, r.chunks = m.Topics[:0], r.chunks[:0]
	var last *topic
	for _, b := range r.batches {
		if t := b.queue.topic; t != last {
			last = t
			m.Topics = extend(m.Topics)
			e := &m.Topics[len(m.Topics)-1]
			e.Name, e.TopicID, e.Partitions = t.name, t.id, e.Partitions[:0]
		}
		e := &m.Topics[len(m.Topics)-1]
		from := len(r.chunks)
		r.chunks = b.AppendChunks(r.chunks)
		e.Partitions = append(e.Partitions, protocol.ProduceRequestPartition{
			Index: b.queue.partition, Records: protocol.Records{Chunks: r.chunks[from:len(r.chunks):len(r.chunks)]},
		})
	}
	r.vectors, r.fields = protocol.AppendVectors(r.vectors[:0], r.fields[:0], m, version)
	r.Key, r.Version, r.Body = protocol.Produce, version, r.vectors
	r.NoResponse = s.cfg.Acks == AcksNone
}

// extend makes a slice one longer and keeps what stood there, for its memory.
func extend[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}
