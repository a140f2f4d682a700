package producer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kafka-go-producer/producer/network"
)

// bootstrap.go owns the way into the cluster: the servers to start from, when to start from them again,
// and who is told which cluster it is. All of it is the Sender's, a resolution's goroutine aside.

// ClusterResource is what a ClusterListener is told.
type ClusterResource struct {
	ClusterID string // "": brokers older than 0.10.1
	Nodes     []ClusterNode
}

// ClusterNode is a broker.
type ClusterNode struct {
	ID   int32
	Host string
	Port int32
	Rack string // "": none
}

// maybeRebootstrap starts from the bootstrap servers again if no broker can be reached, or if metadata
// was due for too long and no request succeeded (KIP-899, KIP-1102).
func (s *sender) maybeRebootstrap() {
	r := &s.refresh
	switch {
	case r.last == 0 || s.cfg.MetadataRebootstrap < 0 || s.bootstrapping:
	case s.client.Unreachable(s.time) && s.client.Stats().Connections == 0:
		s.rebootstrap("no broker can be reached")
	case s.now-r.failing > int64(s.cfg.MetadataRebootstrap):
		s.rebootstrap("no metadata request has succeeded for too long")
	}
}

// rebootstrap forgets the brokers and starts from the bootstrap servers. What is known of topics, and
// all that waits to be sent, stays; so does the back-off of metadata requests, for a broker may ask for
// this again and again.
func (s *sender) rebootstrap(why string) {
	if s.cfg.MetadataRebootstrap < 0 || s.bootstrapping {
		return
	}
	s.logger.Info("starting from the bootstrap servers again", "reason", why)
	s.bootstrapping = true
	s.client.SetCluster("")
	s.client.SetNodes(s.cfg.seeds())
	s.refresh.needed, s.refresh.failing = true, 0
}

// tellListener notes which cluster this is, and tells the user's listener if that has changed.
func (s *sender) tellListener(id string, nodes []network.Node) {
	s.bootstrapping = false
	if s.cfg.MetadataClusterCheck {
		s.client.SetCluster(id)
	}
	resource := ClusterResource{ClusterID: id}
	for _, n := range nodes {
		resource.Nodes = append(resource.Nodes, ClusterNode(n))
	}
	slices.SortFunc(resource.Nodes, func(a, b ClusterNode) int { return int(a.ID) - int(b.ID) })
	if s.cluster.ClusterID == id && slices.Equal(s.cluster.Nodes, resource.Nodes) {
		return
	}
	s.cluster = resource
	if s.cfg.ClusterListener == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("cluster listener panicked", "panic", p)
		}
	}()
	resource.Nodes = slices.Clone(resource.Nodes) // the listener's
	s.cfg.ClusterListener(resource)
}

// resolution looks up the bootstrap servers' names until one is found (KIP-909): if none is in time,
// everybody who waits for metadata fails, now and later.
type resolution struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// errUnresolved is why nobody waits any longer.
var errUnresolved = errors.New("no bootstrap server's name could be resolved")

// lookup finds the addresses of a host, as net.Resolver.LookupHost does.
type lookup func(ctx context.Context, host string) ([]string, error)

func newResolution(cfg *Config, meta *metadata, find lookup) *resolution {
	ctx, cancel := context.WithTimeout(context.Background(), cfg.BootstrapResolveTimeout)
	r := &resolution{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		err := resolve(ctx, cfg, find)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			meta.end(fmt.Errorf("%w in %v: %w", errUnresolved, cfg.BootstrapResolveTimeout, err))
		}
	}()
	return r
}

// resolve returns nil once a name is found, or else the last error when ctx ends.
func resolve(ctx context.Context, cfg *Config, find lookup) error {
	for {
		var last error
		for _, seed := range cfg.seeds() {
			if _, err := find(ctx, seed.Host); err == nil {
				return nil
			} else if last == nil || ctx.Err() == nil {
				last = err
			}
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(max(cfg.RetryBackoff, time.Millisecond)):
		}
	}
}

// stop ends the goroutine and waits for it; nil has none.
func (r *resolution) stop() {
	if r != nil {
		r.cancel()
		<-r.done
	}
}
