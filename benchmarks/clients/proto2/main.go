// Command proto2 measures a prototype of the producer's design: what a record costs if only the hot path exists. Batches
// grow by chunks from a pool with a memory limit, appenders push partitions onto one ready list, one Sender goroutine
// files them by a wheel and drains them into requests, a writer and a reader own the connection, callbacks run on a
// completion goroutine. It has no retries, metadata, codecs or error handling to speak of: a measuring instrument, to be
// read for what is possible and not to be grown into anything. -brokers must be the leader of every partition; -tuned
// means nothing here.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// main.go owns the prototype's way in, and how its rooms are wired.

const (
	name            = "proto2"
	memory          = 32 << 20 // bytes of chunks and callbacks
	maxBlock        = time.Minute
	deliveryTimeout = 2 * time.Minute
	maxInFlight     = 5 // requests
)

var (
	errClosed = errors.New("closed")
	errTopic  = errors.New("no such topic or partition")
)

func main() { harness.Main(name, open) }

// record is what a user passes, by value.
type record struct {
	topic     string
	partition int32 // plus one; zero: choose
	key       []byte
	value     []byte
	_         struct { // not looked at, but part of what is passed
		tombstone bool
		timestamp time.Time
		headers   []struct{ key, value []byte }
	}
}

type snapshot struct{ topics map[string]*topic }

// client is padded where callers and the Sender write side by side.
type client struct {
	cfg      *harness.Config
	acks     *harness.Acks
	conn     net.Conn
	start    time.Time
	limit    int   // bytes of a batch, prefix included
	linger   int64 // ns
	snapshot atomic.Pointer[snapshot]
	topic    *topic
	id       wire.Producer
	_        [64]byte
	pool     pool
	_        [64]byte
	now      atomic.Int64 // ms, as of the Sender's last turn
	_        [64]byte
	closed   atomic.Bool
	_        [64]byte
	ready    readyList
	sleep    atomic.Int32
	flushing atomic.Bool
	_        [64]byte
	sender   sender
	comp     completions
	wake     chan struct{}
	events   chan event
	toWrite  chan *request
	written  chan *request
	bodies   chan []byte
	quit     chan struct{}
}

func open(cfg *harness.Config, acks *harness.Acks) (harness.Client, error) {
	conn, err := net.Dial("tcp", cfg.Brokers)
	if err != nil {
		return nil, err
	}
	id, err := wire.Join(conn, name, cfg.Topic)
	if err != nil {
		return nil, err
	}
	c := &client{
		cfg: cfg, acks: acks, conn: conn, id: id, start: time.Now(), limit: prefix + cfg.Batch, linger: int64(cfg.Linger),
		topic: newTopic(cfg.Topic, cfg.Partitions), wake: make(chan struct{}, 1), events: make(chan event, 16),
		toWrite: make(chan *request, maxInFlight), written: make(chan *request, 8), bodies: make(chan []byte, 8),
		quit: make(chan struct{}),
	}
	c.pool.limit = memory
	c.pool.pressure = func() { c.kick(batchFull) }
	c.comp.wake = make(chan struct{}, 1)
	c.sender.linger = newWheel(512, time.Millisecond)
	c.sender.delivery = newWheel(4096, 50*time.Millisecond)
	c.snapshot.Store(&snapshot{map[string]*topic{cfg.Topic: c.topic, "other": {}, "another": {}}})
	go c.send()
	go c.write()
	go c.read()
	go c.complete()
	return c, nil
}

// enqueue is the whole way in.
func (c *client) enqueue(ctx context.Context, r record, cb callback) future {
	if err := ctx.Err(); err != nil {
		return refused(err, cb)
	}
	if c.closed.Load() {
		return refused(errClosed, cb)
	}
	t := c.snapshot.Load().topics[r.topic]
	if t == nil {
		return refused(errTopic, cb)
	}
	index, sticky := r.partition-1, false
	switch {
	case index >= int32(len(t.partitions)):
		return refused(errTopic, cb)
	case index >= 0:
	case r.key != nil:
		index = int32((murmur2(r.key) & 0x7fffffff) % uint32(len(t.partitions)))
	default:
		index, sticky = t.sticky.Load(), true
	}
	f, err := c.append(ctx, t, &t.partitions[index], sticky, r.key, r.value, cb)
	if err != nil {
		return refused(err, cb)
	}
	return f
}

// Flush implements harness.Client; it does not wait.
func (c *client) Flush() error {
	c.flushing.Store(true)
	c.kick(batchFull)
	return nil
}

// Close implements harness.Client; it abandons what is queued.
func (c *client) Close() error {
	c.closed.Store(true)
	close(c.quit)
	return c.conn.Close()
}

// broken ends the process: there are no retries.
func (c *client) broken(what string, err error) {
	if !c.closed.Load() {
		fmt.Fprintf(os.Stderr, "%s: %s: %v\n", name, what, err)
		os.Exit(1)
	}
}

// Worker implements harness.Client.
func (c *client) Worker(g int) harness.Worker {
	w := &worker{client: c, next: int32(g % c.cfg.Partitions)}
	w.callback = func(_ metadata, err error) { c.acks.Ack(1, err) }
	return w
}

type worker struct {
	*client
	next     int32 // partition
	callback callback
}

func (w *worker) record(key, value []byte) record {
	r := record{topic: w.cfg.Topic, key: key, value: value}
	if w.cfg.Part == harness.PartRR {
		r.partition = w.next + 1
		if w.next++; w.next == int32(w.cfg.Partitions) {
			w.next = 0
		}
	}
	return r
}

// Async implements harness.Worker.
func (w *worker) Async(ctx context.Context, key, value []byte) {
	w.enqueue(ctx, w.record(key, value), w.callback)
}

// Sync implements harness.Worker.
func (w *worker) Sync(ctx context.Context, key, value []byte) error {
	_, err := w.enqueue(ctx, w.record(key, value), nil).get(ctx)
	return err
}
