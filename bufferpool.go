package producer

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// bufferpool.go owns the memory of records that wait: a fixed number of bytes, handed out in chunks.
// Any goroutine may call it; its lock is a leaf, and nobody waits under it.

// Chunks of the pool's size classes are kept for reuse, last in first out: 256 B, 512 B ... 16 KiB.
// A chunk over that is as large as was asked for, and left to the garbage collector.
const (
	minChunk     = 1 << minChunkBits
	minChunkBits = 8
	chunkClasses = 7
	maxChunk     = minChunk << (chunkClasses - 1)
)

// bufferPool bounds memory and serves those who wait for it first come, first served; a callback that
// sends is served before them. What is charged for callbacks that have not run keeps others waiting,
// but not a callback, beyond a quarter of the pool: else none could run to free it.
type bufferPool struct {
	total      int64
	maxBlock   time.Duration
	onWaiting  func()      // called without locks whenever somebody begins to wait
	inCallback func() bool // whether the caller is a callback; asked before somebody waits

	waiting atomic.Int32 // how many wait; the Sender looks at it

	mu      sync.Mutex // guards all below
	used    int64      // bytes out
	charged int64      // bytes that callbacks cost until they have run
	free    [chunkClasses][][]byte
	kept    int64 // bytes in free
	waiters []*memoryWaiter
	closed  bool
}

// memoryWaiter is one call of get that waits. Its channel holds one answer.
type memoryWaiter struct {
	n        int
	callback bool
	ch       chan grant
}

// grant answers a waiter: n bytes are charged to it, in chunk or still to be allocated.
type grant struct {
	chunk []byte
	err   error
}

func newBufferPool(total int64, maxBlock time.Duration, onWaiting func(), inCallback func() bool) *bufferPool {
	return &bufferPool{total: total, maxBlock: maxBlock, onWaiting: onWaiting, inCallback: inCallback}
}

// class is the index of the smallest size class that holds n bytes; chunkClasses or more: none does.
func class(n int) int { return max(bits.Len(uint(n-1)), minChunkBits) - minChunkBits }

// chunkSize is what a chunk of n bytes is charged: a whole class, where that fits the pool.
func (p *bufferPool) chunkSize(n int) int {
	if c := class(n); c < chunkClasses && minChunk<<c <= p.total {
		return minChunk << c
	}
	return n
}

// get returns a chunk of at least n bytes. It waits for memory, at most until deadline or until ctx
// ends. A deadline of zero is set to maxBlock from now if get has to wait. n must not exceed the pool.
func (p *bufferPool) get(ctx context.Context, n int, deadline *time.Time) ([]byte, error) {
	n = p.chunkSize(n)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, failed(ErrClosed, "allocating %d bytes", n)
	}
	if len(p.waiters) == 0 && p.fitsLocked(n, false) {
		chunk := p.takeLocked(n)
		p.mu.Unlock()
		return allocated(chunk, n), nil
	}
	p.mu.Unlock()
	w := &memoryWaiter{n: n, callback: p.inCallback(), ch: make(chan grant, 1)}
	if err := p.queue(w); err != nil {
		return nil, err
	}
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	p.onWaiting()
	return p.wait(ctx, w, deadline)
}

// queue makes w wait, and serves it if memory has got free meanwhile.
func (p *bufferPool) queue(w *memoryWaiter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return failed(ErrClosed, "allocating %d bytes", w.n)
	}
	if w.callback {
		p.waiters = slices.Insert(p.waiters, 0, w)
	} else {
		p.waiters = append(p.waiters, w)
	}
	p.grantLocked()
	return nil
}

// fitsLocked says whether there are n bytes for a callback or for anybody else.
func (p *bufferPool) fitsLocked(n int, callback bool) bool {
	charged := p.charged
	if callback {
		charged = min(charged, p.total/4)
	}
	return p.used+charged+int64(n) <= p.total || callback && p.used == 0
}

func (p *bufferPool) wait(ctx context.Context, w *memoryWaiter, deadline *time.Time) ([]byte, error) {
	if deadline.IsZero() {
		*deadline = time.Now().Add(p.maxBlock)
	}
	budget := time.Until(*deadline)
	timer := time.NewTimer(budget)
	defer timer.Stop()
	var err error
	select {
	case g := <-w.ch:
		return p.accept(g, w.n)
	case <-ctx.Done():
		err = failed(nil, "waiting for %d bytes of buffer memory", w.n).because(ctx.Err())
	case <-timer.C:
		err = failed(ErrBufferExhausted, "%d bytes of %d did not get free in %v", w.n, p.total, max(budget, 0))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case g := <-w.ch: // granted at the last moment
		return p.accept(g, w.n)
	default:
		for i := range p.waiters {
			if p.waiters[i] == w {
				p.waiters = append(p.waiters[:i], p.waiters[i+1:]...)
				break
			}
		}
	}
	p.grantLocked()
	return nil, err
}

func (p *bufferPool) accept(g grant, n int) ([]byte, error) {
	if g.err != nil {
		return nil, g.err
	}
	return allocated(g.chunk, n), nil
}

// allocated makes the memory for a charge that no kept chunk served, outside the lock.
func allocated(chunk []byte, n int) []byte {
	if chunk == nil {
		return make([]byte, n)
	}
	return chunk
}

// takeLocked charges n bytes and returns a kept chunk of that size or nil. What is kept and what is
// used together stay within the pool: chunks of other classes give way.
func (p *bufferPool) takeLocked(n int) []byte {
	p.used += int64(n)
	if c := class(n); c < chunkClasses && minChunk<<c == n {
		if chunk := p.popLocked(c); chunk != nil {
			return chunk
		}
	}
	for c := chunkClasses - 1; c >= 0 && p.used+p.charged+p.kept > p.total; {
		if p.popLocked(c) == nil {
			c--
		}
	}
	return nil
}

func (p *bufferPool) popLocked(c int) []byte {
	f := p.free[c]
	if len(f) == 0 {
		return nil
	}
	chunk := f[len(f)-1]
	f[len(f)-1] = nil
	p.free[c] = f[:len(f)-1]
	p.kept -= int64(len(chunk))
	return chunk
}

// backLocked takes n charged bytes back, and chunk, which may be nil, for reuse.
func (p *bufferPool) backLocked(chunk []byte, n int) {
	p.used -= int64(n)
	if c := class(n); chunk != nil && c < chunkClasses && minChunk<<c == n {
		p.free[c] = append(p.free[c], chunk)
		p.kept += int64(n)
	}
}

// grantLocked serves waiters from the front, as far as memory reaches.
func (p *bufferPool) grantLocked() {
	for len(p.waiters) > 0 {
		w := p.waiters[0]
		if !p.fitsLocked(w.n, w.callback) {
			return
		}
		w.ch <- grant{chunk: p.takeLocked(w.n)}
		p.waiters[0] = nil
		p.waiters = p.waiters[1:]
	}
}

// put takes chunks back at their whole length. keep bytes are charged for callbacks from now on, until
// uncharge.
func (p *bufferPool) put(chunks [][]byte, keep int) {
	p.mu.Lock()
	p.charged += int64(keep)
	for _, c := range chunks {
		p.backLocked(c, len(c))
	}
	p.grantLocked()
	p.mu.Unlock()
}

// replace takes n bytes without waiting, though there may be less: they replace others that are about to
// be put back.
func (p *bufferPool) replace(n int) {
	p.mu.Lock()
	p.used += int64(n)
	p.mu.Unlock()
}

// uncharge frees n bytes that put charged for callbacks.
func (p *bufferPool) uncharge(n int) {
	p.mu.Lock()
	p.charged -= int64(n)
	p.grantLocked()
	p.mu.Unlock()
}

// close fails everybody who waits, and every later get; put and uncharge go on working.
func (p *bufferPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.waiters {
		w.ch <- grant{err: failed(ErrClosed, "while waiting for buffer memory")}
	}
	p.waiters = nil
}

// inUse is the number of bytes out and charged now.
func (p *bufferPool) inUse() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used + p.charged
}
