// cluster.go owns a cluster's life: folder, ports, start, readiness, end. A test
// drives a cluster from one goroutine at a time.

package kafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Options says what to start. Its zero value is one node of DefaultVersion.
type Options struct {
	Version string            // Kafka release; "" is DefaultVersion
	Nodes   int               // zero is one
	Topics  map[string]int    // topics to create, with their number of partitions
	Config  map[string]string // broker settings beside, or instead of, the usual ones
	SCRAM   []string          // users to seed: "SCRAM-SHA-256=[name=alice,password=secret]"
	HeapMiB int               // each node's heap; zero is 256
}

// Cluster is a set of running nodes.
type Cluster struct {
	options Options
	java    Java
	dir     string
	nodes   []*Node

	zookeeper *zookeeper // nil in releases that need none
}

// Start runs a cluster for one test and ends it with the test. It skips the test
// like Require. When the test fails, the nodes' logs are kept and their last
// lines shown.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	Require(t)
	c, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.report(t)
		}
		c.close(t.Failed())
	})
	return c
}

// Run starts a cluster outside of a test; the caller must Close it. It returns
// when every node answers requests and every topic has leaders. ctx bounds the
// start only.
func Run(ctx context.Context, o Options) (*Cluster, error) {
	if err := machineFits(); err != nil {
		return nil, err
	}
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	if o.HeapMiB == 0 {
		o.HeapMiB = 256
	}
	sweep()
	// Between probing a port and the node's listening on it somebody else may take
	// it; that shows in the log, and other ports are tried.
	for attempt := 1; ; attempt++ {
		c, err := run(ctx, o)
		if !errors.Is(err, errPortTaken) || attempt == 3 {
			return c, err
		}
	}
}

func run(ctx context.Context, o Options) (*Cluster, error) {
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	c := &Cluster{options: o, dir: dir}
	if err := c.start(ctx); err != nil {
		err = fmt.Errorf("start Kafka: %w\n%s", err, c.lastLogs(20))
		c.close(false)
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	resolve, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	var err error
	if c.java, err = newJava(resolve, c.options.Version, c.dir); err != nil {
		return err
	}
	ports, err := freePorts(2*c.options.Nodes + 1)
	if err != nil {
		return err
	}
	if c.java.release.zookeeper {
		if len(c.options.SCRAM) > 0 {
			return fmt.Errorf("kafka %s: users can be seeded only since ZooKeeper is gone", c.java.version)
		}
		c.zookeeper = &zookeeper{dir: filepath.Join(c.dir, "zookeeper"), port: ports[2*c.options.Nodes]}
	}
	for i := range c.options.Nodes {
		c.nodes = append(c.nodes, &Node{cluster: c, id: i + 1, port: ports[2*i], controllerPort: ports[2*i+1]})
	}
	if err := c.formatAll(ctx); err != nil {
		return err
	}
	ready, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if c.zookeeper != nil {
		if err := c.zookeeper.start(ready, c); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.start(); err != nil {
			return err
		}
	}
	if err := c.awaitReady(ready); err != nil {
		return err
	}
	for topic, partitions := range c.options.Topics {
		if err := c.createTopic(ready, topic, partitions); err != nil {
			return err
		}
	}
	return nil
}

// formatAll formats the nodes side by side: each is a JVM of its own.
func (c *Cluster) formatAll(ctx context.Context) error {
	results := make(chan error, len(c.nodes))
	for i, n := range c.nodes {
		props := properties(c.options, c.nodes, i)
		go func() { results <- n.format(ctx, props) }()
	}
	var err error
	for range c.nodes {
		err = errors.Join(err, <-results)
	}
	return err
}

// Bootstrap returns the addresses of all nodes.
func (c *Cluster) Bootstrap() []string {
	addresses := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		addresses[i] = n.Address()
	}
	return addresses
}

// Node returns the node with that id; the first is 1.
func (c *Cluster) Node(id int) *Node { return c.nodes[id-1] }

// Nodes returns all nodes in the order of their ids.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Java runs programs against the jars of this cluster's release.
func (c *Cluster) Java() Java { return c.java }

// Close kills every node and removes all files.
func (c *Cluster) Close() { c.close(false) }

func (c *Cluster) close(keepLogs bool) {
	for _, n := range c.nodes {
		if n.process != nil {
			n.process.kill()
		}
	}
	if c.zookeeper != nil && c.zookeeper.process != nil {
		c.zookeeper.process.kill()
	}
	if !keepLogs {
		_ = os.RemoveAll(c.dir) // at worst swept by a later run
		return
	}
	for _, n := range c.nodes {
		_ = os.RemoveAll(n.dataDir())
	}
	if c.zookeeper != nil {
		_ = os.RemoveAll(c.zookeeper.dataDir())
	}
	_ = os.Rename(c.dir, c.keptDir()) // at worst swept by a later run, too
}

// keptDir is where the folder goes when logs are kept: a name that sweep leaves
// alone.
func (c *Cluster) keptDir() string {
	return filepath.Join(filepath.Dir(c.dir), dirPrefix+"kept-"+strings.TrimPrefix(filepath.Base(c.dir), dirPrefix))
}

// report shows where the logs are and how they end.
func (c *Cluster) report(t testing.TB) {
	t.Helper()
	t.Logf("Kafka's logs will be kept in %s\n%s", c.keptDir(), c.lastLogs(15))
}

func (c *Cluster) lastLogs(lines int) string {
	var b strings.Builder
	if z := c.zookeeper; z != nil && z.process != nil {
		fmt.Fprintf(&b, "--- ZooKeeper: end of %s\n%s\n", z.logFile(), lastLog(z.logFile(), lines))
	}
	for _, n := range c.nodes {
		if n.process != nil {
			fmt.Fprintf(&b, "--- node %d: end of %s\n%s\n", n.id, n.LogFile(), lastLog(n.LogFile(), lines))
		}
	}
	return b.String()
}

func (c *Cluster) loggingFile() string { return filepath.Join(c.dir, "logging.properties") }

// awaitReady returns when every node that was started answers a metadata request
// with all of them in it.
func (c *Cluster) awaitReady(ctx context.Context) error {
	for _, n := range c.nodes {
		if n.process.exited() {
			continue // stopped by the test
		}
		if err := c.awaitNode(ctx, n); err != nil {
			return fmt.Errorf("node %d is not ready: %w", n.id, err)
		}
	}
	return nil
}

func (c *Cluster) awaitNode(ctx context.Context, n *Node) error {
	seed, closeSeed, err := n.connect()
	if err != nil {
		return err
	}
	defer closeSeed()
	for {
		if n.process.exited() {
			return exitError(n.process, n.LogFile())
		}
		reason := c.askNode(ctx, seed)
		if reason == nil {
			return nil
		}
		if err := pollPause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%w; last answer: %w", err, reason)
		}
	}
}

// askNode sends one metadata request; nil means that the node sees the whole
// cluster.
func (c *Cluster) askNode(ctx context.Context, seed *kgo.Broker) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	md, err := metadataOf(ctx, seed)
	if err != nil {
		return err
	}
	if running := c.running(); len(md.Brokers) < running {
		return fmt.Errorf("it knows %d of %d nodes", len(md.Brokers), running)
	}
	if md.ControllerID < 0 {
		return errors.New("it knows no controller")
	}
	return nil
}

func (c *Cluster) running() int {
	running := 0
	for _, n := range c.nodes {
		if n.process != nil && !n.process.exited() {
			running++
		}
	}
	return running
}

// pollPause waits a moment between two looks at something, or until ctx ends.
func pollPause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

const dirPrefix = "kafka-it-"

// sweep removes what test processes left behind that were killed before they
// could: the process id is part of a folder's name.
func sweep() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), dirPrefix), "-")
		if id, err := strconv.Atoi(pid); err == nil && !processAlive(id) {
			_ = os.RemoveAll(dir)
		}
	}
}
