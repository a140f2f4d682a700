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
// More than that comes in several. What no class has room for in a small pool is a chunk as large as was
// asked for, and left to the garbage collector.
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

// memory is bytes of the pool in one chunk or, when it is more than maxChunk, in more: all but the last
// are of that size. Until allocated has seen to it, chunks that were not kept are nil.
type memory struct {
	chunk []byte
	more  [][]byte
}

// next moves the next chunk to the front.
func (m *memory) next() {
	m.chunk = nil
	if len(m.more) > 0 {
		m.chunk, m.more = m.more[0], m.more[1:]
	}
}

func (m *memory) size() int {
	n := len(m.chunk)
	for _, c := range m.more {
		n += len(c)
	}
	return n
}

// memoryWaiter is one call of get that waits. Its channel holds one answer.
type memoryWaiter struct {
	n        int
	callback bool
	ch       chan grant
}

// grant answers a waiter: n bytes are charged to it.
type grant struct {
	memory memory
	err    error
}

func newBufferPool(total int64, maxBlock time.Duration, onWaiting func(), inCallback func() bool) *bufferPool {
	return &bufferPool{total: total, maxBlock: maxBlock, onWaiting: onWaiting, inCallback: inCallback}
}

// class is the index of the smallest size class that holds n bytes; chunkClasses or more: none does.
func class(n int) int { return max(bits.Len(uint(n-1)), minChunkBits) - minChunkBits }

// charge is what n bytes cost: whole classes, where those fit the pool.
func (p *bufferPool) charge(n int) int {
	whole := n &^ (maxChunk - 1)
	if n > whole {
		whole += minChunk << class(n-whole)
	}
	if int64(whole) > p.total {
		return n
	}
	return whole
}

// get returns at least n bytes. It waits for memory, at most until deadline or until ctx ends, and takes
// all of it at once: those who wait hold none. A deadline of zero is set to maxBlock from now if get has
// to wait. n must be positive and not exceed the pool.
func (p *bufferPool) get(ctx context.Context, n int, deadline *time.Time) (memory, error) {
	n = p.charge(n)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return memory{}, failed(ErrClosed, "allocating %d bytes", n)
	}
	if len(p.waiters) == 0 && p.fitsLocked(n, false) {
		m := p.takeLocked(n)
		p.mu.Unlock()
		return allocated(m, n), nil
	}
	p.mu.Unlock()
	w := &memoryWaiter{n: n, callback: p.inCallback(), ch: make(chan grant, 1)}
	if err := p.queue(w); err != nil {
		return memory{}, err
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

func (p *bufferPool) wait(ctx context.Context, w *memoryWaiter, deadline *time.Time) (memory, error) {
	if deadline.IsZero() {
		*deadline = time.Now().Add(p.maxBlock)
	}
	budget := time.Until(*deadline)
	timer := time.NewTimer(budget)
	defer timer.Stop()
	var g grant
	select {
	case g = <-w.ch:
	case <-ctx.Done():
		g = p.giveUp(w, failed(nil, "waiting for %d bytes of buffer memory", w.n).because(ctx.Err()))
	case <-timer.C:
		g = p.giveUp(w, failed(ErrBufferExhausted, "%d bytes of %d did not get free in %v", w.n, p.total, max(budget, 0).Round(time.Millisecond)))
	}
	if g.err != nil {
		return memory{}, g.err
	}
	return allocated(g.memory, w.n), nil
}

// giveUp takes a waiter away with an error, unless it was granted its memory at the last moment.
func (p *bufferPool) giveUp(w *memoryWaiter, err error) grant {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case g := <-w.ch:
		return g
	default:
	}
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	}
	p.grantLocked()
	return grant{err: err}
}

// allocated makes the chunks of n bytes that none was kept for, outside the lock.
func allocated(m memory, n int) memory {
	if m.chunk == nil {
		m.chunk = make([]byte, min(n, maxChunk))
	}
	for i := range m.more {
		if n -= maxChunk; m.more[i] == nil {
			m.more[i] = make([]byte, min(n, maxChunk))
		}
	}
	return m
}

// takeLocked charges n bytes and returns what is kept of them. What is kept and what is used together
// stay within the pool: other chunks give way.
func (p *bufferPool) takeLocked(n int) memory {
	p.used += int64(n)
	m := memory{chunk: p.keptLocked(min(n, maxChunk))}
	if n > maxChunk {
		m.more = make([][]byte, 0, (n-1)/maxChunk)
	}
	for n -= maxChunk; n > 0; n -= maxChunk {
		m.more = append(m.more, p.keptLocked(min(n, maxChunk)))
	}
	for c := chunkClasses - 1; c >= 0 && p.used+p.charged+p.kept > p.total; {
		if p.popLocked(c) == nil {
			c--
		}
	}
	return m
}

// keptLocked returns a kept chunk of n bytes, or nil.
func (p *bufferPool) keptLocked(n int) []byte {
	if c := class(n); minChunk<<c == n {
		return p.popLocked(c)
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

// backLocked takes a chunk back, and keeps it if it is of a class.
func (p *bufferPool) backLocked(chunk []byte) {
	n := len(chunk)
	p.used -= int64(n)
	if c := class(n); c < chunkClasses && minChunk<<c == n {
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
		w.ch <- grant{memory: p.takeLocked(w.n)}
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
		p.backLocked(c)
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
