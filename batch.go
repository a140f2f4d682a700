package producer

import (
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/record"
)

// batch.go owns a batch: the records of one partition that travel together.
//
// A batch is open, then closed, then in flight, then published, then released:
//
//	open       its queue's lock guards it; callers append
//	closed     still in its queue, whose lock guards it; nobody appends any more. If it is to be
//	           compressed it is a worker's until it is ready
//	in flight  it left the queue and is the Sender's. While onWire, a connection reads its chunks:
//	           nobody changes or frees them, whatever happens to the batch meanwhile
//	published  its outcome is known, exactly once; callbacks went to the completion goroutine
//	released   its chunks are back in the pool; only when published and not onWire
type batch struct {
	record.Builder

	queue   *queue
	acks    *acknowledgements
	opened  int64 // nanoseconds of the producer's clock
	limit   int   // bytes, uncompressed, that it may grow to
	stamped int64 // ms: the last timestamp the producer itself gave to a record
	flight  int64 // which Flush waits for it, see pending
	next    *batch
	ready   atomic.Bool // closed, and compressed if it is to be

	// The Sender's from here on.
	crumb       bool // it was closed because its time had come, and not because it was full
	size        int  // bytes, once it left the queue
	position         // among the batches of its queue
	attempts    int  // how often it was sent
	onWire      bool // a request that holds it has not ended
	published   bool
	split       bool  // its records are in other batches now
	maybe       bool  // an attempt ended without a clear answer: the broker may have written it
	lastErr     error // of the last attempt
	hasSequence bool
	stamp       record.Stamp
}

// acknowledgements is what a batch's records are told and who wants to hear it. A batch hands it over
// when it is published; it does not refer to the batch.
type acknowledgements struct {
	outcome *outcome
	entries []acknowledgement
	wanted  bool  // some entry has a callback
	flight  int64 // see batch
	charged int   // bytes of the pool that stay charged until the callbacks returned
}

// acknowledgement is one record's.
type acknowledgement struct {
	callback  Callback // nil: nobody asked
	keySize   int32
	valueSize int32
	timestamp int64
}

// acknowledgementCharge is what a record whose callback waits costs of BufferMemory, in bytes.
const acknowledgementCharge = 64

// future names the next record of the batch and remembers its callback.
func (b *batch) future(timestamp int64, key, value []byte, cb Callback) Future {
	f := Future{outcome: b.acks.outcome, index: int32(len(b.acks.entries)), keySize: sizeOrNull(key), valueSize: sizeOrNull(value), timestamp: timestamp}
	b.acks.entries = append(b.acks.entries, acknowledgement{cb, f.keySize, f.valueSize, timestamp})
	b.acks.wanted = b.acks.wanted || cb != nil
	return f
}

func sizeOrNull(b []byte) int32 {
	if b == nil {
		return -1
	}
	return int32(len(b))
}

// reset empties the batch for its next life.
func (b *batch) reset() {
	b.queue, b.acks, b.next, b.lastErr = nil, nil, nil, nil
	b.ready.Store(false)
	b.crumb = false
	b.size, b.position, b.attempts = 0, position{}, 0
	b.onWire, b.published, b.split, b.maybe, b.hasSequence = false, false, false, false, false
}

// position is where a batch stands among those of its queue.
type position struct {
	order int64 // in which batches were first sent
	part  int32 // among the parts of a batch that was split, which share its order
}

// before says whether p comes before o.
func (p position) before(o position) bool {
	return p.order < o.order || p.order == o.order && p.part < o.part
}

// expired says whether the delivery timeout has passed at now.
func (b *batch) expired(now int64, timeout time.Duration) bool {
	return now-b.opened >= int64(timeout)
}
