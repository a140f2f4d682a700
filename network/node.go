package network

// This file owns what a node is called and where it lives: plain values, safe anywhere.

import (
	"fmt"
	"net"
	"strconv"
)

// Node is one broker of the cluster, or, with a negative ID, one entry of the bootstrap list.
type Node struct {
	// ID is the broker's id, or -1, -2, ... for bootstrap entries. Two nodes may share an address; they still get a
	// connection each.
	ID int32
	// Host is a name or an IP address, IPv6 without brackets.
	Host string
	// Port is the TCP port.
	Port int32
	// Rack is the broker's rack; empty when it has none. It plays no part in connecting.
	Rack string
}

// Address returns host:port in the form net.Dial takes.
func (n Node) Address() string {
	return net.JoinHostPort(n.Host, strconv.Itoa(int(n.Port)))
}

// String names the node in errors and logs, by id and address.
func (n Node) String() string {
	if n.ID < 0 {
		return fmt.Sprintf("bootstrap server %s", n.Address())
	}
	return fmt.Sprintf("node %d (%s)", n.ID, n.Address())
}
