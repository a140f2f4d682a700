// Command producer measures this repository's library.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/benchmarks/harness"
)

// main.go owns how the library is used in a measurement: as its documentation says, with callbacks if asynchronous and
// Future.Get if not. -tuned means nothing here.

func main() { harness.Main("producer", open) }

type client struct {
	cfg  *harness.Config
	acks *harness.Acks
	p    *producer.KafkaProducer[[]byte, []byte]
}

func open(cfg *harness.Config, acks *harness.Acks) (harness.Client, error) {
	c := producer.NewConfig(strings.Split(cfg.Brokers, ",")...)
	c.BatchSize, c.Linger, c.MaxRequestSize = cfg.Batch, cfg.Linger, cfg.MaxRequest
	c.Compression = producer.Compression(cfg.Codec)
	p, err := producer.New(c, producer.BytesSerializer, producer.BytesSerializer)
	if err != nil {
		return nil, fmt.Errorf("new producer: %w", err)
	}
	return &client{cfg, acks, p}, nil
}

func (c *client) Flush() error { return c.p.Flush(context.Background()) }
func (c *client) Close() error { return c.p.Close(context.Background()) }

func (c *client) Worker(g int) harness.Worker {
	w := &worker{client: c, next: int32(g % c.cfg.Partitions)}
	w.callback = func(_ producer.RecordMetadata, err error) { c.acks.Ack(1, err) }
	return w
}

type worker struct {
	*client
	next     int32 // partition
	callback producer.Callback
}

func (w *worker) record(key, value []byte) producer.Record[[]byte, []byte] {
	r := producer.Record[[]byte, []byte]{Topic: w.cfg.Topic, Key: key, Value: value}
	if w.cfg.Part == harness.PartRR {
		r.Partition = producer.ToPartition(w.next)
		if w.next++; w.next == int32(w.cfg.Partitions) {
			w.next = 0
		}
	}
	return r
}

// Async implements harness.Worker.
func (w *worker) Async(ctx context.Context, key, value []byte) {
	w.p.Send(ctx, w.record(key, value), w.callback)
}

// Sync implements harness.Worker.
func (w *worker) Sync(ctx context.Context, key, value []byte) error {
	_, err := w.p.Send(ctx, w.record(key, value), nil).Get(ctx)
	return err
}
