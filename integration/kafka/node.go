// node.go owns one node: its files, its process, and what may be done to it. A
// test drives a node from one goroutine at a time.

package kafka

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// How long single steps may take. They are bounds against hanging, far above
// what the steps need.
const (
	formatTime = time.Minute
	readyTime  = 2 * time.Minute
	stopTime   = time.Minute
	pauseTime  = 10 * time.Second
)

// Node is one broker, and controller where there is no ZooKeeper.
type Node struct {
	cluster        *Cluster
	id             int
	port           int // of clients
	controllerPort int
	process        *process // nil before the first start
}

// ID is the node's number in the cluster; the first is 1.
func (n *Node) ID() int { return n.id }

// Address is the host and port clients connect to. It stays the same over
// restarts.
func (n *Node) Address() string { return loopback(n.port) }

// LogFile is the path of the node's own log, over all its starts.
func (n *Node) LogFile() string { return filepath.Join(n.dir(), "server.log") }

func (n *Node) dir() string     { return filepath.Join(n.cluster.dir, fmt.Sprintf("node-%d", n.id)) }
func (n *Node) dataDir() string { return filepath.Join(n.dir(), "data") }

// Pause stops the node's process with SIGSTOP: its connections stay open and
// nothing on them is answered.
func (n *Node) Pause(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), pauseTime)
	defer cancel()
	if err := n.process.pause(ctx); err != nil {
		t.Fatal(err)
	}
}

// Resume lets a paused node go on.
func (n *Node) Resume(t testing.TB) {
	t.Helper()
	if err := n.process.resume(); err != nil {
		t.Fatal(err)
	}
}

// Stop shuts the node down in order and waits for its end.
func (n *Node) Stop(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := n.process.terminate(ctx); err != nil {
		t.Fatalf("stop node %d: %v", n.id, err)
	}
}

// Kill ends the node with SIGKILL: no shutdown, nothing flushed.
func (n *Node) Kill(testing.TB) { n.process.kill() }

// Restart starts a stopped or killed node again, with its data and on its
// ports, and waits until the whole cluster is ready again.
func (n *Node) Restart(t testing.TB) {
	t.Helper()
	if !n.process.exited() {
		t.Fatalf("restart node %d: it is running", n.id)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	if z := n.cluster.zookeeper; z != nil {
		if err := z.awaitForgotten(ctx, n.id); err != nil {
			t.Fatalf("restart node %d: %v", n.id, err)
		}
	}
	if err := n.start(); err != nil {
		t.Fatal(err)
	}
	if err := n.cluster.awaitReady(ctx); err != nil {
		t.Fatalf("restart node %d: %v", n.id, err)
	}
}

// format writes the node's files and lets Kafka's own tool prepare its data
// folder, in releases that want that.
func (n *Node) format(ctx context.Context, props map[string]string) error {
	if err := os.MkdirAll(n.dir(), 0o755); err != nil {
		return fmt.Errorf("format node %d: %w", n.id, err)
	}
	if err := writeProperties(n.propertiesFile(), props); err != nil {
		return fmt.Errorf("format node %d: %w", n.id, err)
	}
	if n.cluster.zookeeper != nil {
		return nil
	}
	args := []string{"kafka.tools.StorageTool", "format", "-t", clusterID, "-c", n.propertiesFile()}
	for _, user := range n.cluster.options.SCRAM {
		args = append(args, "--add-scram", user)
	}
	ctx, cancel := context.WithTimeout(ctx, formatTime)
	defer cancel()
	if err := n.cluster.java.Run(ctx, nil, nil, args...); err != nil {
		return fmt.Errorf("format node %d: %w", n.id, err)
	}
	return nil
}

func (n *Node) propertiesFile() string { return filepath.Join(n.dir(), "server.properties") }

// start starts the process and does not wait for it to be ready.
func (n *Node) start() error {
	p, err := n.cluster.startServer(n.cluster.options.HeapMiB, n.LogFile(), "kafka.Kafka", n.propertiesFile())
	if err != nil {
		return fmt.Errorf("start node %d: %w", n.id, err)
	}
	n.process = p
	return nil
}
