package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

// main_test.go owns the proof that the lines tell what is in the topic, on an embedded cluster.

func lines(out string) []string { return strings.Split(strings.TrimSuffix(out, "\n"), "\n") }

func TestRun_Numbers(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "numbers")
	r := tooltest.Run{Tool: run}
	got := lines(r.Must(t, "-bootstrap-server", bootstrap, "-topic", "numbers", "-max-messages", "20", "-throughput", "1000"))
	require.Len(t, got, 23)
	for i, line := range got {
		got[i] = tooltest.Shape(line)
	}
	assert.Equal(t, `{"timestamp":N,"name":"startup_complete"}`, got[0])
	for _, line := range got[1:21] {
		assert.Equal(t, `{"timestamp":N,"name":"producer_send_success","key":null,"value":"N","offset":N,"topic":"numbers","partition":N}`, line)
	}
	assert.Equal(t, `{"timestamp":N,"name":"shutdown_complete"}`, got[21])
	assert.Equal(t, `{"timestamp":N,"name":"tool_data","sent":N,"acked":N,"target_throughput":N,"avg_throughput":N}`, got[22])
	assert.Contains(t, r.Out.String(), `"sent":20,"acked":20,"target_throughput":1000,`)
	for _, rec := range tooltest.Records(t, bootstrap, "numbers", 20) {
		assert.Nil(t, rec.Key)
		assert.Contains(t, r.Out.String(), fmt.Sprintf(`"value":"%s","offset":%d,"topic":"numbers","partition":%d}`, rec.Value, rec.Offset, rec.Partition))
	}
}

func TestRun_KeysPrefixAndTime(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "dated")
	r := tooltest.Run{Tool: run}
	out := r.Must(t, "--bootstrap-server", bootstrap, "--topic", "dated", "--max-messages", "5", "--acks", "1",
		"--repeating-keys", "3", "--value-prefix", "7", "--message-create-time", "1000000")
	for i := range 5 {
		assert.Contains(t, out, fmt.Sprintf(`"key":"%d","value":"7.%d",`, i%3, i))
	}
	for _, rec := range tooltest.Records(t, bootstrap, "dated", 5) {
		assert.Contains(t, []string{"0 7.0", "1 7.1", "2 7.2", "0 7.3", "1 7.4"}, string(rec.Key)+" "+string(rec.Value))
		assert.WithinRange(t, rec.Timestamp, time.UnixMilli(1000000), time.UnixMilli(1000000+60_000))
	}
}

func TestRun_MessagesThatFail(t *testing.T) {
	bootstrap := tooltest.Cluster(t)
	file := filepath.Join(t.TempDir(), "p.properties")
	require.NoError(t, os.WriteFile(file, []byte("max.block.ms=20"), 0o600))
	r := tooltest.Run{Tool: run}
	require.NoError(t, r.Do(t.Context(), "--bootstrap-server", bootstrap, "--topic", "missing", "--max-messages", "2", "--command-config", file))
	assert.Contains(t, r.Err.String(), `msg="topic not available" topic=missing`)
	got := lines(r.Out.String())
	require.Len(t, got, 5)
	for i, line := range got[1:3] {
		assert.Regexp(t, fmt.Sprintf(`^{"timestamp":\d+,"name":"producer_send_error","topic":"missing","key":null,"value":"%d",`+
			`"exception":"ErrTimeout","message":"[^"]*UNKNOWN_TOPIC_OR_PARTITION[^"]*"}$`, i), line)
	}
	assert.Contains(t, got[4], `"sent":2,"acked":0,"target_throughput":-1,"avg_throughput":0}`)
}

func TestRun_Interrupted(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "endless")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r := tooltest.Run{Tool: run}
	require.NoError(t, r.Do(ctx, "--bootstrap-server", bootstrap, "--topic", "endless", "--throughput", "1000"))
	got := lines(r.Out.String())
	n := len(got) - 3
	require.Positive(t, n)
	assert.Contains(t, got[n+1], `"shutdown_complete"`)
	assert.Contains(t, got[n+2], fmt.Sprintf(`"sent":%d,"acked":%d,`, n, n), "all that was accepted is there")
	tooltest.Records(t, bootstrap, "endless", n)
}

func TestFlags_AreKafkas(t *testing.T) {
	f, _ := newFlags()
	tooltest.Flags(t, f.Table())
}

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.properties")
	require.NoError(t, os.WriteFile(file, []byte("retries=9\nacks=all"), 0o600))
	std := cli.Std{Tool: "verifiable", Err: new(strings.Builder)}
	o, err := parse(std, strings.Fields("--topic t --bootstrap-server a:1"))
	require.NoError(t, err)
	assert.Equal(t, cli.Properties{"bootstrap.servers": "a:1", "acks": "-1", "retries": "0"}, o.props)
	o, err = parse(std, strings.Fields("--topic t --bootstrap-server a:1 --acks 0 --producer.config "+file))
	require.NoError(t, err)
	assert.Equal(t, cli.Properties{"bootstrap.servers": "a:1", "acks": "all", "retries": "9"}, o.props, "the file goes before the flags")

	for line, want := range map[string]string{
		"":                                       "--topic, --bootstrap-server must be given",
		"--acks 2":                               "--acks must be",
		"--repeating-keys 0":                     "--repeating-keys must be",
		"--value-prefix a":                       "not a whole number",
		"--command-config no":                    "open no",
		"--producer.config no":                   "open no",
		"--command-config a --producer.config b": "--command-config and --producer.config exclude",
	} {
		if line != "" {
			line = "--topic t --bootstrap-server a:1 " + line
		}
		_, err := parse(std, strings.Fields(line))
		assert.ErrorContains(t, err, want, line)
	}
}

func TestKindOf(t *testing.T) {
	for want, err := range map[string]error{
		"ErrTimeout":          fmt.Errorf("it took long: %w", producer.ErrTimeout),
		"ErrBufferExhausted":  errors.Join(producer.ErrTimeout, producer.ErrBufferExhausted),
		"NOT_ENOUGH_REPLICAS": fmt.Errorf("partition: %w", errcode.NotEnoughReplicas),
		"context.Canceled":    fmt.Errorf("waiting for memory: %w", context.Canceled),
		"error":               errors.New("something else"),
	} {
		assert.Equal(t, want, kindOf(err))
	}
}

func TestRun_Help(t *testing.T) { tooltest.Help(t, run) }
