package main

import (
	"sync/atomic"
	"time"
)

// readylist.go owns where partitions stand while the Sender has to look at them: a list that anyone pushes to, and a
// wheel and a queue of the Sender's own.

// readyList is a stack that many push to; the Sender takes all of it.
type readyList struct{ head atomic.Pointer[partition] }

func (l *readyList) push(p *partition) {
	for {
		h := l.head.Load()
		p.next = h
		if l.head.CompareAndSwap(h, p) {
			return
		}
	}
}

func (l *readyList) empty() bool { return l.head.Load() == nil }

// takeAll gives all there are, in the order they were pushed.
func (l *readyList) takeAll() *partition {
	if l.empty() {
		return nil
	}
	var out *partition
	for p := l.head.Swap(nil); p != nil; {
		n := p.next
		p.next = out
		out, p = p, n
	}
	return out
}

// wheel files partitions by time. A partition is in it at most once; one that comes up too early is filed again.
type wheel struct {
	slots [][]*partition
	tick  int64 // ns
	now   int64 // the next tick to come up
	n     int
	due   []*partition
}

func newWheel(slots int, tick time.Duration) *wheel {
	return &wheel{slots: make([][]*partition, slots), tick: int64(tick)}
}

func (w *wheel) add(p *partition, at int64) {
	t := max((at+w.tick-1)/w.tick, w.now)
	t = min(t, w.now+int64(len(w.slots))-1)
	s := &w.slots[t%int64(len(w.slots))]
	*s = append(*s, p)
	w.n++
}

// expire gives what is due; valid until the next call.
func (w *wheel) expire(now int64) []*partition {
	w.due = w.due[:0]
	end := now / w.tick
	if w.n == 0 {
		w.now = max(w.now, end)
		return nil
	}
	for i := 0; w.now <= end; w.now++ {
		s := &w.slots[w.now%int64(len(w.slots))]
		w.due = append(w.due, *s...)
		w.n -= len(*s)
		*s = (*s)[:0]
		if i++; i >= len(w.slots) {
			w.now = end + 1
			break
		}
	}
	return w.due
}

// next is when the first slot that is not empty comes up; there must be one.
func (w *wheel) next() int64 {
	for t := w.now; ; t++ {
		if len(w.slots[t%int64(len(w.slots))]) > 0 {
			return t * w.tick
		}
	}
}

// takeAll empties the wheel; valid until the next call of expire or takeAll.
func (w *wheel) takeAll() []*partition {
	w.due = w.due[:0]
	for i, s := range w.slots {
		w.due = append(w.due, s...)
		w.slots[i] = s[:0]
	}
	w.n = 0
	return w.due
}

// fifo is a queue of partitions.
type fifo struct {
	q    []*partition
	head int
}

func (f *fifo) len() int { return len(f.q) - f.head }

func (f *fifo) push(p *partition) { f.q = append(f.q, p) }

func (f *fifo) pop() *partition {
	p := f.q[f.head]
	f.q[f.head] = nil
	if f.head++; f.head == len(f.q) {
		f.q, f.head = f.q[:0], 0
	} else if f.head > 1024 && f.head*2 > len(f.q) {
		n := copy(f.q, f.q[f.head:])
		clear(f.q[n:])
		f.q, f.head = f.q[:n], 0
	}
	return p
}
