// Command franz measures franz-go.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
)

// main.go owns how franz-go is used in a measurement.

const tunedRecords = 256 // made at once with -tuned

func main() { harness.Main("franz-go", open) }

type client struct {
	cfg  *harness.Config
	acks *harness.Acks
	k    *kgo.Client
}

func open(cfg *harness.Config, acks *harness.Acks) (harness.Client, error) {
	codec, ok := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}[cfg.Codec]
	if !ok {
		return nil, fmt.Errorf("there is no codec %q", cfg.Codec)
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(cfg.Brokers, ",")...), kgo.DefaultProduceTopic(cfg.Topic),
		kgo.ProducerLinger(cfg.Linger), kgo.ProducerBatchMaxBytes(int32(cfg.Batch)),
		kgo.ProducerBatchCompression(codec), kgo.RequiredAcks(kgo.AllISRAcks()),
	}
	if cfg.Tuned {
		opts = append(opts, kgo.MaxBufferedRecords(250_000), kgo.ProducerBatchMaxBytes(int32(cfg.MaxRequest)))
	}
	switch {
	case cfg.Part == harness.PartRR:
		opts = append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	case cfg.Tuned && cfg.KeySize == 0:
		opts = append(opts, kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	}
	k, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("new client: %w", err)
	}
	return &client{cfg, acks, k}, nil
}

func (c *client) Flush() error { return c.k.Flush(context.Background()) }

func (c *client) Close() error {
	c.k.Close()
	return nil
}

func (c *client) Worker(g int) harness.Worker {
	w := &worker{client: c, next: int32(g % c.cfg.Partitions)}
	w.promise = func(_ *kgo.Record, err error) { c.acks.Ack(1, err) }
	return w
}

type worker struct {
	*client
	next    int32 // partition
	promise func(*kgo.Record, error)
	slab    []kgo.Record
}

func (w *worker) record(key, value []byte) *kgo.Record {
	var r *kgo.Record
	if w.cfg.Tuned {
		if len(w.slab) == 0 {
			w.slab = make([]kgo.Record, tunedRecords)
		}
		r, w.slab = &w.slab[0], w.slab[1:]
		r.Key, r.Value = key, value
	} else {
		r = &kgo.Record{Key: key, Value: value}
	}
	if w.cfg.Part == harness.PartRR {
		r.Partition = w.next
		if w.next++; w.next == int32(w.cfg.Partitions) {
			w.next = 0
		}
	}
	return r
}

// Async implements harness.Worker.
func (w *worker) Async(ctx context.Context, key, value []byte) {
	w.k.Produce(ctx, w.record(key, value), w.promise)
}

// Sync implements harness.Worker.
func (w *worker) Sync(ctx context.Context, key, value []byte) error {
	return w.k.ProduceSync(ctx, w.record(key, value)).FirstErr()
}
