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
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"strings"

	"github.com/kafka-go-producer/producer"
)

const usage = "usage: checkconfig FILE... | key=value..."

func main() { os.Exit(run(os.Stdout, os.Stderr, os.Args[1:])) }

// run is the command; it returns its exit status.
func run(out, errs io.Writer, args []string) int {
	if len(args) == 0 || strings.TrimLeft(args[0], "-") == "help" || args[0] == "-h" {
		fmt.Fprintln(errs, usage)
		return 2
	}
	props, err := properties(args)
	if err != nil {
		fmt.Fprintln(errs, "checkconfig:", err)
		return 1
	}
	cfg, unused, err := producer.ParseConfig(props)
	if err == nil {
		err = try(cfg, errs)
	}
	if err != nil {
		for _, mistake := range mistakes(err) {
			fmt.Fprintln(errs, mistake)
		}
		return 1
	}
	fmt.Fprint(out, cfg)
	for _, key := range unused {
		fmt.Fprintln(out, "unused:", key)
	}
	return 0
}

// properties are those of files and arguments.
func properties(args []string) (map[string]string, error) {
	props := make(map[string]string)
	for _, arg := range args {
		if key, value, ok := strings.Cut(arg, "="); ok {
			props[key] = value
			continue
		}
		f, err := os.Open(arg) //nolint:gosec // a file the user names
		if err != nil {
			return nil, err
		}
		read, err := producer.ReadProperties(f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		maps.Copy(props, read)
	}
	return props, nil
}

// try makes a producer, for New refuses what this version of the library cannot
// do, and logs doubts.
func try(cfg producer.Config, errs io.Writer) error {
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("checkconfig connects to nothing")
	}
	cfg.Logger = slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	if err != nil {
		return err
	}
	return p.Close(context.Background())
}

// mistakes are those of an error, one by one.
func mistakes(err error) []error {
	var all interface{ Unwrap() []error }
	if errors.As(err, &all) {
		return all.Unwrap()
	}
	return []error{err}
}
