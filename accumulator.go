package producer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/record"
)

// accumulator.go owns the queues that records wait in, one per partition, and how callers put records
// into them. Callers and the Sender meet here, under a queue's lock. Under it nobody allocates pool
// memory, waits, logs or calls user code.

// accumulator is the way in: callers append, the Sender drains.
type accumulator struct {
	batchSize    int
	maxBatch     int          // uncompressed bytes of a batch that is to be compressed
	compression  *compression // nil: batches are sent as they are
	ignoreKeys   bool         // see Config.PartitionerIgnoreKeys, and so on
	adaptive     bool
	availability time.Duration
	pool         *bufferPool
	pending      *pending
	clock        *clock
	wake         func(urgent bool) // tells the Sender that something is on ready
	pick         func(n int) int   // a random number below n

	ready   readyList
	live    atomic.Int64 // batches opened and not published
	batches sync.Pool    // of *batch
	acks    sync.Pool    // of *acknowledgements
}

// queue is one partition's records. It lives as long as the producer: its sequence numbers must
// outlive whatever metadata says about the topic in between.
type queue struct {
	topic     *topic
	partition int32

	mu         sync.Mutex // guards the fields up to the blank line
	open       *batch
	head, tail *batch // closed, oldest first
	listed     bool   // on the ready list; only who takes it off may clear this
	hint       int    // bytes of the last batch that was closed
	sticky     [2]stickyChoice

	waiting   atomic.Int32 // batches that are not on the wire
	nextReady *queue       // link of the ready list
	sender    queueState
}

// topic is what the queues of a topic share. Atomic fields are for everybody, the rest is the
// Sender's.
type topic struct {
	name   string
	id     [16]byte     // as brokers last told; zero: not known
	order  int          // of creation; the batches of a request are sorted by it
	queues []*queue     // all there ever were; snapshots of metadata hold prefixes of it
	used   atomic.Int64 // when a batch was last opened, on the producer's clock
	live   atomic.Int64 // batches opened and not published
	sticky [2]atomic.Pointer[stickyChoice]
	loads  atomic.Pointer[loadTable]
	ratio  ratio
}

// input is one record on its way in.
type input struct {
	topic      string
	info       *topicInfo
	pinned     int32 // the partition the user named; -1: none
	key, value []byte
	headers    []Header
	timestamp  int64 // ms; -1: now
	callback   Callback
	deadline   time.Time // of waiting for metadata and memory; zero: there was no need to wait yet

	context   SerializeContext
	keyBuf    []byte
	valueBuf  []byte
	partition int32 // where it went or was meant to go; -1: not chosen
}

// name is the partition's.
func (q *queue) name() TopicPartition { return TopicPartition{q.topic.name, q.partition} }

func newQueue(t *topic, partition int32) *queue {
	q := &queue{topic: t, partition: partition, sender: newQueueState()}
	q.sticky[0].queue, q.sticky[1].queue = q, q
	return q
}

// readyList is a stack of queues with news for the Sender: any caller pushes, the Sender takes all.
type readyList struct{ head atomic.Pointer[queue] }

func (l *readyList) push(q *queue) {
	for {
		h := l.head.Load()
		q.nextReady = h
		if l.head.CompareAndSwap(h, q) {
			return
		}
	}
}

func (l *readyList) empty() bool { return l.head.Load() == nil }

// takeAll returns all queues in the order they were pushed, linked by nextReady.
func (l *readyList) takeAll() *queue {
	var first *queue
	for q := l.head.Swap(nil); q != nil; {
		next := q.nextReady
		q.nextReady = first
		first, q = q, next
	}
	return first
}

// append puts a record into the batch it belongs to and returns its future. It waits for memory, at
// most until in.deadline.
func (a *accumulator) append(ctx context.Context, in *input) (Future, error) {
	var p placement
	a.lock(in, &p)
	for {
		b := p.queue.open
		if b == nil {
			var err error
			if b, err = a.openFor(ctx, &p, in); err != nil {
				return Future{}, err
			} else if b == nil {
				continue
			}
		}
		timestamp := a.timestamp(b, in)
		size, ok := b.TryAppend(b.limit, timestamp, in.key, in.value, in.headers)
		if !ok {
			if b.Size()+size > b.limit && b.Count() > 0 {
				a.closeLocked(p.queue)
				p.urgent = true
				continue
			}
			if p.spare.size() < size-b.Room() {
				if err := a.fetch(ctx, &p, a.nextChunk(b.Size(), b.limit, size-b.Room(), 0), in); err != nil {
					return Future{}, err
				}
				continue
			}
			p.spare.more = b.AppendAcross(p.spare.chunk, p.spare.more, timestamp, in.key, in.value, in.headers)
			p.spare.next()
		}
		return a.appended(&p, b, timestamp, size, in), nil
	}
}

// openFor opens a batch for the record. It returns nil when memory had to be fetched for it first, or
// when a record without a key moved on to another queue: then everything may have changed.
// After an error the queue is unlocked.
func (a *accumulator) openFor(ctx context.Context, p *placement, in *input) (*batch, error) {
	need := record.UpperBound(in.key, in.value, in.headers)
	if a.switchSticky(p, need, in) {
		return nil, nil
	}
	if p.spare.size() < need {
		return nil, a.fetch(ctx, p, a.nextChunk(0, a.limit(p.queue.topic), need, p.queue.hint), in)
	}
	b, err := a.openLocked(p.queue, p.spare.chunk)
	if err != nil {
		a.unlock(p)
		return nil, err
	}
	p.spare.next()
	p.opened = true
	return b, nil
}

// fetch gets pool memory for the record, with no queue locked meanwhile, and locks the
// record's queue again. After an error it stays unlocked.
func (a *accumulator) fetch(ctx context.Context, p *placement, n int, in *input) error {
	in.partition = p.queue.partition
	a.unlock(p)
	m, err := a.pool.get(ctx, n, &in.deadline)
	if err != nil {
		return err
	}
	a.lock(in, p)
	p.spare = m
	return nil
}

// unlock lets go of the queue, gives back memory that was not needed, and wakes the Sender if there is
// reason to.
func (a *accumulator) unlock(p *placement) {
	p.queue.mu.Unlock()
	if p.spare.chunk != nil {
		a.pool.put(append(p.spare.more, p.spare.chunk), 0)
		p.spare = memory{}
	}
	if p.urgent || p.opened {
		a.wake(p.urgent)
		p.urgent, p.opened = false, false
	}
}

// appended finishes an append that was just done under the queue's lock, and unlocks it.
func (a *accumulator) appended(p *placement, b *batch, timestamp int64, size int, in *input) Future {
	q := p.queue
	if p.sticky != nil {
		p.sticky.produced += size
	}
	f := b.future(timestamp, in.key, in.value, in.callback)
	if b.Size() >= b.limit {
		a.closeLocked(q)
		p.urgent = true
	} else if p.opened {
		a.listLocked(q)
	}
	in.partition = q.partition
	a.unlock(p)
	return f
}

// timestamp is the record's own, or now. Asking the clock costs more than all the rest of an append:
// while the Sender keeps time, and at most for 31 records in a row, its coarse reading will do.
func (a *accumulator) timestamp(b *batch, in *input) int64 {
	if in.timestamp >= 0 {
		return in.timestamp
	}
	now := int64(0)
	if b.Count()&31 != 0 {
		now = a.clock.coarse.Load()
	}
	if now == 0 {
		now = time.Now().UnixMilli()
	}
	b.stamped = max(b.stamped, now)
	return b.stamped
}

// listLocked makes the Sender look at the queue.
func (a *accumulator) listLocked(q *queue) {
	if !q.listed {
		q.listed = true
		a.ready.push(q)
	}
}

// openLocked opens a batch in chunk. It fails once the producer is closed.
func (a *accumulator) openLocked(q *queue, chunk []byte) (*batch, error) {
	a.live.Add(1) // before pending may be closed: a closing Sender waits for it to be zero
	flight, err := a.pending.add()
	if err != nil {
		a.live.Add(-1)
		return nil, err
	}
	b := a.newBatch(q, flight, chunk)
	b.limit = a.limit(q.topic)
	b.opened = a.clock.now()
	q.topic.used.Store(b.opened)
	q.topic.live.Add(1)
	q.open = b
	q.waiting.Add(1)
	return b, nil
}

// newBatch is an empty batch in chunk, which is counted already.
func (a *accumulator) newBatch(q *queue, flight int64, chunk []byte) *batch {
	b, _ := a.batches.Get().(*batch)
	if b == nil {
		b = &batch{}
	}
	k, _ := a.acks.Get().(*acknowledgements)
	if k == nil {
		k = &acknowledgements{}
	}
	k.outcome = &outcome{topic: q.topic.name, partition: q.partition}
	k.flight = flight
	b.queue, b.acks, b.flight, b.stamped = q, k, flight, 0
	b.Open(chunk)
	return b
}

// limit is how many bytes a batch of the topic may have before it is compressed: as many as will then
// be batchSize, by what its batches have shrunk to so far.
func (a *accumulator) limit(t *topic) int {
	if a.compression == nil {
		return a.batchSize
	}
	return min(int(float64(a.batchSize)/(t.ratio.load()*ratioMargin)), a.maxBatch)
}

// readied puts the queue of a batch that was compressed on the ready list.
func (a *accumulator) readied(b *batch) {
	q := b.queue
	b.ready.Store(true) // from here on it is the queue's, and then the Sender's
	q.mu.Lock()
	a.listLocked(q)
	q.mu.Unlock()
	a.wake(true)
}

// closeLocked moves the open batch to the end of the queue. If it is to be compressed, it goes to the
// workers, and they tell the Sender.
func (a *accumulator) closeLocked(q *queue) {
	b := q.open
	q.open = nil
	q.hint = b.Size()
	if q.tail == nil {
		q.head = b
	} else {
		q.tail.next = b
	}
	q.tail = b
	if a.compression != nil && a.compression.push(b) {
		return
	}
	b.ready.Store(true)
	a.listLocked(q)
}

// popLocked takes the oldest closed batch off the queue, or nil.
func (q *queue) popLocked() *batch {
	b := q.head
	if b == nil {
		return nil
	}
	if q.head = b.next; q.head == nil {
		q.tail = nil
	}
	b.next = nil
	return b
}

// oldestLocked is when the oldest batch in the queue was opened.
func (q *queue) oldestLocked() (opened int64, ok bool) {
	switch {
	case q.head != nil:
		return q.head.opened, true
	case q.open != nil:
		return q.open.opened, true
	}
	return 0, false
}

// nextChunk is how much memory to fetch for a batch of have bytes that needs another need. Memory
// follows the bytes there are: 512 B, then 2, 8 and 16 KiB; a batch opens with what the last one of
// its partition needed, up to 16 KiB. A record that needs more gets it in several chunks.
func (a *accumulator) nextChunk(have, limit, need, hint int) int {
	n := maxChunk
	switch {
	case have == 0 && hint > 0:
		n = min(hint, maxChunk)
	case have == 0:
		n = 512
	case have < 2<<10:
		n = 2 << 10
	case have < 8<<10:
		n = 8 << 10
	}
	n = int(min(int64(n), a.pool.total))
	return max(min(n, limit-have), need)
}

// over counts a batch out whose outcome is published and whose callbacks have returned.
func (a *accumulator) over(k *acknowledgements) {
	if k.charged > 0 {
		a.pool.uncharge(k.charged)
	}
	flight := k.flight
	if cap(k.entries) <= 64 || len(k.entries) >= cap(k.entries)/8 { // else it grew far beyond what is needed
		clear(k.entries)
		k.entries, k.outcome, k.wanted, k.charged = k.entries[:0], nil, false, 0
		a.acks.Put(k)
	}
	a.pending.done(flight)
}
