// Package sink is a Kafka broker that keeps nothing: it reads Produce requests as cheaply as it can, counts what is in
// them and acknowledges it, so that what is measured is the client. Run it in a process of its own, or its CPU is
// measured too. It is the one broker of its cluster, and every topic exists.
//
// It speaks ApiVersions 0–4, Metadata 0–12, InitProducerId 0–4 and Produce 3–11. Records are counted from the headers of
// their batches; with Verify it also checks checksums, idempotent sequences and, where a batch is not compressed, every
// record.
package sink

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// sink.go owns the listener and the connections.

// Config says what a Server does. Its zero value has no partitions.
type Config struct {
	Partitions int           // of every topic
	Verify     bool          // check what comes; costs time
	Delay      time.Duration // of every response
	Logf       func(format string, args ...any)
}

// Server is a running sink. All methods may be called from any goroutine.
type Server struct {
	cfg      Config
	listener net.Listener
	host     string
	port     int32
	count    counters
	topics   topics
	ids      atomic.Int64 // producer ids given out
	reports  atomic.Int64 // problems logged

	running sync.WaitGroup
	mu      sync.Mutex // guards conns and closed
	conns   map[net.Conn]bool
	closed  bool
}

// Listen starts a sink on a TCP address, which is also the one it tells clients.
func Listen(address string, cfg Config) (*Server, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	s := &Server{cfg: cfg, listener: ln, conns: make(map[net.Conn]bool)}
	s.topics.partitions = cfg.Partitions
	host, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	p, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	s.host, s.port = host, int32(p)
	s.running.Go(s.accept)
	return s, nil
}

// Addr is where the sink listens, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends all connections and waits for their goroutines.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
	return err
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				s.logf("accept: %v", err)
			}
			return
		}
		if s.register(c) {
			s.count.conns.Add(1)
			s.running.Go(func() { s.serve(c) })
		}
	}
}

// register tells whether c may be served.
func (s *Server) register(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.conns[c] = true
	return true
}

func (s *Server) forget(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	_ = c.Close()
}

func (s *Server) logf(format string, args ...any) {
	if s.cfg.Logf != nil {
		s.cfg.Logf(format, args...)
	}
}

// maxReports is how many problems are logged; all are counted.
const maxReports = 20

// problem counts something that a client did wrong.
func (s *Server) problem(n *atomic.Int64, format string, args ...any) {
	n.Add(1)
	if s.reports.Add(1) <= maxReports {
		s.logf(format, args...)
	}
}
