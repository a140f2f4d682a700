//go:build linux || darwin

// Command floor is the lower bound of what a producer can cost: one thread encodes record batches into one buffer and
// writes them to a blocking socket, with up to five requests in flight. There is no concurrency, partitioner, callback,
// memory limit or retry. It takes the flags of the other clients; -goroutines, -mode, -part, -linger and -tuned mean
// nothing to it, and -brokers must be the leader of every partition.
package main

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

// main.go owns the floor. One goroutine runs all of it.

const (
	name       = "floor"
	inFlight   = 5  // requests
	perRequest = 12 // batches of different partitions
	prefix     = 8  // partition and length, before a batch
)

func main() {
	cfg := harness.ParseFlags()
	r, err := run(cfg)
	harness.Exit(name, r, err)
}

func run(cfg *harness.Config) (harness.Result, error) {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	f, err := open(cfg)
	if err != nil {
		return harness.Result{}, err
	}
	if err := f.send(cfg.WarmupRecords()); err != nil {
		return harness.Result{}, fmt.Errorf("warming up: %w", err)
	}
	m := harness.StartMeter()
	if err := f.send(cfg.Records); err != nil {
		return harness.Result{}, fmt.Errorf("measuring: %w", err)
	}
	return m.Result(name, cfg), nil
}

type floor struct {
	cfg         *harness.Config
	socket      socket
	id          wire.Producer
	keys        [][]byte
	values      [][]byte
	next        int     // of the pool
	partition   int     // of the next batch
	sequences   []int32 // by partition
	correlation int32
	unanswered  int
	head        int // bytes of a request before its first batch
	full        int // bytes at which a batch takes no more
	request     []byte
	response    []byte
}

func open(cfg *harness.Config) (*floor, error) {
	s, err := dial(cfg.Brokers)
	if err != nil {
		return nil, err
	}
	id, err := wire.Join(s, name, cfg.Topic)
	if err != nil {
		return nil, err
	}
	head, largest := len(wire.ProduceHead(nil, 0, name, cfg.Topic, perRequest, 0)), wire.MaxRecord(cfg.KeySize, cfg.Size)
	return &floor{
		cfg: cfg, socket: s, id: id,
		keys: harness.Keys(cfg.KeySize), values: harness.Values(cfg.Size),
		sequences: make([]int32, cfg.Partitions), correlation: 10,
		head: head, full: cfg.Batch - largest,
		request:  make([]byte, head+perRequest*(prefix+wire.HeaderLen+max(cfg.Batch, largest)+largest)),
		response: make([]byte, 64<<10),
	}, nil
}

// send sends n records and returns when all are acknowledged.
func (f *floor) send(n int) error {
	for n > 0 {
		end, records := f.build(n)
		n -= records
		if err := f.await(inFlight - 1); err != nil {
			return err
		}
		if _, err := f.socket.Write(f.request[:end]); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		f.unanswered++
	}
	return f.await(0)
}

// build makes a request of at most n records, and returns its end and its records.
func (f *floor) build(n int) (end, records int) {
	end = f.head
	now := time.Now().UnixMilli()
	batches := 0
	for ; batches < perRequest && records < n; batches++ {
		start := end + prefix
		end = start + wire.HeaderLen
		var k int32
		for (k == 0 || end-start < f.full) && records+int(k) < n {
			end = wire.PutRecord(f.request, end, 0, k, f.keys[f.next], f.values[f.next])
			f.next = (f.next + 1) & (len(f.values) - 1)
			k++
		}
		binary.BigEndian.PutUint32(f.request[start-8:], uint32(f.partition))
		binary.BigEndian.PutUint32(f.request[start-4:], uint32(end-start))
		wire.PutHeader(f.request[start:end], wire.Batch{
			Size: end - start, Records: k, First: now, Last: now,
			ProducerID: f.id.ID, Epoch: f.id.Epoch, Sequence: f.sequences[f.partition],
		})
		wire.PutCRC(f.request[start:end], nil)
		f.sequences[f.partition] += k
		f.partition = (f.partition + 1) % len(f.sequences)
		records += int(k)
	}
	f.correlation++
	wire.ProduceHead(f.request[:0], f.correlation, name, f.cfg.Topic, batches, end-f.head)
	return end, records
}

// await reads responses until at most n are missing. Of each only the first partition's error is looked at.
func (f *floor) await(n int) error {
	for ; f.unanswered > n; f.unanswered-- {
		r, err := wire.ReadFrame(f.socket, f.response)
		if err != nil {
			return err
		}
		at := wire.ProducePartitions(r)
		if at < 0 || len(r) < at+10 {
			return fmt.Errorf("a response of %d bytes", len(r))
		}
		if code := int16(binary.BigEndian.Uint16(r[at+8:])); code != 0 {
			return fmt.Errorf("the broker answers with error %d", code)
		}
	}
	return nil
}
