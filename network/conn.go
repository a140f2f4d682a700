package network

// This file owns one connection and its two goroutines. run makes the connection and becomes its reader; write is its
// only writer. The Client starts run, hands requests over a channel and hears of everything through signals; the
// fields it keeps for itself stand apart.

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// signalKind says what a connection's goroutines tell the Client.
type signalKind uint8

const (
	opened  signalKind = iota + 1 // ready for requests; hello is set
	arrived                       // a frame, and a write for it has returned
	written                       // a request without response was written
	ended                         // both goroutines are done; always the last signal
)

// Signal is news from a connection, for Client.Handle. Opaque.
type Signal struct {
	kind    signalKind
	conn    *conn
	frame   []byte
	request *Request
}

// connState is what the Client knows of a connection.
type connState uint8

const (
	opening connState = iota // being made
	ready                    // takes requests
	ending                   // told to end, by the Client
)

// conn is one connection, from the first attempt to its end. It is never reopened.
type conn struct {
	// Set before run starts.
	cfg       *Config
	node      Node
	cluster   protocol.NullString // the cluster the node must be of; null: any
	turn      int                 // how many attempts in a row made no connection
	setup     time.Duration       // for dialling and TLS; zero: unbounded
	firstAsk  int16               // the ApiVersions version to begin with
	bodies    bodyList
	signals   chan<- Signal
	abandoned <-chan struct{} // closed when nobody listens to signals any more

	requests chan *Request // to the writer; never full, because the Client counts what is in flight
	writes   chan struct{} // a token per finished write that wants a response; never full, for the same reason
	gone     chan struct{} // closed with the connection
	ctx      context.Context
	cancel   context.CancelFunc

	mu    sync.Mutex // guards raw and cause
	raw   net.Conn   // what is closed to end everything
	cause *Error     // why the connection ended, the first reason only

	// Written by run before it signals opened or ended, read by the Client after that.
	hello   hello
	resetAt int16 // the ApiVersions version during which the broker hung up; negative: it did not

	// The run goroutine's.
	stream net.Conn // raw, or TLS over it
	frames *frameReader

	// The Client's goroutine's.
	state       connState
	wasReady    bool
	retiring    bool // to be ended when nothing is in flight
	deaf        bool // its frames cannot be trusted any more
	sent        inFlight
	correlation int32
	used        time.Time // when something was last sent or received
}

// run makes the connection, serves it and reports its end.
func (c *conn) run() {
	defer c.cancel()
	if c.open() {
		c.signal(Signal{kind: opened, conn: c})
		c.serve()
	}
	c.signal(Signal{kind: ended, conn: c})
}

// end closes the connection for a reason; only the first one counts. Any goroutine may call it; it does not block.
func (c *conn) end(cause *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return
	}
	c.cause = cause
	c.cancel()
	close(c.gone)
	if c.raw != nil {
		_ = c.raw.Close() // nothing to be done about an error, and nothing depends on it
	}
}

// endedBy tells why the connection ended; nil while it has not.
func (c *conn) endedBy() *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// adopt makes raw what end closes. It reports false, and closes raw, when the connection was ended already.
func (c *conn) adopt(raw net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		_ = raw.Close()
		return false
	}
	c.raw = raw
	return true
}

// signal waits until the Client listens, or never will again.
func (c *conn) signal(s Signal) {
	select {
	case c.signals <- s:
	case <-c.abandoned:
	}
}

// open dials, secures and greets. On false the connection has ended.
func (c *conn) open() bool {
	ctx, cancel := c.ctx, context.CancelFunc(func() {})
	if c.setup > 0 {
		ctx, cancel = context.WithTimeout(c.ctx, c.setup)
	}
	defer cancel()
	raw, err := c.cfg.dial(ctx, c.node, c.turn)
	if err != nil {
		c.end(setupError(c.node, c.setup, fmt.Errorf("connecting: %w", err)))
		return false
	}
	if !c.adopt(raw) {
		return false
	}
	c.sizeBuffers(raw)
	c.stream = raw
	if c.cfg.TLS != nil {
		secured := tls.Client(raw, c.tlsConfig())
		if err := secured.HandshakeContext(ctx); err != nil {
			if isHangUp(err) {
				err = fmt.Errorf("the broker hung up (a plaintext listener does this to TLS clients): %w", err)
			}
			c.end(setupError(c.node, c.setup, fmt.Errorf("TLS hand-shake: %w", err)))
			return false
		}
		c.stream = secured
	}
	c.frames = newFrameReader(c.stream, c.bodies)
	return c.greet()
}

// tlsConfig is the configuration for this node's name.
func (c *conn) tlsConfig() *tls.Config {
	cfg := c.cfg.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = c.node.Host
	}
	return cfg
}

// sizeBuffers asks the system for buffer sizes. A refusal costs throughput at most, so it is only logged.
func (c *conn) sizeBuffers(raw net.Conn) {
	tcp, ok := raw.(*net.TCPConn)
	if !ok {
		return
	}
	set := func(which string, size int, apply func(int) error) {
		if size <= 0 {
			return
		}
		if err := apply(size); err != nil {
			c.cfg.Logger.Debug("socket buffer size refused", "node", c.node.String(), "buffer", which, "bytes", size, "error", err)
		}
	}
	set("send", c.cfg.SendBuffer, tcp.SetWriteBuffer)
	set("receive", c.cfg.ReceiveBuffer, tcp.SetReadBuffer)
}

// serve moves requests and responses until the connection ends; when it returns, so has the writer.
func (c *conn) serve() {
	var writer sync.WaitGroup
	writer.Go(c.write)
	c.end(networkError(c.node, c.read()))
	writer.Wait()
}

// write sends requests in the order they come. It ends with the connection.
func (c *conn) write() {
	out := newFrameWriter(c.stream)
	for {
		select {
		case <-c.gone:
			return
		case r := <-c.requests:
			if err := out.write(r); err != nil {
				c.end(networkError(c.node, fmt.Errorf("writing: %w", err)))
				return
			}
			if r.NoResponse {
				c.signal(Signal{kind: written, conn: c, request: r})
			} else {
				c.writes <- struct{}{}
			}
		}
	}
}

// read reports frames until the connection ends and returns why it did. A frame waits for its write: a broker may
// answer what it has read while the writer is still inside the system call.
func (c *conn) read() error {
	for {
		frame, err := c.frames.next()
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		select {
		case <-c.writes:
		case <-c.gone:
			return net.ErrClosed
		}
		c.signal(Signal{kind: arrived, conn: c, frame: frame})
	}
}
