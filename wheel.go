package producer

import "time"

// wheel.go owns the timing wheel. It is the Sender's.

// wheel files queues by the time at which to look at them again, in ticks. Whoever files a queue
// keeps it from being filed twice; it is never taken out early. What comes up is looked at afresh and
// filed again if it is not time yet: a time beyond the wheel's reach just comes up sooner.
type wheel struct {
	slots [][]*queue
	tick  int64 // nanoseconds
	pos   int64 // the tick that expires next
	n     int   // queues filed
	soon  int64 // no queue is filed before this tick; valid while n > 0
	due   []*queue
}

func newWheel(slots int, tick time.Duration) *wheel {
	return &wheel{slots: make([][]*queue, slots), tick: int64(tick)}
}

func (w *wheel) slot(t int64) *[]*queue { return &w.slots[t%int64(len(w.slots))] }

// add files q for the first tick at or after at.
func (w *wheel) add(q *queue, at int64) {
	t := max((at+w.tick-1)/w.tick, w.pos)
	t = min(t, w.pos+int64(len(w.slots))-1)
	if w.n == 0 || t < w.soon {
		w.soon = t
	}
	s := w.slot(t)
	*s = append(*s, q)
	w.n++
}

// expire returns the queues that are due at now, until the next call.
func (w *wheel) expire(now int64) []*queue {
	end := now / w.tick
	if w.n == 0 || end < w.soon {
		w.pos = max(w.pos, end+1)
		return nil
	}
	w.due = w.due[:0]
	last := min(end, w.pos+int64(len(w.slots))-1)
	for t := w.pos; t <= last; t++ {
		w.take(w.slot(t))
	}
	w.pos = end + 1
	w.soon = w.pos
	for w.n > 0 && len(*w.slot(w.soon)) == 0 {
		w.soon++
	}
	return w.due
}

// all returns every queue there is, due or not, until the next call.
func (w *wheel) all() []*queue {
	w.due = w.due[:0]
	for i := range w.slots {
		w.take(&w.slots[i])
	}
	return w.due
}

func (w *wheel) take(s *[]*queue) {
	w.due = append(w.due, *s...)
	w.n -= len(*s)
	clear(*s)
	*s = (*s)[:0]
}

// next is when expire has something to return; false: nothing is filed.
func (w *wheel) next() (at int64, ok bool) { return w.soon * w.tick, w.n > 0 }
