//go:build linux || darwin

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/benchmarks/harness"
	"github.com/kafka-go-producer/producer/benchmarks/sink"
)

func TestFloor_SendsExactlyWhatItIsGiven(t *testing.T) {
	for _, cfg := range []harness.Config{
		{Records: 20_000, Size: 100},
		{Records: 20_000, Size: 100, KeySize: 16},
		{Records: 100, Size: 20_000}, // each record is larger than a batch
		{Records: 1, Size: 0},
	} {
		s, err := sink.Listen("127.0.0.1:0", sink.Config{Partitions: 12, Verify: true, Logf: t.Logf})
		require.NoError(t, err)
		cfg.Brokers, cfg.Topic, cfg.Partitions, cfg.Batch = s.Addr(), "t", 12, 16<<10
		f, err := open(&cfg)
		require.NoError(t, err)
		require.NoError(t, f.send(cfg.Records))
		got := s.Stats()
		assert.EqualValues(t, cfg.Records, got.Records)
		assert.EqualValues(t, cfg.Records*cfg.Size, got.ValueBytes)
		assert.Zero(t, got.Bad(), "%+v", got)
		assert.NoError(t, s.Close())
	}
}
