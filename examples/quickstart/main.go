// Command quickstart shows the producer at work, from first record to proof: it
// sends three records one by one, ten thousand at full speed, and reads them all
// back with a consumer that shares no code with the producer.
//
//	go run ./examples/quickstart                                       a fake cluster inside of this process
//	go run ./examples/quickstart --bootstrap-server localhost:9092     your own broker
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer"
)

const (
	syncRecords  = 3
	asyncRecords = 10_000
)

func main() {
	bootstrap := flag.String("bootstrap-server", "", "HOST:PORT of a broker, or several with commas between; empty: an embedded fake cluster")
	topic := flag.String("topic", "quickstart", "topic to write to; created if it is missing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *bootstrap, *topic)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, bootstrap, topic string) error {
	servers := strings.Split(bootstrap, ",")
	if bootstrap == "" {
		fake, err := startFake()
		if err != nil {
			return err
		}
		defer fake.Close()
		servers = fake.ListenAddrs()
		fmt.Fprintln(out, "started a fake cluster on", strings.Join(servers, ","))
	}
	reader, err := openReader(ctx, servers, topic)
	if err != nil {
		return err
	}
	defer reader.close()

	if err := produce(ctx, out, servers, topic); err != nil {
		return err
	}

	read, err := reader.readAll(ctx, syncRecords+asyncRecords)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "read %d records back with an independent consumer: none missing, none twice\n", read)
	return nil
}

// produce is the part to copy.
func produce(ctx context.Context, out io.Writer, servers []string, topic string) (err error) {
	p, err := producer.New(producer.NewConfig(servers...), producer.StringSerializer, producer.StringSerializer)
	if err != nil {
		return err
	}
	// Close sends what is still waiting; it gets time for that even when ctx has ended.
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, p.Close(closing))
	}()

	// One by one: Send queues the record, Get waits for the broker's answer.
	for i := range syncRecords {
		md, err := p.Send(ctx, record(topic, i), nil).Get(ctx)
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		fmt.Fprintln(out, "sent and acknowledged:", md)
	}

	// At full speed: the callback hears of each outcome, and Flush waits for all.
	var acknowledged, failed atomic.Int64
	begun := time.Now()
	for i := range asyncRecords {
		p.Send(ctx, record(topic, syncRecords+i), func(md producer.RecordMetadata, err error) {
			if err != nil {
				failed.Add(1)
				return
			}
			acknowledged.Add(1)
		})
	}
	if err := p.Flush(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "sent %d more asynchronously in %v: %d acknowledged, %d failed\n",
		asyncRecords, time.Since(begun).Round(time.Millisecond), acknowledged.Load(), failed.Load())
	if failed.Load() > 0 {
		return errors.New("some records failed")
	}
	return nil
}

// record is record i of this run. Records with the same key keep their order.
func record(topic string, i int) producer.Record[string, string] {
	return producer.Record[string, string]{
		Topic: topic,
		Key:   fmt.Sprint("customer-", i%100),
		Value: fmt.Sprint("order ", i),
	}
}
