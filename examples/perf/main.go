// Command perf measures how fast records get into a topic. It takes the flags of Kafka's own
// kafka-producer-perf-test and prints the same lines:
//
//	go run ./examples/perf --bootstrap-server localhost:9092 --topic perf --num-records 1000000 --record-size 100 --throughput -1
//
// On a terminal it also shows how far it is.
package main

import (
	"context"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// main.go owns the order of things.

func main() { cli.Main("perf", run) }

func run(ctx context.Context, s cli.Std, args []string) error {
	o, err := parse(s, args)
	if err != nil {
		return err
	}
	view := newScreen(s)
	defer view.close()
	s.Out, s.Err = view.out(), view.err()
	l, err := newLoad(o, s.Out)
	if err != nil {
		return err
	}
	cfg, err := o.props.Config(s)
	if err != nil {
		return err
	}
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	if err != nil {
		return err
	}
	r := newRun(o, s, p, l)
	view.show(r.progress)
	return r.run(ctx)
}
