package main

import (
	"context"
	"time"

	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// append.go owns how a record gets into a batch, on its sender's goroutine.

// What happened to a batch, as bits.
const (
	batchOpened = 1 << iota
	batchFull
)

// append is the hot path once topic and partition are known.
func (c *client) append(ctx context.Context, t *topic, p *partition, sticky bool, key, value []byte, cb callback) (future, error) {
	need := wire.MaxRecord(len(key), len(value))
	p.mu.Lock()
	r := room{p: p, b: p.open}
	if r.b == nil || r.b.end+need > len(r.b.buf) {
		var err error
		if r, err = c.makeRoom(ctx, t, p, sticky, need, key, value); err != nil {
			return future{}, err
		}
		p = r.p
	}
	b := r.b
	if !r.written {
		b.end = wire.PutRecord(b.buf, b.end, c.stamp(b), b.records, key, value)
	}
	i := b.records
	b.records = i + 1
	if cb != nil {
		b.called = true
	}
	b.callbacks = append(b.callbacks, cb)
	f := future{b.outcome, i}
	if r.happened != 0 {
		c.list(p)
	}
	p.mu.Unlock()
	if r.happened != 0 {
		c.kick(r.happened)
	}
	return f, nil
}

// stamp is the timestamp of b's next record, as what it is more than the first one's.
func (c *client) stamp(b *batch) int64 {
	if now := c.now.Load(); now > b.newest {
		b.newest = now
	}
	return b.newest - b.created
}

// list puts p on the ready list unless it is there. The caller holds its lock.
func (c *client) list(p *partition) {
	if !p.listed {
		p.listed = true
		c.ready.push(p)
	}
}

// room is where a record goes.
type room struct {
	p        *partition // its lock is held
	b        *batch
	happened int
	written  bool // it is there already, in two chunks
}

// makeRoom is the slow path, once a chunk. It is called with p's lock and returns with that of the room's partition,
// which is another one perhaps if sticky; after an error with none.
func (c *client) makeRoom(ctx context.Context, t *topic, p *partition, sticky bool, need int, key, value []byte) (room, error) {
	r := room{p: p}
	var chunk []byte
	var fresh *batch
	for {
		r.b = r.p.open
		if r.b != nil && r.b.records > 0 && r.b.size()+need > c.limit {
			r.happened |= batchFull
			if c.closeBatch(t, &r, sticky) {
				continue
			}
		}
		if r.b != nil && r.b.end+need <= len(r.b.buf) {
			break
		}
		must, have, hint := c.wants(t, r, sticky, need)
		if chunk != nil && (len(chunk) < must || r.b == nil && fresh == nil) {
			c.pool.put([][]byte{chunk}, 0)
			chunk = nil
		}
		if chunk != nil {
			if c.use(&r, chunk, fresh, have, must, need, key, value) {
				chunk = nil
			}
			if r.b == fresh {
				fresh = nil
			}
			break
		}
		r.p.mu.Unlock() // the pool may make us wait
		if r.happened&batchFull != 0 {
			c.kick(batchFull)
		}
		var err error
		if chunk, fresh, err = c.pool.get(ctx, c.chunkSize(have, must, hint), r.b == nil); err != nil {
			return room{}, err
		}
		if sticky {
			r.p = &t.partitions[t.sticky.Load()]
		}
		r.p.mu.Lock()
	}
	if chunk != nil {
		c.pool.put([][]byte{chunk}, 0)
	}
	if fresh != nil {
		c.pool.done([]*batch{fresh}, 0)
	}
	return r, nil
}

// closeBatch closes r's batch. It says true if the record now goes to the next sticky partition, which r then is.
func (c *client) closeBatch(t *topic, r *room, sticky bool) bool {
	p, b := r.p, r.b
	p.hint = int32(b.size())
	if p.last == nil {
		p.first = b
	} else {
		p.last.next = b
	}
	p.last, p.open = b, nil
	c.list(p)
	r.b = nil
	if !sticky {
		return false
	}
	t.hint.Store(p.hint)
	next := (p.index + 1) % int32(len(t.partitions))
	if !t.sticky.CompareAndSwap(p.index, next) {
		return false
	}
	p.mu.Unlock()
	r.p = &t.partitions[next]
	r.p.mu.Lock()
	return true
}

// wants says how large the next chunk must be, how many bytes the batch has, and how many the last batch had.
func (c *client) wants(t *topic, r room, sticky bool, need int) (must, have, hint int) {
	switch {
	case r.b != nil:
		return need - (len(r.b.buf) - r.b.end), r.b.size(), 0
	case sticky:
		hint = int(t.hint.Load())
	default:
		hint = int(r.p.hint)
	}
	return need + prefix + wire.HeaderLen, 0, hint
}

// chunkSize is the size of the next chunk: 512 bytes, 2, 8, 16 KiB, or like the last batch.
func (c *client) chunkSize(have, must, hint int) int {
	n := 16 << 10
	switch {
	case have == 0:
		n = max(512, hint)
	case have < 2048:
		n = 2048
	case have < 8192:
		n = 8192
	}
	return roundUp(max(min(n, max(c.limit-have, 256)), must))
}

// use opens fresh in chunk, or makes r's batch go on in it. It says false if chunk was not needed.
func (c *client) use(r *room, chunk []byte, fresh *batch, have, must, need int, key, value []byte) bool {
	if r.b != nil {
		r.written = true
		return r.b.span(chunk, max(c.limit, have+need), c.stamp(r.b), key, value)
	}
	now := time.Now()
	b := fresh
	b.opened = int64(now.Sub(c.start))
	b.created = now.UnixMilli()
	b.newest = b.created
	b.outcome = &outcome{}
	b.partition = r.p
	b.buf, b.end = chunk[:min(len(chunk), max(c.limit, must))], prefix+wire.HeaderLen
	r.p.open, r.b = b, b
	r.happened |= batchOpened
	return true
}

// murmur2 is Kafka's hash of keys.
func murmur2(b []byte) uint32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(b))
	for len(b) >= 4 {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		k *= m
		k ^= k >> 24
		k *= m
		h = h*m ^ k
		b = b[4:]
	}
	switch len(b) {
	case 3:
		h ^= uint32(b[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(b[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(b[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
