package fakebroker

// This file owns a broker's side of connections: two goroutines each. One reads requests ahead, as the buffers of
// sockets do; the other answers them in order and is the only one that writes.

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

const (
	readAhead = 64       // requests
	maxFrame  = 64 << 20 // bytes
)

// refused is what dialling a broker that is not there gives.
type refused struct{}

func (refused) Error() string { return "connection refused" }

// Dial is one attempt to connect.
type Dial struct {
	Context context.Context
	Address string
	At      time.Time
	Node    int32 // 0: nobody has that address
	Conn    int   // 0: refused
}

// Dial connects to the node at an address. It has the form of net.Dialer.DialContext.
func (c *Cluster) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := Dial{Context: ctx, Address: address, At: time.Now()}
	c.mu.Lock()
	if n := c.nodeAtLocked(address); n != nil {
		d.Node = n.id
	}
	script := c.onDial
	index := len(c.dials)
	c.dials = append(c.dials, d)
	c.mu.Unlock()

	if script != nil {
		if err := script(d); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: err}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodeAtLocked(address)
	if n == nil || n.down || c.closed {
		return nil, &net.OpError{Op: "dial", Net: network, Err: refused{}}
	}
	theirs, ours := net.Pipe()
	c.connIDs++
	c.dials[index].Conn = c.connIDs
	cn := &conn{cluster: c, node: n, id: c.connIDs, gone: make(chan struct{}), frames: make(chan []byte, readAhead)}
	cn.wire = gatedConn{Conn: ours, gate: n.gate, gone: cn.gone}
	cn.stream = cn.wire
	if c.tls != nil {
		cn.stream = tls.Server(cn.wire, c.tls)
	}
	c.conns[cn] = struct{}{}
	c.serving.Go(cn.serve)
	return theirs, nil
}

func (c *Cluster) nodeAtLocked(address string) *node {
	for _, n := range c.nodes {
		if n.address == address || n.alias == address {
			return n
		}
	}
	return nil
}

// conn is a broker's end of one connection.
type conn struct {
	cluster *Cluster
	node    *node
	id      int
	wire    gatedConn
	stream  net.Conn    // wire, or TLS over it
	frames  chan []byte // read and not yet answered
	cutOnce sync.Once
	gone    chan struct{} // closed by cut
}

// cut ends the connection.
func (c *conn) cut() {
	c.cutOnce.Do(func() {
		close(c.gone)
		_ = c.wire.Close() // a pipe's Close cannot fail
	})
}

// serve lives as long as the connection.
func (c *conn) serve() {
	var reader sync.WaitGroup
	reader.Go(c.read)
	for frame := range c.frames {
		if !c.answer(frame) {
			break
		}
	}
	c.cut()
	reader.Wait()
	c.cluster.mu.Lock()
	defer c.cluster.mu.Unlock()
	delete(c.cluster.conns, c)
}

// read cuts the stream into requests until it ends.
func (c *conn) read() {
	defer close(c.frames)
	for {
		var size [4]byte
		if _, err := io.ReadFull(c.stream, size[:]); err != nil {
			return
		}
		n := binary.BigEndian.Uint32(size[:])
		if n > maxFrame {
			return
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(c.stream, frame); err != nil {
			return
		}
		select {
		case c.frames <- frame:
		case <-c.gone:
			return
		}
	}
}

// answer does what is due about one request; false ends the connection.
func (c *conn) answer(frame []byte) bool {
	call, ok := c.decode(frame)
	if !ok {
		return false
	}
	action := c.cluster.scripted(&call)
	if !c.wait(action.Before) || action.HangUp == BeforeApplying {
		return false
	}
	reply := c.cluster.apply(&call, action)
	if !c.wait(action.After) || action.HangUp == AfterApplying {
		return false
	}
	switch {
	case action.Raw != nil:
		return c.write(action.Raw, action)
	case action.Silent:
		return true
	case reply.message == nil:
		return !reply.hangUp
	}
	setThrottle(reply.message, action.Throttle)
	if action.Edit != nil {
		action.Edit(reply.message)
	}
	out := protocol.AppendResponseHeader(make([]byte, 4), call.Key, reply.version, call.CorrelationID)
	out = protocol.Append(out, reply.message, reply.version)
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return c.write(out, action)
}

// decode reads a request. It fails where a broker hangs up: an API it does not have, or one that does not parse. A
// version that it does not speak is left to apply.
func (c *conn) decode(frame []byte) (Call, bool) {
	key, version, correlation, clientID, body, err := protocol.ReadRequestHeader(frame)
	if err != nil {
		return Call{}, false
	}
	call := Call{
		Node: c.node.id, Conn: c.id, Key: key, Version: version, CorrelationID: correlation, ClientID: clientID, At: time.Now(),
	}
	if !c.cluster.speaks(c.node, key, version) {
		return call, key == protocol.ApiVersions
	}
	call.Message = newRequest(key)
	return call, protocol.Decode(body, call.Message, version) == nil
}

// wait returns false when the connection was cut meanwhile.
func (c *conn) wait(w Wait) bool {
	if w.For > 0 {
		timer := time.NewTimer(w.For)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.gone:
			return false
		}
	}
	if w.Until != nil {
		select {
		case <-w.Until:
		case <-c.gone:
			return false
		}
	}
	return true
}

// write writes an answer, in pieces if so scripted.
func (c *conn) write(out []byte, action Action) bool {
	for len(out) > 0 {
		n := len(out)
		if action.Pieces > 0 {
			n = min(n, action.Pieces)
		}
		if _, err := c.stream.Write(out[:n]); err != nil {
			return false
		}
		out = out[n:]
		if len(out) > 0 && !c.wait(Wait{For: action.Pace}) {
			return false
		}
	}
	return true
}
