package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

// options_test.go owns the proof that the command line is Kafka's, and that mistakes in it are told.

func TestFlags_AreKafkas(t *testing.T) { tooltest.Flags(t, newFlags().Table()) }

func parseLine(line string) (options, error) {
	return parse(cli.Std{Tool: "perf", Out: new(strings.Builder), Err: new(strings.Builder)}, strings.Fields(line))
}

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.properties")
	require.NoError(t, os.WriteFile(file, []byte("linger.ms=1\nacks=1\nbootstrap.servers=file:1\nclient.id=me\n"), 0o600))
	o, err := parseLine("--topic t --num-records 5 --throughput 2.5 --payload-monotonic --bootstrap-server flag:1 " +
		"--command-config " + file + " --command-property bootstrap.servers=pair:1 acks=all --reporting-interval 10 --random-seed -3")
	require.NoError(t, err)
	assert.Equal(t, options{
		topic: "t", records: 5, rate: 2.5, interval: 10 * time.Millisecond, seed: -3, keys: "none", delimiter: `\n`, monotonic: true,
		props: cli.Properties{"linger.ms": "1", "acks": "all", "bootstrap.servers": "flag:1", "client.id": "me"},
	}, o)

	o, err = parseLine("--topic t --num-records 5 --throughput -1 --record-size 9 --producer-props bootstrap.servers=pair:1")
	require.NoError(t, err)
	assert.Equal(t, cli.Properties{"bootstrap.servers": "pair:1", "client.id": "perf-producer-client"}, o.props)
}

func TestParse_Refuses(t *testing.T) {
	const plain = "--topic t --num-records 5 --throughput -1 "
	const served = plain + "--bootstrap-server a:1 "
	for line, want := range map[string]string{
		"":                                  "--topic, --num-records, --throughput must be given",
		served:                              "one of --record-size, --payload-file and --payload-monotonic",
		served + "--record-size 0":          "--record-size must be",
		served + "--record-size 4294967297": "--record-size must be",
		plain + "--record-size 1":           "--bootstrap-server, --command-property or --command-config",
		served + "--record-size 1 --payload-monotonic":                                "--record-size and --payload-monotonic exclude",
		served + "--payload-monotonic --num-records 0":                                "--num-records must be",
		served + "--payload-monotonic --warmup-records 5":                             "--warmup-records must be",
		served + "--payload-monotonic --warmup-records -1":                            "--warmup-records must be",
		served + "--payload-monotonic --reporting-interval 0":                         "--reporting-interval must be",
		served + "--payload-monotonic --record-key-range 0 --key-distribution random": "--record-key-range must be",
		served + "--payload-monotonic --record-key-range 3":                           "--record-key-range needs --key-distribution",
		served + "--payload-monotonic --key-distribution range":                       "range needs --record-key-range",
		served + "--payload-monotonic --key-distribution zipf":                        "none, range or random",
		served + "--payload-monotonic --key-distribution RANGE --record-key-range 3":  "none, range or random",
		served + "--payload-monotonic --producer-props a=1 --command-property b=1":    "--command-property and --producer-props exclude",
		served + "--payload-monotonic --producer.config a --command-config b":         "--command-config and --producer.config exclude",
		served + "--payload-monotonic --command-property a":                           "not of the form key=value",
		served + "--payload-monotonic --transactional-id x":                           "--transactional-id: this version of the library has no transactions",
		served + "--payload-monotonic --transaction-duration-ms 1":                    "no transactions",
		served + "--payload-monotonic --print-metrics":                                "--print-metrics: this version of the library has no metrics",
	} {
		_, err := parseLine(line)
		assert.ErrorContains(t, err, want, line)
	}
}
