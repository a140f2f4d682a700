package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// delivery.go owns what an answer means, which the Sender decides, and the completion goroutine.

// Where the answer to a Produce request of version 8 has a partition's fields, and how many bytes they are up to the
// record errors.
const (
	answerCodeAt   = 4
	answerOffsetAt = 6
	answerErrorsAt = 30
	answerPrefix   = 34
)

// answered is what an answer means; outcomes are published here only.
func (c *client) answered(e event) {
	s, r := &c.sender, e.request
	s.inFlight--
	at := wire.ProducePartitions(e.body)
	if at < 0 {
		panic("a cut answer")
	}
	body := e.body[at+4:]
	charged, called := 0, false
	r.chunks = r.chunks[:0]
	for i := range r.batches {
		body = c.published(r.batches, i, body)
	}
	for _, b := range r.batches {
		r.chunks = append(r.chunks, b.chunks...)
		if b.called {
			called = true
			charged += 16 * int(b.records)
		}
	}
	r.charged = charged
	c.pool.put(r.chunks, charged)
	clear(r.chunks)
	select {
	case c.bodies <- e.body:
	default:
	}
	if !called {
		c.call(r)
		s.requests = append(s.requests, r)
		return
	}
	c.comp.push(r)
	s.requests = append(s.requests, c.comp.back()...)
}

// published publishes what the front of body says of a batch, which is the i-th if the broker kept the order, and
// returns the rest.
func (c *client) published(batches []*batch, i int, body []byte) []byte {
	be := binary.BigEndian
	index := int32(be.Uint32(body))
	if batches[i].partition.index != index {
		if i = slices.IndexFunc(batches, func(b *batch) bool { return b.partition.index == index }); i < 0 {
			panic("an answer for a partition that was not sent")
		}
	}
	b := batches[i]
	p := b.partition
	if be.Uint32(body[answerErrorsAt:]) != 0 {
		panic("record errors")
	}
	var err error
	if code := int16(be.Uint16(body[answerCodeAt:])); code != 0 {
		err = fmt.Errorf("broker error %d", code)
	}
	message := max(int(int16(be.Uint16(body[answerPrefix:]))), 0)
	p.inFlight--
	p.acked = true
	if p.muted {
		p.muted = false
		c.file(p, int64(time.Since(c.start)), false)
	}
	b.outcome.publish(int64(be.Uint64(body[answerOffsetAt:])), err)
	return body[answerPrefix+2+message:]
}

// call runs a request's callbacks in order and lets go of its batches.
func (c *client) call(r *request) {
	for _, b := range r.batches {
		if b.called {
			m := metadata{topic: c.topic.name, partition: b.partition.index, offset: b.outcome.base}
			for _, cb := range b.callbacks {
				if cb != nil {
					cb(m, b.outcome.err)
				}
				m.offset++
			}
		}
		b.recycle()
	}
	c.pool.done(r.batches, r.charged)
	clear(r.batches)
	r.batches = r.batches[:0]
}

// completions is the queue of the completion goroutine: never full, so that a slow callback cannot hold up the Sender.
type completions struct {
	wake chan struct{}

	mu     sync.Mutex // guards what follows
	queue  []*request
	called []*request // their callbacks have run
	asleep bool
}

func (q *completions) push(r *request) {
	q.mu.Lock()
	q.queue = append(q.queue, r)
	wake := q.asleep
	q.asleep = false
	q.mu.Unlock()
	if wake {
		q.wake <- struct{}{}
	}
}

// back gives the requests whose callbacks have run.
func (q *completions) back() []*request {
	q.mu.Lock()
	b := q.called
	q.called = nil
	q.mu.Unlock()
	return b
}

// complete is the completion goroutine.
func (c *client) complete() {
	q := &c.comp
	var mine []*request
	for {
		q.mu.Lock()
		q.called = append(q.called, mine...)
		mine, q.queue = q.queue, mine[:0]
		q.asleep = len(mine) == 0
		q.mu.Unlock()
		if len(mine) == 0 {
			select {
			case <-q.wake:
			case <-c.quit:
				return
			}
			continue
		}
		for _, r := range mine {
			c.call(r)
		}
	}
}
