package network

// This file owns the Client: which nodes there are, what may be sent to them now, and when to look again. Everything
// belongs to the one goroutine that uses the Client; connections reach it through signals only.

import (
	"context"
	"sync"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/backoff"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

const pendingSignals = 128 // news that may wait; beyond it, connections wait

// Client connects to nodes and exchanges requests with them. Its methods belong to one goroutine, those excepted that
// say otherwise, and but for Close none of them blocks.
type Client struct {
	cfg         Config
	reconnect   backoff.Exponential
	setup       backoff.Exponential
	bodies      bodyList
	signals     chan Signal
	abandoned   chan struct{}  // closed by Close
	connections sync.WaitGroup // their run goroutines

	peers  map[int32]*peer
	order  []*peer            // the same, in the order of SetNodes
	conns  map[*conn]struct{} // all that have not ended, also those of nodes that left
	events []Event            // of the last Handle
	now    time.Time          // the latest time a caller named
	due    time.Time          // when Tick has something to do; zero: not before another call changes it
	stats  Stats
	closed bool

	cluster string // see SetCluster
}

// NewClient makes a client without nodes. It starts nothing.
func NewClient(cfg Config) *Client {
	cfg = cfg.withDefaults()
	return &Client{
		cfg:       cfg,
		reconnect: backoff.Exponential{Initial: cfg.ReconnectBackoff, Max: cfg.ReconnectBackoffMax, Jitter: cfg.Jitter},
		setup:     backoff.Exponential{Initial: cfg.ConnectionSetup, Max: cfg.ConnectionSetupMax, Jitter: cfg.Jitter},
		bodies:    make(bodyList, keptBodies),
		signals:   make(chan Signal, pendingSignals),
		abandoned: make(chan struct{}),
		peers:     map[int32]*peer{},
		conns:     map[*conn]struct{}{},
	}
}

// SetNodes tells which nodes there are: the bootstrap list at first, the brokers later. Nodes that stay keep their
// connection. A node with another address gets a new connection, and what is in flight on the old one fails. A node
// that is gone takes no more requests; its connection is closed when what is in flight on it has ended.
func (c *Client) SetNodes(nodes []Node) {
	if c.closed {
		return
	}
	peers := make(map[int32]*peer, len(nodes))
	c.order = c.order[:0]
	for _, node := range nodes {
		if _, twice := peers[node.ID]; twice {
			continue
		}
		p := c.peers[node.ID]
		switch {
		case p == nil:
			p = newPeer(node)
		case p.node.Host != node.Host || p.node.Port != node.Port:
			if p.conn != nil {
				c.end(p.conn, networkError(p.node, errNodeGone))
			}
			p = newPeer(node)
		}
		p.node = node
		peers[node.ID] = p
		c.order = append(c.order, p)
	}
	for id, p := range c.peers {
		if peers[id] == nil && p.conn != nil {
			c.retire(p.conn)
		}
	}
	c.peers = peers
}

// SetCluster tells the id of the cluster that new connections to brokers must find there (KIP-1242): a broker of 4.4
// or later that is of another cluster, or is another node, refuses them with errcode.RebootstrapRequired. Empty: any.
func (c *Client) SetCluster(id string) { c.cluster = id }

// clusterOf is the cluster that a node must be of. Entries of the bootstrap list may be anything.
func (c *Client) clusterOf(node Node) protocol.NullString {
	if c.cluster == "" || node.ID < 0 {
		return protocol.NullString{}
	}
	return protocol.Some(c.cluster)
}

// Ready reports whether a node can take a request now: its versions are known, it is not throttled, and fewer than
// Config.MaxInFlight requests are in flight. Otherwise it begins to connect if that may be, or else remembers to let
// Tick tell when asking again may help.
func (c *Client) Ready(id int32, now time.Time) bool {
	c.now = now
	p := c.peers[id]
	if p == nil {
		return false
	}
	if p.sendable(now, c.cfg.MaxInFlight) {
		return true
	}
	if p.connectable(now) {
		c.connect(p)
		return false
	}
	c.await(p)
	return false
}

// InFlight counts the requests on a node's connection that have not ended.
func (c *Client) InFlight(id int32) int {
	p := c.peers[id]
	if p == nil || p.conn == nil {
		return 0
	}
	return p.conn.sent.len()
}

// LeastLoaded chooses the node for a request that any node can answer: one that can take it now, with the fewest in
// flight. When there is none it returns false and, unless a connection is already being made, begins to connect to
// the node whose last attempt is the longest ago.
func (c *Client) LeastLoaded(now time.Time) (id int32, ok bool) {
	c.now = now
	if len(c.order) == 0 {
		return 0, false
	}
	var best, oldest *peer
	connecting := false
	start := int(c.cfg.Jitter() * float64(len(c.order)))
	for i := range c.order {
		p := c.order[(start+i)%len(c.order)]
		switch {
		case p.sendable(now, c.cfg.MaxInFlight):
			if best == nil || p.conn.sent.len() < best.conn.sent.len() {
				best = p
			}
		case p.conn != nil:
			connecting = connecting || p.conn.state == opening
		case p.connectable(now) && (oldest == nil || p.lastAttempt.Before(oldest.lastAttempt)):
			oldest = p
		}
	}
	switch {
	case best != nil:
		return best.node.ID, true
	case connecting:
	case oldest != nil:
		c.connect(oldest)
	default:
		for _, p := range c.order {
			c.await(p)
		}
	}
	return 0, false
}

// Unreachable reports whether no node is connected, being connected to, or may be connected to now: there is nobody to
// ask, and only the end of a back-off can change that.
func (c *Client) Unreachable(now time.Time) bool {
	for _, p := range c.order {
		if p.conn != nil || p.connectable(now) {
			return false
		}
	}
	return true
}

// Version is the newest version of an API between low and high that the node's broker speaks too. Its error matches
// errcode.UnsupportedVersion, or errcode.NetworkException when the node is not connected.
func (c *Client) Version(id int32, key protocol.Key, low, high int16) (int16, error) {
	p := c.peers[id]
	if p == nil || !p.connected() {
		return 0, c.notConnected(id)
	}
	version, err := p.conn.hello.choose(key, low, high)
	if err != nil {
		return 0, &Error{Node: p.node, API: key.String(), Class: errcode.UnsupportedVersion, Err: err}
	}
	return version, nil
}

// Send hands a request to a node that is Ready. Its end will be an event of Handle. An error means that the node was
// not ready: the request was not taken, and no event will come.
func (c *Client) Send(id int32, r *Request, now time.Time) error {
	c.now = now
	p := c.peers[id]
	if p == nil || !p.connected() {
		return c.notConnected(id)
	}
	if !p.sendable(now, c.cfg.MaxInFlight) {
		return networkError(p.node, errNotReady)
	}
	cn := p.conn
	r.encode(c.cfg.ClientID, cn.correlation)
	cn.correlation++
	r.deadline = time.Time{}
	timeout := r.Timeout
	if timeout == 0 {
		timeout = c.cfg.RequestTimeout
	}
	if timeout > 0 {
		r.deadline = now.Add(timeout)
		c.due = sooner(c.due, r.deadline)
	}
	cn.used = now
	cn.sent.push(r)
	c.stats.Requests++
	c.stats.BytesOut += uint64(r.size)
	cn.requests <- r
	return nil
}

// Throttle keeps requests from a node until then, as a broker asks in a response. It is only ever extended. The broker
// does not read meanwhile, so the deadlines of what is in flight move along.
func (c *Client) Throttle(id int32, until time.Time) {
	p := c.peers[id]
	if p == nil || !until.After(p.throttled) {
		return
	}
	from := p.throttled
	if from.Before(c.now) {
		from = c.now
	}
	p.throttled = until
	if p.conn != nil && until.After(from) {
		p.conn.sent.postpone(until.Sub(from))
	}
}

// Signals is what to select on; every signal goes to Handle.
func (c *Client) Signals() <-chan Signal { return c.signals }

// Recycle takes a response body back for later responses. Any goroutine may call it; nobody may use the body after.
func (c *Client) Recycle(body []byte) { c.bodies.put(body) }

// Close ends all connections and waits for their goroutines: afterwards nothing refers to the memory of any request.
// What was in flight is dropped without an event. It blocks only as long as a Config.Dial does that ignores its context.
func (c *Client) Close() {
	if c.closed {
		return
	}
	c.closed = true
	close(c.abandoned)
	for cn := range c.conns {
		c.end(cn, networkError(cn.node, errClosing))
	}
	c.connections.Wait()
	c.peers, c.order, c.conns = nil, nil, nil
}

// notConnected is the error of asking for what only a connection can do.
func (c *Client) notConnected(id int32) error {
	if p := c.peers[id]; p != nil {
		return networkError(p.node, errNotConnected)
	}
	return networkError(Node{ID: id}, errNoSuchNode)
}

// await makes Tick tell when a node may be asked for again.
func (c *Client) await(p *peer) {
	if until := p.waitsUntil(); until.After(c.now) {
		p.awaited = true
		c.due = sooner(c.due, until)
	}
}

// connect begins a connection.
func (c *Client) connect(p *peer) {
	ctx, cancel := context.WithCancel(context.Background())
	cn := &conn{
		cfg:       &c.cfg,
		node:      p.node,
		cluster:   c.clusterOf(p.node),
		turn:      p.setupFailures,
		setup:     c.setup.Delay(p.setupFailures),
		firstAsk:  p.firstAsk,
		bodies:    c.bodies,
		signals:   c.signals,
		abandoned: c.abandoned,
		requests:  make(chan *Request, c.cfg.MaxInFlight),
		writes:    make(chan struct{}, c.cfg.MaxInFlight),
		gone:      make(chan struct{}),
		ctx:       ctx,
		cancel:    cancel,
		resetAt:   -1,
	}
	p.conn, p.lastAttempt, p.awaited = cn, c.now, false
	c.conns[cn] = struct{}{}
	c.stats.Attempts++
	c.connections.Go(cn.run)
}

// end closes a connection; what was in flight on it is reported when its goroutines have returned.
func (c *Client) end(cn *conn, cause *Error) {
	cn.state = ending
	cn.end(cause)
}

// retire ends a connection as soon as nothing is in flight on it.
func (c *Client) retire(cn *conn) {
	cn.retiring = true
	if cn.sent.len() == 0 {
		c.end(cn, networkError(cn.node, errNodeGone))
	}
}
