// Command checkconfig tells what the producer makes of Java's properties. It
// connects to nothing.
//
//	go run ./examples/checkconfig producer.properties
//	go run ./examples/checkconfig bootstrap.servers=localhost:9092 acks=1
//
// Files and properties can be mixed: of a key that is there twice the last value
// counts. It prints the effective configuration and the keys that changed
// nothing; or every mistake on standard error, with exit status 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

const usage = "usage: checkconfig FILE... | key=value..."

func main() { cli.Main("checkconfig", run) }

func run(ctx context.Context, s cli.Std, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("nothing to check; %s", usage)
	}
	switch args[0] {
	case "-h", "-help", "--help":
		fmt.Fprintln(s.Out, usage)
		return flag.ErrHelp
	}
	props, err := properties(args)
	if err != nil {
		return err
	}
	cfg, unused, err := props.Parse(s)
	if err != nil {
		return err
	}
	if err := try(ctx, cfg); err != nil {
		return err
	}
	fmt.Fprint(s.Out, cfg)
	for _, key := range unused {
		fmt.Fprintln(s.Out, "unused:", key)
	}
	return nil
}

// properties are those of files and arguments.
func properties(args []string) (cli.Properties, error) {
	p := make(cli.Properties)
	var bad []error
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			bad = append(bad, p.Add([]string{arg}))
		} else {
			bad = append(bad, p.Load(arg))
		}
	}
	return p, errors.Join(bad...)
}

// try makes a producer, for New has the last word on a configuration, and logs doubts.
func try(ctx context.Context, cfg producer.Config) error {
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("checkconfig connects to nothing")
	}
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	if err != nil {
		return err
	}
	return p.Close(ctx)
}
