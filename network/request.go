package network

// This file owns what goes into a Client and what comes out. A Request is the caller's until Send; then it belongs to
// the Client and the connection's writer until an Event reports its end.

import (
	"net"
	"time"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// Request is one request on its way to a node. It must not be copied or changed between Send and the event that
// reports its end; after that it may be used again.
type Request struct {
	// Key and Version choose the request header; the version is the caller's choice, see Client.Version.
	Key     protocol.Key
	Version int16
	// Body is what follows the header, in pieces. Neither the slice nor the pieces may be touched before the end of
	// the request was reported.
	Body [][]byte
	// NoResponse marks a request the broker does not answer: it ends when it was written.
	NoResponse bool
	// Timeout bounds the time from Send to the end. Zero: Config.RequestTimeout. Negative: unbounded.
	Timeout time.Duration
	// Tag is the caller's.
	Tag any

	head        []byte      // size and header; reused
	pieces      [][]byte    // head and Body; reused
	wire        net.Buffers // pieces, consumed by the write
	size        int         // bytes on the wire
	correlation int32
	deadline    time.Time // zero: none
}

// encode builds the frame around the body.
func (r *Request) encode(clientID string, correlation int32) {
	r.correlation = correlation
	r.head = append(r.head[:0], 0, 0, 0, 0)
	r.head = protocol.AppendRequestHeader(r.head, r.Key, r.Version, correlation, clientID)
	r.size = len(r.head)
	for _, piece := range r.Body {
		r.size += len(piece)
	}
	putSize(r.head, r.size-frameSizeBytes)
	r.pieces = append(append(r.pieces[:0], r.head), r.Body...)
	r.wire = r.pieces
}

// release forgets the caller's memory, so that a Request kept for reuse does not keep it alive.
func (r *Request) release() {
	clear(r.pieces)
	r.wire = nil
}

// EventKind says what an Event reports.
type EventKind uint8

// The kinds of events.
const (
	// Response ends a request: Body is what followed the response header. Give it back with Client.Recycle.
	Response EventKind = iota + 1
	// Failed ends a request without a response: Err says why, and whether it may have reached the broker is unknown.
	Failed
	// Written ends a request with NoResponse.
	Written
	// Connected says that a node is connected and its versions are known.
	Connected
	// Disconnected says that a node's connection ended or could not be made; requests in flight were reported before.
	// Connections that are closed because they idle or because their node left or moved are not reported.
	Disconnected
)

// Event is one thing that happened to a node or a request.
type Event struct {
	Kind    EventKind
	Node    int32
	Request *Request // of Response, Failed and Written
	Body    []byte   // of Response
	Err     error    // of Failed and Disconnected; see Error
}
