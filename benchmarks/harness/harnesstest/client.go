// Package harnesstest owns the test that every client must pass before its figures mean anything: in every kind of work
// the sink has exactly what was sent, and finds no fault in it.
package harnesstest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

// TestClient runs small loads in this process, each on a sink of its own.
func TestClient(t *testing.T, open harness.Open) {
	for _, c := range []struct {
		name string
		cfg  harness.Config
	}{
		{"one goroutine", harness.Config{Records: 20_000, Size: 100, Goroutines: 1}},
		{"eight goroutines", harness.Config{Records: 20_000, Size: 100, Goroutines: 8}},
		{"keys", harness.Config{Records: 20_000, Size: 100, KeySize: 16, Goroutines: 2}},
		{"large values", harness.Config{Records: 2_000, Size: 5_000, Goroutines: 1}},
		{"empty values", harness.Config{Records: 5_000, Size: 0, KeySize: 8, Goroutines: 1}},
		{"explicit partitions", harness.Config{Records: 24_000, Size: 100, Goroutines: 2, Part: harness.PartRR}},
		{"synchronous", harness.Config{Records: 500, Size: 100, Goroutines: 1, Mode: harness.ModeSync}},
		{"eight synchronous", harness.Config{Records: 2_000, Size: 100, Goroutines: 8, Mode: harness.ModeSync}},
	} {
		t.Run(c.name, func(t *testing.T) { testLoad(t, c.cfg, open) })
	}
}

func testLoad(t *testing.T, cfg harness.Config, open harness.Open) {
	broker, err := sink.Listen("127.0.0.1:0", sink.Config{Partitions: 12, Verify: true, Logf: t.Logf})
	require.NoError(t, err)
	defer func() { assert.NoError(t, broker.Close()) }()

	cfg.Brokers, cfg.Topic, cfg.Partitions, cfg.Warmup = broker.Addr(), "t", 12, -1
	cfg.Batch, cfg.MaxRequest, cfg.Codec = 16<<10, 1<<20, "none"
	if cfg.Part == "" {
		cfg.Part = harness.PartDefault
	}
	if cfg.Mode == "" {
		cfg.Mode, cfg.Linger = harness.ModeAsync, time.Millisecond
	}
	r, err := harness.Run("client", &cfg, open)
	require.NoError(t, err)

	sent, got := int64(cfg.Records+cfg.WarmupRecords()), broker.Stats()
	assert.Equal(t, sent, got.Records)
	assert.Equal(t, sent*int64(cfg.Size), got.ValueBytes)
	assert.Equal(t, sent*int64(cfg.KeySize), got.KeyBytes)
	assert.Zero(t, got.Bad(), "%+v", got)
	assert.GreaterOrEqual(t, got.Batches, got.Requests)
	assert.Positive(t, r.RecPerSec)
	assert.Equal(t, cfg.Mode == harness.ModeSync, r.P50 > 0)
	if cfg.Part == harness.PartRR {
		ends := broker.EndOffsets("t")
		require.Len(t, ends, 12)
		assert.Equal(t, ends[0], ends[11], "round robin fills all partitions alike: %v", ends)
	}
}
