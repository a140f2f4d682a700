// Command realkafka starts real Kafka, runs a command against it, and stops it:
//
//	realkafka -topic quickstart:3 -- go run ./examples/quickstart --bootstrap-server '{bootstrap}'
//
// Every {bootstrap} in the command is replaced by the nodes' addresses, which
// are in the command's environment as KAFKA_BOOTSTRAP too. The exit code is the
// command's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kafka-go-producer/producer/integration/kafka"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("realkafka: ")
	options := kafka.Options{Topics: map[string]int{}}
	flag.StringVar(&options.Version, "version", kafka.DefaultVersion, "Kafka release")
	flag.IntVar(&options.Nodes, "nodes", 1, "number of combined broker and controller nodes")
	flag.Func("topic", "topic to create, as name or name:partitions; may be repeated", func(s string) error {
		return addTopic(options.Topics, s)
	})
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("no command given: realkafka [flags] -- command [arguments]")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, options, flag.Args())
	stop()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func addTopic(topics map[string]int, s string) error {
	name, count, counted := strings.Cut(s, ":")
	topics[name] = 1
	if !counted {
		return nil
	}
	partitions, err := strconv.Atoi(count)
	if err != nil || partitions < 1 {
		return fmt.Errorf("%q is no number of partitions", count)
	}
	topics[name] = partitions
	return nil
}

// run returns an *exec.ExitError when the command ran and failed.
func run(ctx context.Context, o kafka.Options, command []string) error {
	began := time.Now()
	c, err := kafka.Run(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	bootstrap := strings.Join(c.Bootstrap(), ",")
	log.Printf("Kafka %s is ready on %s after %v", c.Java().Version(), bootstrap, time.Since(began).Round(100*time.Millisecond))

	for i, arg := range command {
		command[i] = strings.ReplaceAll(arg, "{bootstrap}", bootstrap)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "KAFKA_BOOTSTRAP="+bootstrap)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
