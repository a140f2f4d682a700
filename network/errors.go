package network

// This file owns the errors of connections and requests: values, safe anywhere.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// Error is the end of a connection, or of a request that got no response. With errors.Is it matches its cause and its
// class, which is one of
//
//	errcode.RequestTimedOut     a request was not answered in time, and took its connection along
//	errcode.ErrTimeout          a connection was not made in time
//	errcode.ErrAuthentication   one side refused the other's certificate or TLS settings
//	errcode.UnsupportedVersion  the broker has no version of an API in common with this client
//	errcode.NetworkException    everything else about connections
type Error struct {
	// Node is where it happened.
	Node Node
	// API names the request that ended, with its version, or the one whose answer did not come in time and so ended the
	// connection; empty when the connection ended by itself.
	API string
	// Class tells a caller what to do.
	Class error
	// Err is what happened.
	Err error
}

// Error names the node, the request and the cause.
func (e *Error) Error() string {
	if e.API == "" {
		return fmt.Sprintf("network: %v: %v", e.Node, e.Err)
	}
	return fmt.Sprintf("network: %v: %s: %v", e.Node, e.API, e.Err)
}

// Unwrap makes errors.Is and errors.As see class and cause.
func (e *Error) Unwrap() []error { return []error{e.Class, e.Err} }

// of is the same error, told about one request.
func (e *Error) of(r *Request) *Error {
	told := *e
	if told.API = apiName(r.Key, r.Version); e.API != "" && e.API != told.API {
		told.Err = fmt.Errorf("%s: %w", e.API, e.Err)
	}
	return &told
}

// apiName is how an API with its version reads in errors.
func apiName(key protocol.Key, version int16) string {
	return fmt.Sprintf("%v v%d", key, version)
}

// reason is why this client ends a connection, or does not use it.
type reason string

func (r reason) Error() string { return string(r) }

const (
	errClosing      reason = "the client is closing"
	errIdle         reason = "closed because nothing was sent for long"
	errNodeGone     reason = "closed because the node left the cluster or moved to another address"
	errNotDue       reason = "a response came where none was due"
	errNotReady     reason = "the node takes no request now"
	errNotConnected reason = "not connected"
	errNoSuchNode   reason = "no such node"
)

// networkError is an Error of the plain class.
func networkError(node Node, err error) *Error {
	return &Error{Node: node, Class: errcode.NetworkException, Err: err}
}

// timeoutError is the end of a connection whose oldest request is past its deadline.
func timeoutError(node Node, r *Request) *Error {
	return &Error{
		Node: node, API: apiName(r.Key, r.Version), Class: errcode.RequestTimedOut,
		Err: fmt.Errorf("no answer in time: %w", os.ErrDeadlineExceeded),
	}
}

// setupError classifies what ended the making of a connection, when only this client's own limit can time out.
func setupError(node Node, limit time.Duration, err error) *Error {
	e := networkError(node, err)
	switch {
	case isTimeout(err):
		e.Class = errcode.ErrTimeout
		if limit > 0 && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)) {
			e.Err = fmt.Errorf("not done within %v: %w", limit, err)
		}
	case isRefusedByTLS(err):
		e.Class = errcode.ErrAuthentication
		if errors.As(err, new(tls.RecordHeaderError)) {
			e.Err = fmt.Errorf("the listener does not speak TLS, which this client is configured for: %w", err)
		}
	}
	return e
}

// isHangUp reports whether the other side ended the connection.
func isHangUp(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	var operation *net.OpError // resets have a different number on every system
	return errors.As(err, &operation) && !operation.Timeout() && (operation.Op == "read" || operation.Op == "write")
}

// isTimeout reports whether a deadline or the system's own limit ended an attempt.
func isTimeout(err error) bool {
	var timeout net.Error // os.ErrDeadlineExceeded and context.DeadlineExceeded are ones
	return errors.As(err, &timeout) && timeout.Timeout()
}

// isRefusedByTLS reports whether one side refused the other in TLS, as opposed to a connection that broke: trying
// again will not help.
func isRefusedByTLS(err error) bool {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if strings.HasPrefix(inner.Error(), "tls: ") {
			return true // no common version, no common cipher, a key of the wrong kind: they have no types
		}
	}
	var (
		header      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		operation   *net.OpError
	)
	switch {
	case errors.As(err, &header), errors.As(err, &certificate), errors.As(err, &authority),
		errors.As(err, &hostname), errors.As(err, &invalid):
		return true
	case errors.As(err, &operation):
		// An alert, sent by them or by us; crypto/tls has no exported type for it on this path.
		return operation.Op == "remote error" || operation.Op == "local error"
	default:
		return false
	}
}
