package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

func sample(variant string, round int, cpu, recPerSec float64) result {
	return result{
		Scenario: "main", Title: "title", Variant: variant, Round: round, Commit: "abc", Machine: "m", Scale: 1,
		Run:    harness.Result{CPU: cpu, RecPerSec: recPerSec},
		Broker: sink.Stats{Records: 100, Batches: 10, Requests: 5},
	}
}

func TestReport_MediansAndRatiosWithinARound(t *testing.T) {
	failed := sample("producer", 3, 1, 1)
	failed.Problem = "the broker\nhas 1 record"
	runs := []result{
		// The machine is twice as slow in round 1: the ratio is not.
		sample("floor", 0, 100, 4e6), sample("producer", 0, 300, 1e6),
		sample("floor", 1, 200, 2e6), sample("producer", 1, 600, .5e6),
		sample("floor", 2, 100, 4e6), sample("producer", 2, 500, 1e6),
		failed,
	}
	var out strings.Builder
	require.NoError(t, report(&out, runs))
	assert.Contains(t, out.String(), "Commit abc, m, scale 1.")
	assert.Contains(t, out.String(), "### main: title, sink")
	assert.Contains(t, out.String(), "| producer | 3/4 | 1000k | 500 (300–600) |")
	assert.Contains(t, out.String(), "| 10.0 | 2.0 | - | - | **3.00**, 0.25 | - | - |", "rec/batch, batch/req, no latencies, ratios to floor only")
	assert.Contains(t, out.String(), "| floor | 3 | 4000k | 100 (100–200) |")
	assert.Contains(t, out.String(), "producer, round 4, does not count: the broker has 1 record\n")
}

func TestLoad_ReadsWhatWasWritten(t *testing.T) {
	var raw bytes.Buffer
	want := []result{sample("floor", 0, 1, 2), sample("producer", 0, 3, 4)}
	for _, r := range want {
		require.NoError(t, json.NewEncoder(&raw).Encode(r))
	}
	name := filepath.Join(t.TempDir(), "raw.jsonl")
	require.NoError(t, os.WriteFile(name, raw.Bytes(), 0o600))
	got, err := load([]string{name})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	require.NoError(t, os.WriteFile(name, append(raw.Bytes(), "{"...), 0o600))
	_, err = load([]string{name})
	assert.Error(t, err)
}

func TestResult_Check(t *testing.T) {
	cfg := &harness.Config{Records: 100, Warmup: 10, Size: 5, KeySize: 2, Codec: "none"}
	compressed := *cfg
	compressed.Codec = "zstd"
	good := sink.Stats{Records: 110, ValueBytes: 550, KeyBytes: 220}
	for name, c := range map[string]struct {
		spoil func(*result)
		want  string
	}{
		"good":         {func(*result) {}, ""},
		"fewer":        {func(r *result) { r.Broker.Records-- }, "the broker has 109 records, 110 were sent"},
		"more":         {func(r *result) { r.Broker.Records++ }, "the broker has 111 records, 110 were sent"},
		"faults":       {func(r *result) { r.Broker.BadSequence++ }, "the broker found faults"},
		"values":       {func(r *result) { r.Broker.ValueBytes++ }, "551 bytes of values, 550 were sent"},
		"keys":         {func(r *result) { r.Broker.KeyBytes = 0 }, "0 bytes of keys, 220 were sent"},
		"not verified": {func(r *result) { r.Broker.KeyBytes, r.Verified = 0, false }, ""},
		"compressed":   {func(r *result) { r.Broker.KeyBytes, r.Run.Config = 0, &compressed }, ""},
		"no report":    {func(r *result) { r.Run.Config = nil }, "the client did not report"},
	} {
		r := result{Verified: true, Run: harness.Result{Config: cfg}, Broker: good}
		c.spoil(&r)
		if c.want == "" {
			assert.Empty(t, r.check(), name)
		} else {
			assert.Contains(t, r.check(), c.want, name)
		}
	}
}

func TestChoose(t *testing.T) {
	all, err := choose(variants(), variant.label, "")
	require.NoError(t, err)
	assert.Equal(t, "floor,producer,franz-go,proto2", names(all, variant.label))
	some, err := choose(variants(), variant.label, "franz-go tuned, producer")
	require.NoError(t, err)
	assert.Equal(t, "franz-go tuned,producer", names(some, variant.label))
	_, err = choose(scenarios(), scenario.label, "main,nothing")
	assert.ErrorContains(t, err, `no "nothing"; there are: main,`)
}

func TestOptions_Records(t *testing.T) {
	o := &options{scale: .1}
	v, s := variant{records: 8_000_000}, scenario{factor: .5}
	assert.Equal(t, 400_000, o.records(s, v))
	o.bootstrap = "b"
	assert.Equal(t, 100_000, o.records(s, v), "a real broker gets fewer")
	assert.Equal(t, 2_000, o.records(scenario{records: 60_000}, v))
	o.scale = 1e-9
	assert.Equal(t, 1, o.records(s, v))
}

func TestExtra(t *testing.T) {
	v, err := extra("before=old")
	require.NoError(t, err)
	assert.Equal(t, variant{name: "before", program: "./old", records: producerRecords}, v)
	_, err = extra("before")
	assert.Error(t, err)
}
