package main

import "time"

// sender.go owns the Sender goroutine: when it sleeps, and what it does in a turn.

// sender is touched by the Sender only.
type sender struct {
	linger      *wheel
	delivery    *wheel
	ready       fifo // of the one node
	full        int  // partitions in ready that have a full batch
	inFlight    int  // requests
	flush       bool
	correlation int32
	requests    []*request // to use again
	armed       int        // what timer is set for
	timer       *time.Timer
}

// What the timer is set for.
const (
	forNothing = iota
	forTick
	forDelivery
)

// How the Sender sleeps.
const (
	awake  = iota
	timed  // it wakes by itself for the earliest linger
	asleep // it must be woken
)

// kick wakes the Sender unless it is awake, or need not be woken for what happened.
func (c *client) kick(happened int) {
	urgent := happened&batchFull != 0 || c.linger == 0
	for {
		s := c.sleep.Load()
		if s == awake || s == timed && !urgent {
			return
		}
		if c.sleep.CompareAndSwap(s, awake) {
			select {
			case c.wake <- struct{}{}:
			default:
			}
			return
		}
	}
}

// send is the Sender.
func (c *client) send() {
	s := &c.sender
	s.timer = time.NewTimer(time.Hour)
	s.timer.Stop()
	for {
		c.turn()
		select {
		case e := <-c.events:
			c.answered(e)
			continue
		default:
		}
		c.sleep.Store(c.arm()) // before the last look: who pushes after it sees it
		if !c.ready.empty() || c.flushing.Load() ||
			c.pool.waiting.Load() > 0 && s.inFlight == 0 && s.linger.n > 0 {
			c.sleep.Store(awake)
			continue
		}
		select {
		case <-c.wake:
		case e := <-c.events:
			c.sleep.Store(awake)
			c.answered(e)
		case <-s.timer.C:
			s.armed = forNothing
		case <-c.quit:
			return
		}
		c.sleep.Store(awake)
	}
}

// arm sets the timer for what is to come, and says how to sleep.
func (c *client) arm() int32 {
	s := &c.sender
	if s.linger.n > 0 || s.ready.len() > 0 {
		if s.armed != forTick {
			s.armed = forTick
			s.timer.Reset(time.Millisecond)
		}
		return timed
	}
	if s.delivery.n > 0 && s.armed == forNothing {
		s.armed = forDelivery
		s.timer.Reset(time.Duration(s.delivery.next() - int64(time.Since(c.start))))
	}
	return asleep
}

// turn looks at what is ready and sends what may be sent.
func (c *client) turn() {
	s := &c.sender
	t := time.Now()
	now := int64(t.Sub(c.start))
	c.now.Store(t.UnixMilli())
	for p := c.ready.takeAll(); p != nil; {
		n := p.next
		p.next = nil
		c.file(p, now, true)
		p = n
	}
	all := c.flushing.Swap(false)
	if !all && c.pool.waiting.Load() > 0 && s.inFlight == 0 && s.ready.len() == 0 {
		all = true // memory is out and nothing will give any back
	}
	if all {
		s.flush = true
		for _, p := range s.linger.takeAll() {
			p.inLinger = false
			c.makeReady(p)
		}
	}
	for _, p := range s.linger.expire(now) {
		p.inLinger = false
		c.file(p, now, false)
	}
	if s.delivery.n > 0 {
		c.expire(now)
	}
	for s.ready.len() > 0 && s.inFlight < maxInFlight {
		if s.inFlight > 0 && !s.flush && s.full == 0 {
			return // gather until the answer
		}
		if !c.drain(now) {
			break
		}
	}
	if s.ready.len() == 0 {
		s.flush = false
	}
}

// file looks at a partition once and puts it where it belongs.
func (c *client) file(p *partition, now int64, fromList bool) {
	p.mu.Lock()
	if fromList {
		p.listed = false
	}
	full := p.first != nil
	opened := int64(-1)
	if p.open != nil {
		opened = p.open.opened
	}
	p.mu.Unlock()
	c.place(p, full, opened, now)
	if !p.inDelivery && (full || opened >= 0) {
		p.inDelivery = true
		c.sender.delivery.add(p, now+int64(deliveryTimeout))
	}
}

// place puts a partition where it belongs that has full batches, or one opened at a time that is not -1.
func (c *client) place(p *partition, full bool, opened, now int64) {
	s := &c.sender
	switch {
	case full:
		c.makeReady(p)
		if !p.muted && !p.readyFull {
			p.readyFull = true
			s.full++
		}
	case opened < 0 || p.inReady || p.inLinger:
	case opened+c.linger <= now:
		c.makeReady(p)
	default:
		p.inLinger = true
		s.linger.add(p, opened+c.linger)
	}
}

func (c *client) makeReady(p *partition) {
	if !p.inReady && !p.muted {
		p.inReady = true
		c.sender.ready.push(p)
	}
}

// expire fails what is too old. It looks at a partition once per delivery timeout, not once per batch.
func (c *client) expire(now int64) {
	s := &c.sender
	for _, p := range s.delivery.expire(now) {
		p.inDelivery = false
		p.mu.Lock()
		for b := p.first; b != nil && b.opened+int64(deliveryTimeout) <= now; b = p.first {
			if p.first = b.next; p.first == nil {
				p.last = nil
			}
			b.outcome.publish(-1, errExhausted) // no retries here: enough to cost it
		}
		oldest := int64(-1)
		if p.first != nil {
			oldest = p.first.opened
		} else if p.open != nil {
			oldest = p.open.opened
		}
		p.mu.Unlock()
		if oldest >= 0 {
			p.inDelivery = true
			s.delivery.add(p, oldest+int64(deliveryTimeout))
		}
	}
}
