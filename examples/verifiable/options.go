package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// options.go owns the command line: what may be given, and what does not go together.

// options are what the flags say, checked.
type options struct {
	topic    string
	messages int64 // math.MaxInt64: until somebody ends it
	rate     int64 // messages per second; negative: no limit
	prefix   string
	keys     int64     // how many keys take turns; 0: there are no keys
	created  time.Time // of the first record; zero: now
	props    cli.Properties
}

// newFlags adds the flags of kafka-verifiable-producer. The function it returns tells what they say.
func newFlags() (f *cli.Flags, read func() (options, error)) {
	f = cli.NewFlags("verifiable", "Sends the numbers from 0 to a topic, and prints JSON about each: whether it is there.")
	topic := f.Text("topic", "", "the `TOPIC` to send to")
	bootstrap := f.Text("bootstrap-server", "", "`SERVERS` to find the cluster with, host:port,...")
	messages := f.Whole("max-messages", "-1", "how many messages to send, `N`; -1: until the process is ended")
	rate := f.Whole("throughput", "-1", "at most `RATE` messages per second; -1: as many as possible")
	acks := f.Whole("acks", "-1", "how many replicas must have a message, `ACKS`: -1 (all of them), 0 or 1")
	config := f.Text("command-config", "", "properties `FILE` for the producer; it goes before the flags")
	oldConfig := f.Text("producer.config", "", "properties `FILE` for the producer")
	created := f.Whole("message-create-time", "-1", "timestamp of the first message, `MILLISECONDS` since 1970; -1: now")
	prefix := f.Whole("value-prefix", "", "`NUMBER` in front of each value, with a dot between")
	keys := f.Whole("repeating-keys", "", "keys are the numbers below `N`, by turns")
	f.Need("topic", "bootstrap-server")
	f.Deprecate("producer.config", "command-config")
	read = func() (options, error) {
		o := options{topic: *topic, messages: *messages, rate: *rate, keys: *keys}
		if o.messages < 0 {
			o.messages = math.MaxInt64
		}
		if f.Given("value-prefix") {
			o.prefix = strconv.FormatInt(*prefix, 10) + "."
		}
		if *created != -1 {
			o.created = time.UnixMilli(*created)
		}
		o.props = cli.Properties{
			"bootstrap.servers": *bootstrap,
			"acks":              strconv.FormatInt(*acks, 10),
			"retries":           "0", // a failure is to be seen, not to be mended
		}
		err := f.Exclusive("command-config", "producer.config")
		if *acks < -1 || *acks > 1 {
			err = errors.Join(err, fmt.Errorf("--acks must be -1, 0 or 1, not %d", *acks))
		}
		if f.Given("repeating-keys") && *keys < 1 {
			err = errors.Join(err, fmt.Errorf("--repeating-keys must be more than 0, not %d", *keys))
		}
		return o, errors.Join(err, o.props.Load(*config), o.props.Load(*oldConfig))
	}
	return f, read
}

// parse reads the command line.
func parse(s cli.Std, args []string) (options, error) {
	f, read := newFlags()
	if err := f.Parse(s, args); err != nil {
		return options{}, err
	}
	return read()
}
