// server.go owns what brokers and ZooKeeper have in common as processes: a log file
// that they write, and what it says of their end.

package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

var errPortTaken = errors.New("the port is taken")

// startServer starts the process of a main class, and does not wait for it to be
// ready. Its log is appended to a file.
func (c *Cluster) startServer(heapMiB int, logFile, mainClass, props string) (*process, error) {
	out, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // the child has its own copy
	return startProcess(c.java.server(heapMiB, c.loggingFile(), out, mainClass, props))
}

// exitError is why a server's process ended, as far as its log tells.
func exitError(p *process, logFile string) error {
	log, err := os.ReadFile(logFile)
	if err == nil && bytes.Contains(log, []byte("Address already in use")) {
		return errPortTaken
	}
	return errors.Join(fmt.Errorf("its process ended: %w", p.err), err)
}

// lastLog returns the end of a server's log, for messages about failures.
func lastLog(logFile string, lines int) string {
	b, err := os.ReadFile(logFile)
	if err != nil {
		return err.Error()
	}
	return string(tail(b, lines))
}
