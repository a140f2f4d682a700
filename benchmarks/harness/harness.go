// Package harness owns what every client's command has in common, so that clients differ in nothing but their producer:
// flags, payloads, warm-up, the measured load, and the one JSON line that reports it. A new client is one file that
// implements Client and Worker and calls Main.
package harness

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// harness.go owns what a client must be, and the order of a run.

// Client is one connected producer.
type Client interface {
	// Worker is what goroutine g of Config.Goroutines sends with.
	Worker(g int) Worker
	// Flush sends what lingers. It need not wait: the harness waits for the acknowledgements.
	Flush() error
	Close() error
}

// Worker belongs to one goroutine. ctx can be cancelled, and never is: what an application would pass.
type Worker interface {
	// Async sends a record; its outcome goes to Acks.
	Async(ctx context.Context, key, value []byte)
	// Sync sends a record and waits for its outcome.
	Sync(ctx context.Context, key, value []byte) error
}

// Open connects a producer. The outcome of each record given to Async goes to acks, once.
type Open func(cfg *Config, acks *Acks) (Client, error)

// Acks counts outcomes. Any goroutine may call it.
type Acks struct {
	all    atomic.Int64
	failed atomic.Int64
	once   sync.Once // guards first
	first  error
}

// Ack says that n records ended with err.
func (a *Acks) Ack(n int, err error) {
	if err != nil {
		a.once.Do(func() { a.first = err })
		a.failed.Add(int64(n))
	}
	a.all.Add(int64(n))
}

// wait blocks until n outcomes are known. It polls: a wake-up a record would be charged to the client.
func (a *Acks) wait(n int64) {
	for a.all.Load() < n {
		time.Sleep(200 * time.Microsecond)
	}
}

// err is the first error and how many there were. All outcomes must be known.
func (a *Acks) err() error {
	if n := a.failed.Load(); n > 0 {
		return fmt.Errorf("%d records failed, one with: %w", n, a.first)
	}
	return nil
}

// closeLimit is how long a producer that has nothing to do may take to close.
const closeLimit = 5 * time.Second

// Run opens a client, warms it up and measures it.
func Run(name string, cfg *Config, open Open) (Result, error) {
	if err := cfg.check(); err != nil {
		return Result{}, err
	}
	acks, profiles := &Acks{}, newProfiles(cfg)
	cl, err := open(cfg, acks)
	if err != nil {
		return Result{}, fmt.Errorf("opening: %w", err)
	}
	l := newLoad(cfg, cl, acks)
	if err := l.run(cfg.WarmupRecords()); err != nil {
		return Result{}, fmt.Errorf("warming up: %w", err)
	}
	l.reserve(cfg.Records)
	if err := profiles.start(cfg.CPUProfile); err != nil {
		return Result{}, err
	}
	time.Sleep(50 * time.Millisecond) // until the client's goroutines sleep
	runtime.GC()
	m := StartMeter()
	err = l.run(cfg.Records)
	result := m.Result(name, cfg)
	if err != nil {
		return Result{}, fmt.Errorf("measuring: %w", err)
	}
	if err := profiles.stop(); err != nil {
		return Result{}, err
	}
	result.P50, result.P99, result.P999 = l.quantiles()
	if err := closeClient(cl); err != nil {
		return Result{}, fmt.Errorf("closing: %w", err)
	}
	return result, nil
}

func closeClient(cl Client) error {
	closed := make(chan error, 1)
	go func() { closed <- cl.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeLimit):
		return fmt.Errorf("still not done after %v", closeLimit)
	}
}

// Main is the whole command of a client.
func Main(name string, open Open) {
	cfg := ParseFlags()
	r, err := Run(name, cfg, open)
	Exit(name, r, err)
}

// ParseFlags reads a Config from the command line.
func ParseFlags() *Config {
	cfg := &Config{}
	cfg.AddFlags(flag.CommandLine)
	flag.Parse()
	return cfg
}

// Exit prints the result as one line of JSON and ends the process; 1 tells of an error.
func Exit(name string, r Result, err error) {
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}
