package fakebroker

// This file owns how much a node reads. A gate is shared by tests and the readers of the node's connections.

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// gate lets bytes through until a budget is used up. With several connections reading at once, each may use what is
// left of it.
type gate struct {
	mu      sync.Mutex    // guards the rest
	budget  int           // bytes; negative: no limit
	changed chan struct{} // closed and replaced when set changes the budget
}

func newGate() *gate { return &gate{budget: -1, changed: make(chan struct{})} }

func (g *gate) set(budget int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.budget = budget
	close(g.changed)
	g.changed = make(chan struct{})
}

// allowed is how many of n bytes may be read now; when none may, it also returns what to wait for.
func (g *gate) allowed(n int) (int, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.budget < 0 {
		return n, nil
	}
	return min(n, g.budget), g.changed
}

// used takes what was read off the budget.
func (g *gate) used(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.budget > 0 {
		g.budget = max(g.budget-n, 0)
	}
}

// gatedConn is a broker's end of a connection behind its node's gate.
type gatedConn struct {
	net.Conn
	gate *gate
	gone <-chan struct{} // closed with the connection
}

// Read reads no more than the gate allows at the time.
func (c gatedConn) Read(p []byte) (int, error) {
	for {
		allowed, changed := c.gate.allowed(len(p))
		if allowed == 0 && len(p) > 0 {
			select {
			case <-changed:
				continue
			case <-c.gone:
				return 0, net.ErrClosed
			}
		}
		n, err := c.Conn.Read(p[:allowed])
		c.gate.used(n)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			if err := c.SetReadDeadline(time.Time{}); err != nil {
				return 0, err
			}
			continue // recheck: it was only to look at the gate again
		}
		return n, err
	}
}

// recheck makes a Read that is blocked look at the gate again.
func (c gatedConn) recheck() {
	_ = c.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection, which reads no more anyway
}
