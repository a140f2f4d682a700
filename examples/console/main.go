// Command console sends the lines of its standard input to a topic. It takes the flags of Kafka's own
// kafka-console-producer:
//
//	echo hello | go run ./examples/console --bootstrap-server localhost:9092 --topic greetings
//
// and one more, --print-metadata, which prints a line of JSON for each record: where it went, or why it did
// not.
package main

import (
	"context"
	"fmt"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// main.go owns the order of things.

func main() { cli.Main("console", run) }

func run(ctx context.Context, s cli.Std, args []string) error {
	o, err := parse(s, args)
	if err != nil {
		return err
	}
	if o.version {
		fmt.Fprintln(s.Out, cli.Version())
		return nil
	}
	lines, err := newLineReader(s, o)
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
	return newSender(o, s, p).run(ctx, lines)
}
