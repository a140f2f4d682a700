package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/tooltest"
)

// main_test.go owns the proof that lines get into a topic, on an embedded cluster.

func TestRun_Lines(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "lines")
	r := tooltest.Run{Tool: run, In: strings.NewReader("one\n\nthree")}
	assert.Empty(t, r.Must(t, "-bootstrap-server", bootstrap, "-topic", "lines", "-timeout", "0"))
	var values []string
	for _, rec := range tooltest.Records(t, bootstrap, "lines", 3) {
		assert.Nil(t, rec.Key)
		values = append(values, string(rec.Value))
	}
	assert.ElementsMatch(t, []string{"one", "", "three"}, values)
}

func TestRun_KeysHeadersAndNulls(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "parsed")
	r := tooltest.Run{Tool: run, In: strings.NewReader("a:1,b:~|k=v\n~|~=~\n")}
	r.Must(t, "--bootstrap-server", bootstrap, "--topic", "parsed", "--timeout", "0",
		"--reader-property", "parse.key=true", "--reader-property", "parse.headers=true", "--reader-property", "key.separator==",
		"--reader-property", "headers.delimiter=|", "--reader-property", "null.marker=~")
	for _, rec := range tooltest.Records(t, bootstrap, "parsed", 2) {
		if rec.Key == nil {
			assert.Nil(t, rec.Value)
			assert.Empty(t, rec.Headers)
			continue
		}
		assert.Equal(t, "k", string(rec.Key))
		assert.Equal(t, "v", string(rec.Value))
		require.Len(t, rec.Headers, 2)
		assert.Equal(t, "a=1", rec.Headers[0].Key+"="+string(rec.Headers[0].Value))
		assert.Equal(t, "b", rec.Headers[1].Key)
		assert.Nil(t, rec.Headers[1].Value)
	}
}

func TestRun_PrintMetadata(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "told")
	r := tooltest.Run{Tool: run, In: strings.NewReader("k:1\nk:2\nk:3\n")}
	begun := time.Now().UnixMilli()
	out := r.Must(t, "--bootstrap-server", bootstrap, "--topic", "told", "--timeout", "0", "--sync", "--print-metadata",
		"--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 3)
	for i, line := range lines {
		assert.Regexp(t, `^{"topic":"told","partition":[012],"offset":`+fmt.Sprint(i)+`,"timestamp":\d+,"error":null}$`, line)
		var m outcomeLine
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		assert.GreaterOrEqual(t, m.Timestamp, begun)
	}
}

func TestRun_RecordsThatFail(t *testing.T) {
	const failure = `{"topic":"<>","partition":-1,"offset":-1,"timestamp":-1,"error":"invalid topic: `
	for _, c := range []struct {
		name string
		args []string
		want int
	}{{"all of them", nil, 2}, {"ends with the first", []string{"--sync"}, 1}} {
		t.Run(c.name, func(t *testing.T) {
			bootstrap := tooltest.Cluster(t)
			r := tooltest.Run{Tool: run, In: strings.NewReader("k\tone\nthis is the second\n")}
			err := r.Do(t.Context(), append(c.args, "--bootstrap-server", bootstrap, "--topic", "<>", "--print-metadata",
				"--reader-property", "parse.key=true", "--reader-property", "ignore.error=true")...)
			require.ErrorContains(t, err, fmt.Sprint(c.want, " records were not sent"))
			assert.Equal(t, c.want, strings.Count(r.Out.String(), failure), r.Out.String())
			assert.Equal(t, c.want, strings.Count(r.Err.String(), "\n"))
			assert.Contains(t, r.Err.String(), "tool: not sent: key 1 bytes, value 3 bytes: invalid topic: ")
			assert.Equal(t, c.want == 2, strings.Contains(r.Err.String(), "tool: not sent: key null, value 18 bytes: "))
		})
	}
}

func TestRun_LineThatIsNoRecord(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "until")
	r := tooltest.Run{Tool: run, In: strings.NewReader("k\tv\nno key\nk\tnever read\n")}
	err := r.Do(t.Context(), "--bootstrap-server", bootstrap, "--topic", "until", "--reader-property", "parse.key=true")
	require.ErrorContains(t, err, `line 2 has no key.separator, "\t": "no key"`)
	assert.Equal(t, "v", string(tooltest.Records(t, bootstrap, "until", 1)[0].Value), "what came before is sent")
}

func TestRun_Interrupted(t *testing.T) {
	bootstrap := tooltest.Cluster(t, "cut")
	ctx, cancel := context.WithCancel(t.Context())
	in, lines := io.Pipe()
	defer lines.Close()
	r := tooltest.Run{Tool: run, In: in, Dialog: true}
	ended := make(chan error)
	go func() {
		ended <- r.Do(ctx, "--bootstrap-server", bootstrap, "--topic", "cut", "--timeout", "60000", "--print-metadata")
	}()
	_, err := io.WriteString(lines, "one\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return r.Out.String() == ">>" }, 10*time.Second, time.Millisecond, "it waits for the second line")
	cancel()
	require.NoError(t, <-ended)
	assert.Equal(t, "one", string(tooltest.Records(t, bootstrap, "cut", 1)[0].Value), "what lingered is sent")
	assert.Regexp(t, `^>>{"topic":"cut",.*,"error":null}\n$`, r.Out.String())
}

func TestRun_Version(t *testing.T) {
	r := tooltest.Run{Tool: run}
	assert.Regexp(t, `^\S+\n$`, r.Must(t, "--version"))
}

func TestRun_Help(t *testing.T) { tooltest.Help(t, run) }
