package fakebroker

// This file owns what tests can make a broker do. Scripts run on the goroutine of the connection that got the request.

import (
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// Call is one request as a broker got it.
type Call struct {
	Node          int32
	Conn          int // numbers connections from 1, in the order they were made
	Key           protocol.Key
	Version       int16
	CorrelationID int32
	ClientID      string
	At            time.Time
	Seen          int // requests of this API that came to the cluster before
	// Message is the decoded request; nil when its version is not spoken.
	Message protocol.Message
}

// Produce is the request when it is one of Produce.
func (c Call) Produce() *protocol.ProduceRequest {
	r, _ := c.Message.(*protocol.ProduceRequest)
	return r
}

// Action is what a broker does about a request. The zero value is what brokers do.
type Action struct {
	// Before delays the request: later ones of the same connection wait as well, as they do in a broker.
	Before Wait
	// Code refuses the request: nothing is applied, and every partition, or the whole answer, has this code.
	Code errcode.Code
	// Codes refuses single partitions of a produce request likewise.
	Codes map[Partition]errcode.Code
	// HangUp ends the connection instead of answering.
	HangUp Moment
	// After delays the answer to what was applied.
	After Wait
	// Throttle is told to the client in the answer; the broker does nothing about it itself.
	Throttle time.Duration
	// Edit changes the answer; it gets, say, a *protocol.ProduceResponse.
	Edit func(response protocol.Message)
	// Silent swallows the answer.
	Silent bool
	// Raw is written instead of the answer, and nothing is put in front of it.
	Raw []byte
	// Pieces cuts the answer into writes of so many bytes. Zero: one write.
	Pieces int
	// Pace is the pause between such writes.
	Pace time.Duration
}

// Wait is a delay, or an event to wait for, or both in turn. A connection that is cut waits no longer.
type Wait struct {
	For   time.Duration
	Until <-chan struct{} // closed, or sent to, when the wait is over
}

// Moment is when a connection is ended.
type Moment uint8

// The moments.
const (
	Never          Moment = iota
	BeforeApplying        // the request is lost
	AfterApplying         // the answer is lost
)

// Partition names a partition.
type Partition struct {
	Topic string
	Index int32
}

// On asks a script about every request of an API before it is applied. Nil: none.
func (c *Cluster) On(key protocol.Key, script func(Call) Action) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scripts[key] = script
}

// Script gives the first requests it sees one action each; all later ones are answered as usual.
func Script(actions ...Action) func(Call) Action {
	next := make(chan Action, len(actions))
	for _, a := range actions {
		next <- a
	}
	return func(Call) Action {
		select {
		case a := <-next:
			return a
		default:
			return Action{}
		}
	}
}

// Always gives every request the same action.
func Always(a Action) func(Call) Action { return func(Call) Action { return a } }

// OnDial asks about every attempt to connect, on the goroutine that dials and under its context; an error refuses it.
// Nil: nothing is asked.
func (c *Cluster) OnDial(script func(Dial) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onDial = script
}

// scripted notes a request and asks its script.
func (c *Cluster) scripted(call *Call) Action {
	c.mu.Lock()
	call.Seen = c.seen[call.Key]
	c.seen[call.Key]++
	c.calls = append(c.calls, *call)
	script := c.scripts[call.Key]
	c.mu.Unlock()
	if script == nil {
		return Action{}
	}
	return script(*call)
}
