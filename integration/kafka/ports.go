// ports.go owns the choice of loopback ports. Stateless; any goroutine.

package kafka

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The range ports are taken from. It lies below the one from which Linux gives
// outgoing connections their ports, so a node that is down for a while finds its
// port free when it comes back.
const (
	firstPort = 20000
	lastPort  = 29999
)

// freePorts returns n different loopback ports nobody listens on right now.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	taken := make(map[int]bool, n)
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if taken[port] {
			continue
		}
		l, err := net.Listen("tcp", loopback(port))
		if err != nil {
			continue // somebody else's
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("probe port %d: %w", port, err)
		}
		taken[port] = true
		ports = append(ports, port)
	}
	return nil, fmt.Errorf("found no %d free ports between %d and %d", n, firstPort, lastPort)
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
