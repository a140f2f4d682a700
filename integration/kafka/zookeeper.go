// zookeeper.go owns the ZooKeeper that the nodes of old releases need: one process
// beside them, with the same life. It is driven by its cluster's goroutine.

package kafka

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const zookeeperHeapMiB = 128

// zookeeper is one ZooKeeper process.
type zookeeper struct {
	dir     string
	port    int
	process *process // nil before the start
}

func (z *zookeeper) address() string { return loopback(z.port) }
func (z *zookeeper) logFile() string { return filepath.Join(z.dir, "zookeeper.log") }
func (z *zookeeper) dataDir() string { return filepath.Join(z.dir, "data") }

// start returns when ZooKeeper answers.
func (z *zookeeper) start(ctx context.Context, c *Cluster) error {
	if err := os.MkdirAll(z.dir, 0o755); err != nil {
		return fmt.Errorf("start ZooKeeper: %w", err)
	}
	props := filepath.Join(z.dir, "zookeeper.properties")
	if err := writeProperties(props, map[string]string{
		"dataDir":                z.dataDir(),
		"clientPort":             strconv.Itoa(z.port),
		"clientPortAddress":      "127.0.0.1",
		"admin.enableServer":     "false",
		"tickTime":               "500", // sessions may be as short as two of them
		"maxSessionTimeout":      "60000",
		"4lw.commands.whitelist": "ruok,dump",
	}); err != nil {
		return fmt.Errorf("start ZooKeeper: %w", err)
	}
	p, err := c.startServer(zookeeperHeapMiB, z.logFile(), "org.apache.zookeeper.server.quorum.QuorumPeerMain", props)
	if err != nil {
		return fmt.Errorf("start ZooKeeper: %w", err)
	}
	z.process = p
	if err := z.await(ctx, "ruok", func(answer string) bool { return answer == "imok" }); err != nil {
		return fmt.Errorf("start ZooKeeper: %w", err)
	}
	return nil
}

// awaitForgotten returns when no session of the node is left: before that, the
// node cannot come back. It takes as long as a session's timeout after a kill.
func (z *zookeeper) awaitForgotten(ctx context.Context, id int) error {
	registration := fmt.Sprintf("/brokers/ids/%d\n", id)
	return z.await(ctx, "dump", func(answer string) bool {
		return strings.Contains(answer, "SessionTracker") && !strings.Contains(answer, registration)
	})
}

// await sends one of ZooKeeper's four-letter commands until the answer is enough.
func (z *zookeeper) await(ctx context.Context, command string, enough func(string) bool) error {
	for {
		if z.process.exited() {
			return exitError(z.process, z.logFile())
		}
		answer, err := z.ask(ctx, command)
		if err == nil && enough(answer) {
			return nil
		}
		if pollErr := pollPause(ctx, 20*time.Millisecond); pollErr != nil {
			return fmt.Errorf("%w; last answer to %s: %q (%w)", pollErr, command, answer, err)
		}
	}
}

func (z *zookeeper) ask(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", z.address())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }() // only read from
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, command); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}
