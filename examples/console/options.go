package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// options.go owns the command line, and which property each flag stands for.

// options are what the flags say, checked.
type options struct {
	topic         string
	sync          bool
	printMetadata bool
	version       bool
	reader        cli.Properties
	props         cli.Properties
}

// flags are those of kafka-console-producer, and where their values go.
type flags struct {
	*cli.Flags
	topic, bootstrap, codec, lineReader    *string
	config, oldConfig, readerConfig        *string
	pairs, oldPairs, readerPairs, oldProps *[]string
	sync, metadata, version                *bool
	settings                               []setting
}

// setting is a flag that stands for one property of the producer.
type setting struct {
	flag, key string
	value     func() string
}

// lineReaderClass is the only way of reading lines there is, by its name in Kafka's tool.
const lineReaderClass = "org.apache.kafka.tools.LineMessageReader"

func newFlags() *flags {
	f := &flags{Flags: cli.NewFlags("console", "Sends the lines of standard input to a topic.")}
	f.topic = f.Text("topic", "", "the `TOPIC` to send to")
	f.bootstrap = f.Text("bootstrap-server", "", "`SERVERS` to find the cluster with, host:port,...")
	f.sync = f.Switch("sync", "wait for each record's outcome before the next line; end with the first that fails")
	f.metadata = f.Switch("print-metadata", "print a line of JSON for each record: topic, partition, offset, timestamp, error")
	f.version = f.Switch("version", "print the library's version and end")
	f.codec = f.Maybe("compression-codec", "gzip", "`CODEC`: none, gzip, snappy, lz4 or zstd; none named: gzip")
	f.lineReader = f.Text("line-reader", lineReaderClass, "`CLASS` that makes records of lines; there is but one")
	f.readerPairs = f.List("reader-property", false, "`KEY=VALUE` for how lines are read: parse.key=true (key and value, key.separator between them, a tab if not set),"+
		" parse.headers=true (headers and headers.delimiter, a tab, before that; headers.separator, a comma, between two headers;"+
		" headers.key.separator, a colon, within one), null.marker=TEXT (stands for null), ignore.error=true (what is not there is left out)")
	f.readerConfig = f.Text("reader-config", "", "properties `FILE` for how lines are read; --reader-property goes before it")
	f.oldProps = f.List("property", false, "`KEY=VALUE` for how lines are read")
	f.pairs = f.List("command-property", false, "`KEY=VALUE` for the producer, as linger.ms=10; goes before --command-config")
	f.oldPairs = f.List("producer-property", false, "`KEY=VALUE` for the producer")
	f.config = f.Text("command-config", "", "properties `FILE` for the producer")
	f.oldConfig = f.Text("producer.config", "", "properties `FILE` for the producer")
	f.addSettings()
	f.Need("topic", "bootstrap-server")
	f.Deprecate("property", "reader-property")
	f.Deprecate("producer-property", "command-property")
	f.Deprecate("producer.config", "command-config")
	f.Deprecate("max-partition-memory-bytes", "batch-size")
	return f
}

// addSettings adds the flags that stand for a property. Of two that stand for the same, the later counts.
func (f *flags) addSettings() {
	for _, s := range []struct{ flag, key, standard, help string }{
		{"timeout", "linger.ms", "1000", "`MILLISECONDS` that a batch waits for more records (linger.ms)"},
		{"request-timeout-ms", "request.timeout.ms", "1500", "`MILLISECONDS` that a broker has to answer in (request.timeout.ms)"},
		{"message-send-max-retries", "retries", "3", "send a batch again at most `N` times (retries)"},
		{"retry-backoff-ms", "retry.backoff.ms", "100", "`MILLISECONDS` before something is tried again (retry.backoff.ms)"},
		{"socket-buffer-size", "send.buffer.bytes", "102400", "`BYTES` that a socket buffers (send.buffer.bytes)"},
		{"max-memory-bytes", "buffer.memory", "33554432", "`BYTES` of records that may wait (buffer.memory)"},
		{"batch-size", "batch.size", "16384", "`BYTES` of a batch (batch.size)"},
		{"max-partition-memory-bytes", "batch.size", "16384", "`BYTES` of a batch (batch.size)"},
		{"metadata-expiry-ms", "metadata.max.age.ms", "300000", "`MILLISECONDS` after which metadata is fetched again (metadata.max.age.ms)"},
		{"max-block-ms", "max.block.ms", "60000", "`MILLISECONDS` that sending waits for metadata and memory (max.block.ms)"},
	} {
		n := f.Whole(s.flag, s.standard, s.help)
		f.settings = append(f.settings, setting{s.flag, s.key, func() string { return strconv.FormatInt(*n, 10) }})
	}
	acks := f.Text("request-required-acks", "-1", "how many replicas must have a record, `ACKS`: -1 or all, 0 or 1 (acks)")
	f.settings = append(f.settings, setting{"request-required-acks", "acks", func() string { return *acks }})
}

// parse reads the command line.
func parse(s cli.Std, args []string) (o options, err error) {
	f := newFlags()
	err = f.Parse(s, args)
	if *f.version && !errors.Is(err, flag.ErrHelp) {
		return options{version: true}, nil // as Kafka's tool, whatever else is missing
	}
	if err != nil {
		return options{}, err
	}
	if err := errors.Join(f.Exclusive("command-config", "producer.config"), f.Exclusive("command-property", "producer-property"),
		f.Exclusive("reader-property", "property"), f.checkLineReader()); err != nil {
		return options{}, err
	}
	o = options{topic: *f.topic, sync: *f.sync, printMetadata: *f.metadata}
	if o.reader, err = gather([]string{*f.readerConfig}, append(*f.readerPairs, *f.oldProps...)); err != nil {
		return options{}, err
	}
	if o.props, err = gather([]string{*f.config, *f.oldConfig}, append(*f.pairs, *f.oldPairs...)); err != nil {
		return options{}, err
	}
	f.settle(o.props)
	return o, nil
}

func (f *flags) checkLineReader() error {
	if *f.lineReader != lineReaderClass {
		return fmt.Errorf("--line-reader %s: Java classes cannot be loaded; lines are read by %s", *f.lineReader, lineReaderClass)
	}
	return nil
}

// gather is cli.Gather, but a pair without a "=" is a key without a value.
func gather(files, pairs []string) (cli.Properties, error) {
	for i, pair := range pairs {
		if !strings.Contains(pair, "=") {
			pairs[i] = pair + "="
		}
	}
	return cli.Gather(files, pairs)
}

// settle puts what the flags say into the producer's properties. A flag that was given goes before them,
// the default of one that was not goes behind.
func (f *flags) settle(p cli.Properties) {
	p["bootstrap.servers"] = *f.bootstrap
	p.Default("client.id", "console-producer")
	if f.Given("compression-codec") {
		p["compression.type"] = *f.codec
	}
	for _, s := range f.settings {
		if f.Given(s.flag) {
			p[s.key] = s.value()
		} else {
			p.Default(s.key, s.value())
		}
	}
}
