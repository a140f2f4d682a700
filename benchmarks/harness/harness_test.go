package harness

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fake is a client that acknowledges at once.
type fake struct {
	acks        *Acks
	sent        atomic.Int64
	failAt      int64 // fails the record that makes sent this; 0: none
	flushed     atomic.Int64
	closeFailed error
}

var errBroker = errors.New("broker is gone")

func (f *fake) outcome() error {
	if f.sent.Add(1) == f.failAt {
		return errBroker
	}
	return nil
}

func (f *fake) Worker(int) Worker                          { return f }
func (f *fake) Flush() error                               { f.flushed.Add(1); return nil }
func (f *fake) Close() error                               { return f.closeFailed }
func (f *fake) Async(context.Context, []byte, []byte)      { f.acks.Ack(1, f.outcome()) }
func (f *fake) Sync(context.Context, []byte, []byte) error { return f.outcome() }
func (f *fake) open(_ *Config, acks *Acks) (Client, error) { f.acks = acks; return f, nil }
func config(mode string, records, warmup, goroutines int) *Config {
	return &Config{Records: records, Warmup: warmup, Goroutines: goroutines, Mode: mode, Part: PartDefault, Partitions: 1, Size: 10}
}

func TestRun_SendsWarmupAndRecords(t *testing.T) {
	for _, mode := range []string{ModeAsync, ModeSync} {
		f := &fake{}
		r, err := Run("fake", config(mode, 1001, -1, 3), f.open)
		require.NoError(t, err)
		assert.EqualValues(t, 1001+100, f.sent.Load())
		assert.EqualValues(t, 2, f.flushed.Load())
		assert.Equal(t, mode == ModeSync, r.P99 > 0)
		assert.InDelta(t, 1001/r.Seconds, r.RecPerSec, 1)
		assert.InDelta(t, r.CPU, r.User+r.Sys, 1e-6)
	}
}

func TestRun_AFailedRecordIsAnError(t *testing.T) {
	for _, mode := range []string{ModeAsync, ModeSync} {
		for _, failAt := range []int64{3, 60} { // warming up, measuring
			_, err := Run("fake", config(mode, 100, 10, 2), (&fake{failAt: failAt}).open)
			assert.ErrorIs(t, err, errBroker, "%s %d", mode, failAt)
		}
	}
}

func TestRun_AFailedCloseIsAnError(t *testing.T) {
	_, err := Run("fake", config(ModeAsync, 100, 10, 2), (&fake{closeFailed: errBroker}).open)
	assert.ErrorIs(t, err, errBroker)
}

func TestRun_RefusesSenselessFlags(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"mode":       func(c *Config) { c.Mode = "slow" },
		"part":       func(c *Config) { c.Part = "none" },
		"records":    func(c *Config) { c.Records = 0 },
		"goroutines": func(c *Config) { c.Goroutines = 0 },
		"size":       func(c *Config) { c.Size = -1 },
	} {
		cfg := config(ModeAsync, 100, 10, 2)
		spoil(cfg)
		_, err := Run("fake", cfg, (&fake{}).open)
		assert.Error(t, err, name)
	}
}

func TestQuantile(t *testing.T) {
	var sorted []time.Duration
	for i := range 1000 {
		sorted = append(sorted, time.Duration(i)*time.Microsecond)
	}
	assert.Zero(t, quantile(nil, .5))
	assert.Equal(t, 500., quantile(sorted, .5))
	assert.Equal(t, 990., quantile(sorted, .99))
	assert.Equal(t, 999., quantile(sorted, 1))
}

func TestKeys_AreDifferent(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Keys(16) {
		require.Len(t, k, 16)
		seen[string(k)] = true
	}
	assert.Len(t, seen, poolSize)
	assert.Nil(t, Keys(0)[0])
	assert.Equal(t, Values(100), Values(100), "every run sends the same")
}
