package network

// This file owns what the Client makes of signals and of time. Client goroutine only.

import (
	"errors"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// Handle takes in a signal and returns what it means for the caller. The result is valid until the next call.
func (c *Client) Handle(s Signal, now time.Time) []Event {
	clear(c.events)
	c.events = c.events[:0]
	if _, live := c.conns[s.conn]; !live {
		return nil // after Close
	}
	c.now = now
	switch s.kind {
	case opened:
		c.opened(s.conn)
	case arrived:
		c.arrived(s.conn, s.frame)
	case written:
		c.written(s.conn, s.request)
	case ended:
		c.ended(s.conn)
	}
	return c.events
}

// opened makes a connection ready for requests.
func (c *Client) opened(cn *conn) {
	p := c.peers[cn.node.ID]
	if p == nil || p.conn != cn || cn.state != opening {
		return // told to end meanwhile
	}
	cn.state, cn.wasReady = ready, true
	cn.used = c.now
	cn.correlation = cn.hello.correlation
	p.failures, p.setupFailures = 0, 0
	if wait := cn.hello.ThrottleTimeMs; wait > 0 && cn.hello.version >= 2 {
		c.Throttle(p.node.ID, c.now.Add(time.Duration(wait)*time.Millisecond))
	}
	if c.cfg.MaxIdle > 0 {
		c.due = sooner(c.due, c.now.Add(c.cfg.MaxIdle))
	}
	c.stats.Connects++
	c.cfg.Logger.Debug("connected", "node", p.node.ID, "address", p.node.Address(), "api_versions", cn.hello.version)
	c.events = append(c.events, Event{Kind: Connected, Node: p.node.ID})
}

// arrived gives a frame to the request it answers.
func (c *Client) arrived(cn *conn, frame []byte) {
	if cn.deaf {
		return
	}
	cn.used = c.now
	c.stats.BytesIn += uint64(frameSizeBytes + len(frame))
	body, r, err := cn.match(frame)
	if err != nil {
		cn.deaf = true
		c.end(cn, networkError(cn.node, err))
		return
	}
	if cap(frame) <= maxKeptBody {
		body = frame[:copy(frame, body)] // or the memory would shrink by a header each time it is used again
	}
	c.stats.Responses++
	c.finish(cn, Event{Kind: Response, Node: cn.node.ID, Request: r, Body: body})
}

// match finds the request that a frame answers: always the oldest.
func (c *conn) match(frame []byte) (body []byte, r *Request, err error) {
	r = c.sent.awaiting()
	if r == nil {
		return nil, nil, errNotDue
	}
	correlation, body, err := protocol.ReadResponseHeader(frame, r.Key, r.Version)
	if err != nil {
		return nil, nil, err
	}
	if correlation != r.correlation {
		return nil, nil, mismatch(correlation, r.correlation)
	}
	return body, r, nil
}

// written ends a request that gets no response.
func (c *Client) written(cn *conn, r *Request) {
	cn.used = c.now
	c.finish(cn, Event{Kind: Written, Node: cn.node.ID, Request: r})
}

// finish reports the end of a request.
func (c *Client) finish(cn *conn, e Event) {
	cn.sent.remove(e.Request)
	e.Request.release()
	c.events = append(c.events, e)
	if cn.retiring {
		c.retire(cn)
	}
}

// ended reports the end of a connection, which both its goroutines have left: first what was in flight, in the order
// it was sent, then the connection.
func (c *Client) ended(cn *conn) {
	delete(c.conns, cn)
	cause := cn.endedBy()
	for _, r := range cn.sent.queue {
		r.release()
		c.stats.Failed++
		c.events = append(c.events, Event{Kind: Failed, Node: cn.node.ID, Request: r, Err: cause.of(r)})
	}
	cn.sent.queue = nil
	c.stats.Disconnects++
	p := c.peers[cn.node.ID]
	if p == nil || p.conn != cn {
		return
	}
	p.conn = nil
	if errors.Is(cause, errIdle) {
		return
	}
	if cn.resetAt >= 0 {
		p.firstAsk = lowerHello(cn.resetAt)
	}
	if !cn.wasReady {
		p.setupFailures++
	}
	p.notBefore = c.now.Add(c.reconnect.Delay(p.failures))
	p.failures++
	c.events = append(c.events, Event{Kind: Disconnected, Node: p.node.ID, Err: cause})
}

// Tick ends connections that have a request past its deadline or that idled too long, and returns when to call it
// again; zero: not before another call. The time returned is also the end of a back-off or of throttling, when Ready
// or LeastLoaded asked for that node meanwhile: ask again then.
func (c *Client) Tick(now time.Time) (next time.Time) {
	c.now = now
	if c.due.IsZero() || now.Before(c.due) {
		return c.due
	}
	c.due = time.Time{}
	for cn := range c.conns {
		c.tickConn(cn)
	}
	for _, p := range c.order {
		if !p.awaited {
			continue
		}
		if until := p.waitsUntil(); until.After(now) {
			c.due = sooner(c.due, until)
		} else {
			p.awaited = false
		}
	}
	return c.due
}

// tickConn looks at the deadlines of one connection.
func (c *Client) tickConn(cn *conn) {
	if cn.state != ready {
		return // being made, which has its own deadlines, or ending
	}
	if r := cn.sent.expired(c.now); r != nil {
		c.end(cn, timeoutError(cn.node, r))
		return
	}
	c.due = sooner(c.due, cn.sent.earliest())
	if c.cfg.MaxIdle <= 0 || cn.sent.len() > 0 {
		return
	}
	if idle := cn.used.Add(c.cfg.MaxIdle); idle.After(c.now) {
		c.due = sooner(c.due, idle)
	} else {
		c.end(cn, networkError(cn.node, errIdle))
	}
}
