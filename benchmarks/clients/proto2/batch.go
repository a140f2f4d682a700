package main

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// batch.go owns topics, partitions, and the bytes of a batch: under its partition's lock while it is open, the Sender's
// afterwards.

// prefix is the bytes before a batch in a request: partition and length.
const prefix = 8

type topic struct {
	name       string
	partitions []partition
	_          [64]byte
	sticky     atomic.Int32
	hint       atomic.Int32 // bytes of the last sticky batch
}

func newTopic(name string, n int) *topic {
	t := &topic{name: name, partitions: make([]partition, n)}
	for i := range t.partitions {
		t.partitions[i].index = int32(i)
	}
	return t
}

type partition struct {
	mu          sync.Mutex // guards open to hint
	open        *batch
	first, last *batch // closed batches
	listed      bool   // on the ready list; only who takes it off clears this
	hint        int32  // bytes of the last batch
	index       int32
	next        *partition // on the ready list

	// the Sender's
	sequence   int32
	inFlight   int32
	inReady    bool
	readyFull  bool
	inLinger   bool
	inDelivery bool
	acked      bool // a batch of this producer id was acknowledged
	muted      bool
	_          [56]byte
}

// batch lies in chunks; all but the last, which is buf, are cut to what is written.
type batch struct {
	buf             []byte // the part of the current chunk that may be used
	end             int    // of what is written in buf
	before          int    // bytes in chunks
	chunks          [][]byte
	records         int32
	called          bool  // some record has a callback
	created, newest int64 // ms
	opened          int64 // ns since the client's start
	outcome         *outcome
	partition       *partition
	next            *batch
	callbacks       []callback
	fewChunks       [4][]byte
	fewCallbacks    [2]callback
}

func newBatch() *batch {
	b := &batch{}
	b.chunks, b.callbacks = b.fewChunks[:0], b.fewCallbacks[:0]
	return b
}

func (b *batch) size() int { return b.before + b.end }

// recycle empties b for the pool. A slab of callbacks that is much larger than its use goes.
func (b *batch) recycle() {
	clear(b.callbacks)
	if cap(b.callbacks) > 8 && int(b.records) < cap(b.callbacks)/8 {
		b.callbacks = b.fewCallbacks[:0]
	}
	clear(b.chunks)
	b.callbacks, b.chunks = b.callbacks[:0], b.chunks[:0]
	b.buf, b.outcome, b.partition, b.next = nil, nil, nil, nil
	b.end, b.before, b.records, b.called = 0, 0, 0, false
}

// grow goes on in chunk.
func (b *batch) grow(chunk []byte, limit int) {
	b.chunks = append(b.chunks, b.buf[:b.end])
	b.before += b.end
	b.buf, b.end = chunk[:min(len(chunk), max(limit-b.before, 0))], 0
}

// span writes a record over the end of the current chunk into another. It says false if that was not needed: the room
// asked for was an upper bound.
func (b *batch) span(chunk []byte, limit int, tsDelta int64, key, value []byte) bool {
	had := len(b.chunks)
	write := func(x []byte) {
		n := copy(b.buf[b.end:], x)
		b.end += n
		if n < len(x) {
			b.grow(chunk, limit)
			b.end = copy(b.buf, x[n:])
		}
	}
	var h [48]byte
	write(h[:wire.PutRecordHead(h[:], tsDelta, b.records, key, value)])
	write(key)
	write(h[:wire.PutValueLen(h[:], len(value))])
	write(value)
	h[0] = 0 // headers
	write(h[:1])
	return len(b.chunks) > had
}

// seal writes prefix, header and checksum, and makes the last chunk one of chunks.
func (b *batch) seal(id wire.Producer, sequence int32) {
	b.grow(nil, 0)
	first := b.chunks[0]
	be := binary.BigEndian
	be.PutUint32(first, uint32(b.partition.index))
	be.PutUint32(first[4:], uint32(b.size()-prefix))
	h := first[prefix:]
	wire.PutHeader(h, wire.Batch{
		Size: b.size() - prefix, Records: b.records, First: b.created, Last: b.newest,
		ProducerID: id.ID, Epoch: id.Epoch, Sequence: sequence,
	})
	wire.PutCRC(h, b.chunks[1:])
}
