package producer

import "sync"

// pending.go owns the count of batches that are not over: Flush and Close wait for it. Any goroutine
// may call it; its lock is a leaf.

// pending counts batches by flight. A batch belongs to the flight in which it was opened and is over
// once its outcome is published and its callbacks have returned. Flush ends the current flight and
// waits for it and all before it: what callers send meanwhile is in later ones.
type pending struct {
	mu      sync.Mutex // guards all below
	closed  bool
	oldest  int64   // the flight that counts[0] counts
	counts  []int64 // one per flight, the current one last
	waiting []flightWaiter
}

type flightWaiter struct {
	flight int64
	over   chan struct{}
}

func newPending() *pending { return &pending{counts: make([]int64, 1)} }

// add counts a batch in and returns its flight. It fails once pending is closed.
func (p *pending) add() (flight int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, failed(ErrClosed, "a record was being sent")
	}
	p.counts[len(p.counts)-1]++
	return p.oldest + int64(len(p.counts)) - 1, nil
}

// more counts n batches into the flight of one that is not done.
func (p *pending) more(flight, n int64) {
	p.mu.Lock()
	p.counts[flight-p.oldest] += n
	p.mu.Unlock()
}

// done counts a batch out.
func (p *pending) done(flight int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[flight-p.oldest]--
	p.advanceLocked()
}

// flush ends the current flight. over is closed once it and all earlier ones are empty.
func (p *pending) flush() (flight int64, over <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	flight = p.oldest + int64(len(p.counts)) - 1
	p.counts = append(p.counts, 0)
	ch := make(chan struct{})
	p.waiting = append(p.waiting, flightWaiter{flight, ch})
	p.advanceLocked()
	return flight, ch
}

// advanceLocked forgets empty flights, and tells those who wait for them.
func (p *pending) advanceLocked() {
	n := 0
	for n < len(p.counts)-1 && p.counts[n] == 0 {
		n++
	}
	if n == 0 {
		return
	}
	p.counts = append(p.counts[:0], p.counts[n:]...)
	p.oldest += int64(n)
	for len(p.waiting) > 0 && p.waiting[0].flight < p.oldest {
		close(p.waiting[0].over)
		p.waiting = p.waiting[1:]
	}
}

// close makes every later add fail.
func (p *pending) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}
