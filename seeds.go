package producer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kafka-go-producer/producer/network"
)

// seeds.go owns how bootstrap servers are written. Pure functions; nothing is looked up.

// loopback is the host of a server written without one, ":9092".
const loopback = "localhost"

// splitServer reads what Java reads: host:port, with an IPv6 host in brackets or not, and before it
// perhaps a protocol and "://", which means nothing.
func splitServer(s string) (host string, port int32, err error) {
	address := s
	if protocol, rest, ok := strings.Cut(s, "://"); ok && isHost(protocol) && !strings.Contains(protocol, ":") {
		address = rest
	}
	colon := strings.LastIndexByte(address, ':')
	if colon < 0 {
		return "", 0, fmt.Errorf("%q is not host:port", s)
	}
	host = strings.TrimSuffix(strings.TrimPrefix(address[:colon], "["), "]")
	n, err := strconv.ParseUint(address[colon+1:], 10, 16)
	if err != nil || n == 0 || !isHost(host) {
		return "", 0, fmt.Errorf("%q is not host:port", s)
	}
	if host == "" {
		host = loopback
	}
	return host, int32(n), nil
}

// isHost allows the letters of names and addresses.
func isHost(s string) bool {
	for _, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || '9' < c) && !strings.ContainsRune("-%._:", rune(c)) {
			return false
		}
	}
	return true
}

// seeds are the bootstrap servers as nodes, with the ids -1, -2 and so on.
func (c *Config) seeds() []network.Node {
	nodes := make([]network.Node, 0, len(c.BootstrapServers))
	for i, s := range c.BootstrapServers {
		host, port, _ := splitServer(s) // resolve has checked it
		nodes = append(nodes, network.Node{ID: int32(-1 - i), Host: host, Port: port})
	}
	return nodes
}
