// Command verifiable sends the numbers from 0 and prints a line of JSON for each record, so that a test can
// tell which ones must be in the topic and which must not. It takes the flags of Kafka's own
// kafka-verifiable-producer and prints the same lines:
//
//	go run ./examples/verifiable --bootstrap-server localhost:9092 --topic numbers --max-messages 1000
//
// An interrupt or SIGTERM ends it in order: what was accepted is delivered, and the last lines tell the sum.
package main

import (
	"context"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// main.go owns the order of things.

func main() { cli.Main("verifiable", run) }

func run(ctx context.Context, s cli.Std, args []string) error {
	o, err := parse(s, args)
	if err != nil {
		return err
	}
	cfg, err := o.props.Config(s)
	if err != nil {
		return err
	}
	p, err := producer.New(cfg, producer.StringSerializer, producer.StringSerializer)
	if err != nil {
		return err
	}
	return newSender(o, s, p).run(ctx)
}
