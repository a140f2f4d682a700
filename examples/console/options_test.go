package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

// options_test.go owns the proof that the command line is Kafka's, and what becomes of each flag.

func TestFlags_AreKafkas(t *testing.T) { tooltest.Flags(t, newFlags().Table(), "print-metadata") }

func parseLine(line string) (options, error) {
	return parse(cli.Std{Tool: "console", Out: new(strings.Builder), Err: new(strings.Builder)}, strings.Fields(line))
}

// standards are the producer's properties that flags and defaults of Kafka's tool amount to.
func standards(but map[string]string) cli.Properties {
	p := cli.Properties{
		"acks": "-1", "batch.size": "16384", "bootstrap.servers": "a:1", "buffer.memory": "33554432", "client.id": "console-producer",
		"linger.ms": "1000", "max.block.ms": "60000", "metadata.max.age.ms": "300000", "request.timeout.ms": "1500", "retries": "3",
		"retry.backoff.ms": "100", "send.buffer.bytes": "102400",
	}
	maps.Copy(p, but)
	return p
}

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.properties")
	require.NoError(t, os.WriteFile(file, []byte("linger.ms=1\nacks=1\ncompression.type=lz4\nparse.key=true\n"), 0o600))
	type props = map[string]string
	for _, c := range []struct {
		args             string
		producer, reader props
	}{
		{"", nil, nil},
		{"--command-config " + file, props{"linger.ms": "1", "acks": "1", "compression.type": "lz4", "parse.key": "true"}, nil},
		{"--producer.config " + file + " --timeout 5 --producer-property acks=0 --producer-property client.id=me",
			props{"linger.ms": "5", "acks": "0", "compression.type": "lz4", "parse.key": "true", "client.id": "me"}, nil},
		{"--compression-codec --request-required-acks all", props{"compression.type": "gzip", "acks": "all"}, nil},
		{"--compression-codec zstd --command-property acks=1 --request-required-acks 0", props{"compression.type": "zstd", "acks": "0"}, nil},
		{"--batch-size 1", props{"batch.size": "1"}, nil},
		{"--batch-size 1 --max-partition-memory-bytes 2", props{"batch.size": "2"}, nil},
		{"--max-block-ms 1 --max-memory-bytes 2 --message-send-max-retries 3 --metadata-expiry-ms 4 --request-timeout-ms 5 --retry-backoff-ms 6 --socket-buffer-size 7",
			props{
				"max.block.ms": "1", "buffer.memory": "2", "retries": "3", "metadata.max.age.ms": "4", "request.timeout.ms": "5", "retry.backoff.ms": "6",
				"send.buffer.bytes": "7",
			}, nil},
		{"--reader-config " + file + " --reader-property parse.key=false --reader-property ignore.error", nil,
			props{"linger.ms": "1", "acks": "1", "compression.type": "lz4", "parse.key": "false", "ignore.error": ""}},
		{"--property null.marker=", nil, props{"null.marker": ""}},
	} {
		t.Run(c.args, func(t *testing.T) {
			o, err := parseLine("--topic t --bootstrap-server a:1 " + c.args)
			require.NoError(t, err)
			assert.Equal(t, standards(c.producer), o.props)
			if c.reader == nil {
				c.reader = props{}
			}
			assert.Equal(t, cli.Properties(c.reader), o.reader)
			_, err = o.props.Config(cli.Std{Err: new(strings.Builder)})
			assert.NoError(t, err, "the producer takes it")
		})
	}
}

func TestParse_Refuses(t *testing.T) {
	const plain = "--topic t --bootstrap-server a:1 "
	for line, want := range map[string]string{
		"":                           "--topic, --bootstrap-server must be given",
		plain + "--timeout soon":     "not a whole number",
		plain + "--line-reader my.R": "Java classes cannot be loaded",
		plain + "--property a=1 --reader-property b=1":         "--reader-property and --property exclude",
		plain + "--producer-property a=1 --command-property a": "--command-property and --producer-property exclude",
		plain + "--producer.config a --command-config b":       "--command-config and --producer.config exclude",
		plain + "--command-config no-such-file":                "no-such-file",
		plain + "--reader-config no-such-file":                 "no-such-file",
		plain + "--command-property =1":                        "not of the form key=value",
	} {
		_, err := parseLine(line)
		assert.ErrorContains(t, err, want, line)
	}
	_, err := parseLine(plain + "--line-reader " + lineReaderClass)
	assert.NoError(t, err)
}
