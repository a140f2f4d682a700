package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// stats_test.go owns the proof that the lines tell what was counted.

func TestStats_Lines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(strings.Builder)
		s := newStats(out, time.Second, false)
		for _, latency := range []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond} {
			s.add(time.Now().Add(-latency), time.Now(), 1<<20)
		}
		assert.Empty(t, out.String(), "the window is not over")
		time.Sleep(2 * time.Second)
		s.add(time.Now().Add(-5*time.Second), time.Now(), 1<<20)
		assert.Equal(t, "4 records sent, 2.0 records/sec (2.00 MB/sec), 1272.5 ms avg latency, 5000.0 ms max latency.\n", out.String())
		out.Reset()

		s.silence()
		time.Sleep(2 * time.Second)
		s.add(time.Now(), time.Now(), 0)
		assert.Empty(t, out.String(), "windows are silent")
		s.total()
		assert.Equal(t, "5 records sent, 1.250000 records/sec (1.00 MB/sec), 1018.00 ms avg latency, 5000.00 ms max latency,"+
			" 20 ms 50th, 5000 ms 95th, 5000 ms 99th, 5000 ms 99.9th.\n", out.String())
	})
}

func TestStats_SteadyState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(strings.Builder)
		s := newStats(out, time.Second, true)
		for range 2 {
			time.Sleep(time.Second)
			s.add(time.Now(), time.Now(), 0)
		}
		s.total()
		assert.Equal(t, `In steady state.
1 records sent, 1.0 records/sec (0.00 MB/sec), 0.0 ms avg latency, 0.0 ms max latency.
1 records sent, 1.0 records/sec (0.00 MB/sec), 0.0 ms avg latency, 0.0 ms max latency.
2 steady state records sent, 1.000000 records/sec (0.00 MB/sec), 0.00 ms avg latency, 0.00 ms max latency, 0 ms 50th, 0 ms 95th, 0 ms 99th, 0 ms 99.9th.
`, out.String())
	})
}

// A percentile is the record at that part of all records, sorted by their latencies.
func TestStats_Percentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []float64{0.5, 0.95, 0.99, 0.999}
	for _, n := range []int{1, 2, 3, 20, 1000, 20000} {
		s := newStats(nil, time.Hour, false)
		latencies := make([]int64, n)
		now := time.Now()
		for i := range latencies {
			latencies[i] = random.Int64N(2 * quickest)
			s.add(now.Add(-time.Duration(latencies[i])*time.Millisecond), now, 0)
		}
		slices.Sort(latencies)
		want := make([]int64, len(parts))
		for i, part := range parts {
			want[i] = latencies[int(part*float64(n))]
		}
		assert.Equal(t, want, s.percentilesLocked(parts...), "%d records", n)
	}
}
