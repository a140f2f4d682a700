package network

// This file owns the settings of a Client: read-only once NewClient has returned.

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"
)

// Config tells a Client how to connect and how long to wait. It has no defaults of its own beyond what the fields say.
type Config struct {
	// ClientID is sent in every request header.
	ClientID string
	// SoftwareVersion is what brokers are told about this client's version: letters, digits, dots and dashes.
	// Empty: "unknown".
	SoftwareVersion string
	// MaxInFlight bounds the requests of one node that have not ended. Less than one counts as one, more than
	// MostInFlight as that.
	MaxInFlight int
	// RequestTimeout bounds the time from Send to the end of a request, and each question of a connection's hand-shake.
	// Zero or negative: unbounded.
	RequestTimeout time.Duration
	// ConnectionSetup bounds dialling and the TLS hand-shake, growing to ConnectionSetupMax over failed attempts to
	// one node. Zero or negative: unbounded.
	ConnectionSetup, ConnectionSetupMax time.Duration
	// ReconnectBackoff is the pause after a connection ended, growing to ReconnectBackoffMax until the node is ready
	// again. Zero: none.
	ReconnectBackoff, ReconnectBackoffMax time.Duration
	// MaxIdle closes a connection without traffic for so long. Zero or negative: never.
	MaxIdle time.Duration
	// SendBuffer and ReceiveBuffer are the sizes of a TCP socket's buffers in bytes. Zero or negative: the system's.
	SendBuffer, ReceiveBuffer int
	// TLS switches TLS on. ServerName is filled from the node's host when empty. Nil: plaintext.
	TLS *tls.Config
	// Dial makes a connection; it must give up when ctx ends, and closing what it returns must end reads and writes.
	// Nil: TCP with keep-alive; all addresses of a name are tried, and after an attempt that failed another one
	// comes first. Any TCP connection gets TCP_NODELAY, which Go sets by itself.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger gets what no error and no event tells. Nil: nothing is logged.
	Logger *slog.Logger
	// Jitter returns numbers in [0, 1) for back-off and the choice among equally loaded nodes; it must be safe for
	// the Client's goroutine. Nil: math/rand/v2.
	Jitter func() float64

	dial func(ctx context.Context, node Node, turn int) (net.Conn, error) // never nil once withDefaults has returned
}

// MostInFlight is the largest MaxInFlight: a connection has room for as many requests from the start.
const MostInFlight = 1000

// withDefaults fills what must not be nil or zero.
func (cfg Config) withDefaults() Config {
	cfg.MaxInFlight = min(max(cfg.MaxInFlight, 1), MostInFlight)
	if cfg.SoftwareVersion == "" {
		cfg.SoftwareVersion = "unknown"
	}
	if cfg.Dial == nil {
		cfg.dial = newDialer().dial
	} else {
		cfg.dial = func(ctx context.Context, node Node, _ int) (net.Conn, error) {
			return cfg.Dial(ctx, "tcp", node.Address())
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	return cfg
}
