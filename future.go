package producer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// future.go owns outcomes: one for all records of a batch, written once by whoever publishes it and
// read by any goroutine. A Future is a value that names a record of an outcome.

// Callback learns the outcome of one record, once: on the goroutine that called Send, before Send
// returns, when the record was refused; else on the producer's completion goroutine, in log order per
// partition. It may Send and Get. Flush and Close return ErrInvalidState there. A callback that
// blocks holds up the callbacks after it and, once BufferMemory is used up, Send; never the network. So
// it must not wait for another goroutine that sends.
// A panic in it is logged and goes no further.
type Callback func(RecordMetadata, error)

// Future is the outcome of one Send: a small value, free to copy and to drop. Its zero value is the
// outcome of no Send, and its Get says so.
type Future struct {
	outcome   *outcome
	index     int32 // of the record in its batch
	keySize   int32 // -1: null
	valueSize int32 // -1: null
	timestamp int64 // ms
}

// outcome is what became of a batch's records. Everything from done to mu is written before done is set.
type outcome struct {
	topic     string
	partition int32

	done       atomic.Bool
	baseOffset int64           // -1: unknown
	appendTime int64           // ms, the broker's; -1: the records keep theirs
	err        error           // of the whole batch
	blamed     map[int32]error // then: of single records, by index; nil: err is everybody's
	parts      []part          // the batch was split: what became of its records is told by these

	parent *outcome // whose part this is; the Sender's
	open   int      // parts that are not done; the Sender's

	mu   sync.Mutex // guards wait
	wait chan struct{}
}

// part is the outcome of the records of a split batch from first on.
type part struct {
	first   int32
	outcome *outcome
}

// publish makes the outcome known; it may be called once. The last part to be known makes its parent's
// known as well.
func (o *outcome) publish(baseOffset, appendTime int64, err error) {
	o.baseOffset, o.appendTime, o.err = baseOffset, appendTime, err
	o.mu.Lock() // one of publish and doneCh sees the other, and closes
	o.done.Store(true)
	if o.wait != nil {
		close(o.wait)
	}
	o.mu.Unlock()
	if o.parent != nil {
		if o.parent.open--; o.parent.open == 0 {
			o.parent.publish(-1, -1, nil)
		}
	}
}

// errorOf is the error of the record with that index.
func (o *outcome) errorOf(index int32) error {
	if err := o.blamed[index]; err != nil {
		return err
	}
	return o.err
}

// locate finds the outcome that tells of the record f names, and its index there.
func (f Future) locate() Future {
	for len(f.outcome.parts) > 0 {
		parts := f.outcome.parts
		i := len(parts) - 1
		for parts[i].first > f.index {
			i--
		}
		f.outcome, f.index = parts[i].outcome, f.index-parts[i].first
	}
	return f
}

// doneCh is closed once the outcome is known. It is made by the first who wants it.
func (o *outcome) doneCh() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wait == nil {
		o.wait = make(chan struct{})
		if o.done.Load() {
			close(o.wait)
		}
	}
	return o.wait
}

// unknown is what is told of a record whose outcome is a failure, or not known.
func (o *outcome) unknown() RecordMetadata {
	return RecordMetadata{TopicPartition: TopicPartition{o.topic, o.partition}, Offset: -1, KeySize: -1, ValueSize: -1}
}

// metadata is what the record f names is told; the outcome must be known.
func (o *outcome) metadata(f *Future) RecordMetadata {
	m := o.unknown()
	if o.err != nil {
		return m
	}
	m.KeySize, m.ValueSize = int(f.keySize), int(f.valueSize)
	if o.baseOffset >= 0 {
		m.Offset = o.baseOffset + int64(f.index)
	}
	m.Timestamp = o.timeOf(f.timestamp)
	return m
}

// timeOf is the timestamp that a written record has which was sent with the given one.
func (o *outcome) timeOf(timestamp int64) time.Time {
	if o.appendTime >= 0 {
		timestamp = o.appendTime
	}
	return time.UnixMilli(timestamp)
}

// Get waits for the outcome or for ctx. A known outcome is returned whatever became of ctx. When ctx
// ends first, the record goes on: the error matches ctx's and ErrMaybeWritten.
func (f Future) Get(ctx context.Context) (RecordMetadata, error) {
	o := f.outcome
	if o == nil {
		none := outcome{partition: -1}
		return none.unknown(), failed(ErrInvalidState, "Get of a Future that no Send returned")
	}
	if !o.done.Load() {
		select {
		case <-o.doneCh():
		case <-ctx.Done():
			f := failed(nil, "waiting for a record of %s", TopicPartition{o.topic, o.partition}).because(ctx.Err())
			f.maybeWritten = true
			return o.unknown(), f
		}
	}
	f = f.locate()
	return f.outcome.metadata(&f), f.outcome.errorOf(f.index)
}

// Done is closed when the outcome is known; the record's callback may still be about to run.
// It is nil for the zero Future.
func (f Future) Done() <-chan struct{} {
	if f.outcome == nil {
		return nil
	}
	return f.outcome.doneCh()
}
