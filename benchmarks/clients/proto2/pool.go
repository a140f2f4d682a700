package main

import (
	"context"
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// pool.go owns memory: chunks of seven sizes in last-in-first-out free lists under one leaf lock, a limit on what is
// charged, and those who wait for it, first come first served, outside the lock. Batches are kept here too, so that to
// open one takes the lock once.

const (
	classShift = 8 // the smallest chunk has 256 bytes
	classes    = 7 // the largest 16 KiB; more is made on demand and not kept
)

var errExhausted = errors.New("buffer memory exhausted")

type waiter struct {
	n    int
	ch   chan []byte // nil: reserved, make it yourself
	dead bool
}

type pool struct {
	limit    int    // bytes
	pressure func() // somebody waits
	waiting  atomic.Int32

	mu       sync.Mutex // guards what follows
	free     [classes][][]byte
	freeSize int
	used     int
	waiters  []*waiter
	batches  []*batch
}

func classOf(n int) int { return max(bits.Len(uint(n-1)), classShift) - classShift }

// roundUp is what a chunk for n bytes is charged.
func roundUp(n int) int {
	if k := classOf(n); k < classes {
		return 1 << (k + classShift)
	}
	return n
}

// takeLocked reserves n bytes and gives a free chunk, or nil: make one.
func (p *pool) takeLocked(n int) []byte {
	p.used += n
	k := classOf(n)
	if k >= classes {
		return nil
	}
	if f := p.free[k]; len(f) > 0 {
		c := f[len(f)-1]
		f[len(f)-1] = nil
		p.free[k] = f[:len(f)-1]
		p.freeSize -= n
		return c
	}
	for j := classes - 1; p.used+p.freeSize > p.limit && j >= 0; j-- { // other classes give way
		for f := p.free[j]; len(f) > 0 && p.used+p.freeSize > p.limit; f = p.free[j] {
			p.freeSize -= cap(f[len(f)-1])
			f[len(f)-1] = nil
			p.free[j] = f[:len(f)-1]
		}
	}
	return nil
}

func (p *pool) takeBatchLocked() (b *batch) {
	if k := len(p.batches); k > 0 {
		b, p.batches[k-1] = p.batches[k-1], nil
		p.batches = p.batches[:k-1]
	}
	return b
}

// get gives a chunk of roundUp(n) bytes, and a batch if one is wanted. It waits while memory is exhausted.
func (p *pool) get(ctx context.Context, n int, wantBatch bool) (c []byte, b *batch, err error) {
	n = roundUp(n)
	p.mu.Lock()
	if len(p.waiters) == 0 && p.used+n <= p.limit {
		c = p.takeLocked(n)
	} else {
		w := &waiter{n: n, ch: make(chan []byte, 1)}
		p.waiters = append(p.waiters, w)
		p.grantLocked()
		p.mu.Unlock()
		if c, err = p.await(ctx, w); err != nil {
			return nil, nil, err
		}
		p.mu.Lock()
	}
	if wantBatch {
		b = p.takeBatchLocked()
	}
	p.mu.Unlock()
	if c == nil {
		c = make([]byte, n)
	}
	if wantBatch && b == nil {
		b = newBatch()
	}
	return c, b, nil
}

// await waits for what w asked for.
func (p *pool) await(ctx context.Context, w *waiter) (c []byte, err error) {
	p.waiting.Add(1)
	p.pressure()
	t := time.NewTimer(maxBlock)
	select {
	case c = <-w.ch:
	case <-ctx.Done():
		err = ctx.Err()
	case <-t.C:
		err = errExhausted
	}
	t.Stop()
	p.waiting.Add(-1)
	if err == nil {
		return c, nil
	}
	p.mu.Lock()
	w.dead = true
	select {
	case <-w.ch: // granted all the same: pass it on
		p.used -= w.n
	default:
	}
	p.grantLocked()
	p.mu.Unlock()
	return nil, err
}

func (p *pool) grantLocked() {
	for len(p.waiters) > 0 {
		w := p.waiters[0]
		if !w.dead {
			if p.used+w.n > p.limit {
				return
			}
			w.ch <- p.takeLocked(w.n)
		}
		p.waiters[0] = nil
		p.waiters = p.waiters[1:]
	}
}

// put takes back chunks, whatever of them is in use; keep bytes stay charged.
func (p *pool) put(chunks [][]byte, keep int) {
	p.mu.Lock()
	p.used += keep
	for _, c := range chunks {
		c = c[:cap(c)]
		p.used -= len(c)
		if k := classOf(len(c)); k < classes {
			p.free[k] = append(p.free[k], c)
			p.freeSize += len(c)
		}
	}
	p.grantLocked()
	p.mu.Unlock()
}

// done takes back batches, and the bytes that stayed charged for their callbacks.
func (p *pool) done(batches []*batch, charged int) {
	p.mu.Lock()
	p.used -= charged
	p.batches = append(p.batches, batches...)
	p.grantLocked()
	p.mu.Unlock()
}
