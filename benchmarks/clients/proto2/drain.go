package main

import (
	"net"

	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// drain.go owns how the Sender makes a request of what is ready.

// request belongs to the Sender, then to the writer, then to the Sender again and to the completion goroutine.
type request struct {
	batches []*batch
	head    []byte
	vector  net.Buffers // to be written; the writer consumes it
	buffers net.Buffers // its array, to use again
	chunks  [][]byte    // to give back
	charged int         // bytes, for callbacks
}

// drain sends one request. It says false if there was nothing after all.
func (c *client) drain(now int64) bool {
	s := &c.sender
	r := &request{}
	if k := len(s.requests); k > 0 {
		r, s.requests = s.requests[k-1], s.requests[:k-1]
	}
	bytes := 0
	for k := s.ready.len(); k > 0 && bytes+c.limit <= c.cfg.MaxRequest; k-- {
		p := s.ready.pop()
		p.inReady = false
		if p.readyFull {
			p.readyFull = false
			s.full--
		}
		if !p.acked && p.inFlight > 0 {
			p.muted = true // the first batch of a producer id goes alone
			continue
		}
		b := c.take(p, now)
		if b == nil {
			continue
		}
		b.seal(c.id, p.sequence)
		p.sequence += b.records
		p.inFlight++
		bytes += b.size()
		r.batches = append(r.batches, b)
	}
	if len(r.batches) == 0 {
		s.requests = append(s.requests, r)
		return false
	}
	s.correlation++
	r.head = wire.ProduceHead(r.head[:0], s.correlation, name, c.topic.name, len(r.batches), bytes)
	r.buffers = append(r.buffers[:0], r.head)
	for _, b := range r.batches {
		r.buffers = append(r.buffers, b.chunks...)
	}
	r.vector = r.buffers
	s.inFlight++
	c.toWrite <- r
	return true
}

// take takes the batch out of p that is to be sent, and files p again if there is more; nil if there is none.
func (c *client) take(p *partition, now int64) *batch {
	p.mu.Lock()
	b := p.first
	if b != nil {
		if p.first = b.next; p.first == nil {
			p.last = nil
		}
		b.next = nil
	} else if b = p.open; b != nil {
		if c.sender.flush || b.opened+c.linger <= now {
			p.open = nil
			p.hint = int32(b.size())
		} else {
			b = nil
		}
	}
	full, opened := p.first != nil, int64(-1)
	if p.open != nil {
		opened = p.open.opened
	}
	p.mu.Unlock()
	if full || opened >= 0 {
		c.place(p, full, opened, now)
	}
	return b
}
