package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

// broker.go owns the sink's process, and what a broker is to a measurement.

// broker is where the records of a scenario go.
type broker interface {
	address() string
	// prepare makes the topic ready that all runs use.
	prepare(ctx context.Context, topic string) error
	// received is what has come so far. Only a sink knows more than the number of records.
	received(ctx context.Context) (sink.Stats, error)
	close() error
}

type sinkBroker struct {
	cmd    *exec.Cmd
	stdin  io.Closer // the process ends with it
	listen struct{ Addr, Admin string }
}

// startSink starts a sink on free ports.
func startSink(ctx context.Context, w *workshop, verify bool) (*sinkBroker, error) {
	b := &sinkBroker{cmd: exec.CommandContext(ctx, w.path("sink"), "-addr", "127.0.0.1:0", "-admin", "127.0.0.1:0",
		"-partitions", strconv.Itoa(topicPartitions), "-until-eof", "-verify="+strconv.FormatBool(verify))}
	b.cmd.Stderr = os.Stderr
	stdin, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	b.stdin = stdin
	stdout, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &b.listen)
	}
	if err != nil {
		_ = b.close()
		return nil, fmt.Errorf("sink did not start: %w", err)
	}
	return b, nil
}

func (b *sinkBroker) address() string { return b.listen.Addr }

func (b *sinkBroker) prepare(context.Context, string) error { return nil }

func (b *sinkBroker) close() error {
	_ = b.stdin.Close()
	if err := b.cmd.Wait(); err != nil {
		return fmt.Errorf("sink: %w", err)
	}
	return nil
}

func (b *sinkBroker) received(ctx context.Context) (st sink.Stats, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.listen.Admin+"/stats", nil)
	if err != nil {
		return st, fmt.Errorf("sink: %w", err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return st, fmt.Errorf("sink: %w", err)
	}
	err = json.NewDecoder(r.Body).Decode(&st)
	if err != nil {
		err = fmt.Errorf("sink: %w", err)
	}
	_ = r.Body.Close()
	return st, err
}
