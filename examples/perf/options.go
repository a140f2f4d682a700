package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// options.go owns the command line: what may be given, and what does not go together.

// options are what the flags say, checked.
type options struct {
	topic     string
	records   int64
	warmup    int64   // records that the second summary leaves out; 0: there is no second one
	rate      float64 // records per second; negative: no limit
	interval  time.Duration
	seed      int64
	keys      string // none, range or random
	keyRange  int64
	size      int64 // bytes of a value; 0: it comes from elsewhere
	file      string
	delimiter string
	monotonic bool
	props     cli.Properties
}

const (
	noKeys     = "none"
	rangeKeys  = "range"
	randomKeys = "random"
)

// flags are those of kafka-producer-perf-test, and where their values go.
type flags struct {
	*cli.Flags
	options
	bootstrap, config, oldConfig *string
	pairs, oldPairs              *[]string
	read                         func() options
}

func newFlags() *flags {
	f := &flags{Flags: cli.NewFlags("perf", "Measures how fast records get into a topic.")}
	topic := f.Text("topic", "", "the `TOPIC` to send to")
	records := f.Whole("num-records", "", "how many records to send, `N`")
	rate := f.Rate("throughput", "", "at most `RATE` records per second; -1: as many as possible")
	size := f.Whole("record-size", "", "values are random letters, `BYTES` of them")
	file := f.Text("payload-file", "", "values are picked at random from a `FILE`")
	delimiter := f.Text("payload-delimiter", `\n`, "what stands between the values in --payload-file, a `REGEXP`")
	monotonic := f.Switch("payload-monotonic", "values are the numbers from 0")
	f.bootstrap = f.Text("bootstrap-server", "", "`SERVERS` to find the cluster with, host:port,...; goes before bootstrap.servers from elsewhere")
	f.pairs = f.List("command-property", true, "`KEY=VALUE` for the producer, as linger.ms=10; goes before --command-config")
	f.oldPairs = f.List("producer-props", true, "`KEY=VALUE` for the producer")
	f.config = f.Text("command-config", "", "properties `FILE` for the producer")
	f.oldConfig = f.Text("producer.config", "", "properties `FILE` for the producer")
	warmup := f.Whole("warmup-records", "0", "leave the first `N` records out of a second summary")
	interval := f.Whole("reporting-interval", "5000", "`MILLISECONDS` between two lines")
	keyRange := f.Whole("record-key-range", "", "keys are numbers less than `N`")
	keys := f.Text("key-distribution", noKeys, "`HOW` keys follow each other: none (no keys), range (one after the other) or random")
	seed := f.Whole("random-seed", "0", "`NUMBER` that random values and keys follow from: the same number, the same records")
	f.Refuse("print-metrics", false, "print the producer's metrics in the end", "this version of the library has no metrics")
	const transactions = "this version of the library has no transactions"
	f.Refuse("transactional-id", true, "`ID` for transactions", transactions)
	f.Refuse("transaction-duration-ms", true, "`MILLISECONDS` of a transaction", transactions)
	f.Need("topic", "num-records", "throughput")
	f.Deprecate("producer-props", "command-property")
	f.Deprecate("producer.config", "command-config")
	f.read = func() options {
		return options{
			topic: *topic, records: *records, warmup: *warmup, rate: *rate,
			interval: time.Duration(*interval) * time.Millisecond, seed: *seed, keys: *keys, keyRange: *keyRange,
			size: *size, file: *file, delimiter: *delimiter, monotonic: *monotonic,
		}
	}
	return f
}

// parse reads the command line.
func parse(s cli.Std, args []string) (options, error) {
	f := newFlags()
	if err := f.Parse(s, args); err != nil {
		return options{}, err
	}
	f.options = f.read()
	if err := f.check(); err != nil {
		return options{}, err
	}
	if err := f.properties(); err != nil {
		return options{}, err
	}
	return f.options, nil
}

// check returns all that is wrong with the flags.
func (f *flags) check() error {
	var bad []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			bad = append(bad, fmt.Errorf(format, args...))
		}
	}
	for _, names := range [][]string{
		{"record-size", "payload-file", "payload-monotonic"}, {"command-property", "producer-props"}, {"command-config", "producer.config"},
	} {
		if err := f.Exclusive(names...); err != nil {
			bad = append(bad, err)
		}
	}
	refuse(!f.Given("record-size") && !f.Given("payload-file") && !f.Given("payload-monotonic"),
		"one of --record-size, --payload-file and --payload-monotonic must be given")
	refuse(*f.bootstrap == "" && *f.config == "" && *f.oldConfig == "" && len(*f.pairs)+len(*f.oldPairs) == 0,
		"--bootstrap-server, --command-property or --command-config must be given")
	refuse(f.records <= 0, "--num-records must be more than 0, not %d", f.records)
	refuse(f.warmup < 0 || f.warmup >= f.records && f.records > 0, "--warmup-records must be from 0 to less than --num-records, not %d", f.warmup)
	refuse(f.Given("record-size") && (f.size <= 0 || f.size > maxSize), "--record-size must be from 1 to %d, not %d", maxSize, f.size)
	refuse(f.interval <= 0, "--reporting-interval must be more than 0")
	keyed := f.keys == rangeKeys || f.keys == randomKeys
	refuse(!keyed && f.keys != noKeys, "--key-distribution must be none, range or random, not %q", f.keys)
	refuse(f.Given("record-key-range") && (f.keyRange <= 0 || f.keyRange > maxSize), "--record-key-range must be from 1 to %d, not %d", maxSize, f.keyRange)
	refuse(keyed && !f.Given("record-key-range"), "--key-distribution %s needs --record-key-range", f.keys)
	refuse(f.keys == noKeys && f.Given("record-key-range"), "--record-key-range needs --key-distribution range or random")
	return errors.Join(bad...)
}

// maxSize is the largest number that Kafka's tool takes for a size.
const maxSize = 1<<31 - 1

// properties gathers what the producer shall be told.
func (f *flags) properties() error {
	p, err := cli.Gather([]string{*f.config, *f.oldConfig}, append(*f.pairs, *f.oldPairs...))
	if err != nil {
		return err
	}
	p.Default("client.id", "perf-producer-client")
	if *f.bootstrap != "" {
		p["bootstrap.servers"] = *f.bootstrap
	}
	f.props = p
	return nil
}
