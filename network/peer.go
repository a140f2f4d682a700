package network

// This file owns what the Client remembers of a node across its connections: back-off, time-outs, throttling. Client
// goroutine only.

import "time"

// peer is one node and, if there is one, its connection.
type peer struct {
	node Node
	conn *conn // nil: not connected, nor trying

	failures      int       // disconnections since the node was last ready
	setupFailures int       // attempts in a row that made no connection
	lastAttempt   time.Time // when the last connection was begun; zero: never
	notBefore     time.Time // when the next one may begin
	throttled     time.Time // until when the node asked to be left alone
	firstAsk      int16     // the ApiVersions version to begin with
	awaited       bool      // somebody asked for the node while it had to wait
}

func newPeer(node Node) *peer { return &peer{node: node, firstAsk: newestHello} }

// connected reports whether the node's versions are known and its connection stands.
func (p *peer) connected() bool { return p.conn != nil && p.conn.state == ready }

// connectable reports whether a connection may be begun.
func (p *peer) connectable(now time.Time) bool { return p.conn == nil && !now.Before(p.notBefore) }

// sendable reports whether the node can take a request.
func (p *peer) sendable(now time.Time, maxInFlight int) bool {
	return p.connected() && !now.Before(p.throttled) && p.conn.sent.len() < maxInFlight
}

// waitsUntil is the time from which asking for the node again may help; zero when only an event can.
func (p *peer) waitsUntil() time.Time {
	switch {
	case p.conn == nil:
		return p.notBefore
	case p.conn.state == ready:
		return p.throttled
	default:
		return time.Time{}
	}
}
