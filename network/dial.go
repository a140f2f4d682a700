package network

// This file owns which of a name's addresses a connection begins with. Any goroutine.

import (
	"context"
	"net"
	"slices"
	"strconv"
	"time"
)

// dialer makes TCP connections with the system's means.
type dialer struct {
	lookup  func(ctx context.Context, host string) ([]string, error)
	connect func(ctx context.Context, network, address string) (net.Conn, error) // tries all addresses of a name
}

func newDialer() *dialer {
	system := &net.Dialer{KeepAlive: 15 * time.Second}
	return &dialer{lookup: net.DefaultResolver.LookupHost, connect: system.DialContext}
}

// dial connects to a node, after turn attempts in a row that made no connection. An address that takes connections can
// still be of no use, so each turn after the first begins with another one of the name's. Its share of the time is as
// large as that of all others.
func (d *dialer) dial(ctx context.Context, node Node, turn int) (net.Conn, error) {
	if turn > 0 {
		if addresses, err := d.lookup(ctx, node.Host); err == nil && len(addresses) > 1 {
			slices.Sort(addresses) // name servers have turns of their own
			if raw := d.try(ctx, addresses[turn%len(addresses)], node.Port, len(addresses)); raw != nil {
				return raw, nil
			}
		}
	}
	return d.connect(ctx, "tcp", node.Address())
}

// try connects to one address in its share of the time that is left; nil: it did not.
func (d *dialer) try(ctx context.Context, address string, port int32, shares int) net.Conn {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(shares))
		defer cancel()
	}
	raw, err := d.connect(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(int(port))))
	if err != nil {
		return nil
	}
	return raw
}
