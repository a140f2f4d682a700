package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// stats.go owns the counting of acknowledged records and the lines that tell of it.

// stats counts records, since it was made and in the current window. Any goroutine may use it.
type stats struct {
	out      io.Writer
	interval time.Duration // of a window
	steady   bool          // it counts what came after the warm-up
	begun    time.Time

	mu          sync.Mutex // guards what follows
	silent      bool       // windows are not printed any more
	all, window count
	windowBegun time.Time
	quick       [quickest]int64 // records by latency in milliseconds
	slow        map[int64]int64 // those that took longer
}

// quickest is the latency from which on records are rare enough for a map.
const quickest = 4096

// count is what is known of a number of records. Latencies are in milliseconds.
type count struct{ records, bytes, latency, slowest int64 }

func (c *count) add(latency, bytes int64) {
	c.records++
	c.bytes += bytes
	c.latency += latency
	c.slowest = max(c.slowest, latency)
}

// perSecond gives records and mebibytes per second.
func (c *count) perSecond(took time.Duration) (records, mib float64) {
	return float64(c.records) / took.Seconds(), float64(c.bytes) / took.Seconds() / (1 << 20)
}

// average is not a number where there are no records.
func (c *count) average() float64 { return float64(c.latency) / float64(c.records) }

func newStats(out io.Writer, interval time.Duration, steady bool) *stats {
	now := time.Now()
	return &stats{out: out, interval: interval, steady: steady, begun: now, windowBegun: now, slow: make(map[int64]int64)}
}

// add counts a record that was sent at begun and is acknowledged now. When the window is over, its line is
// printed.
func (s *stats) add(begun, now time.Time, bytes int) {
	latency := now.Sub(begun).Milliseconds()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.add(latency, int64(bytes))
	s.window.add(latency, int64(bytes))
	if latency < quickest {
		s.quick[latency]++
	} else {
		s.slow[latency]++
	}
	if took := now.Sub(s.windowBegun); took >= s.interval {
		s.endWindowLocked(took)
		s.window, s.windowBegun = count{}, now
	}
}

func (s *stats) endWindowLocked(took time.Duration) {
	if s.steady && s.all.records == s.window.records {
		fmt.Fprintln(s.out, "In steady state.")
	}
	if s.silent {
		return
	}
	records, mib := s.window.perSecond(took)
	fmt.Fprintf(s.out, "%d records sent, %.1f records/sec (%.2f MB/sec), %.1f ms avg latency, %.1f ms max latency.\n",
		s.window.records, records, mib, s.window.average(), float64(s.window.slowest))
}

// silence ends the printing of windows.
func (s *stats) silence() {
	s.mu.Lock()
	s.silent = true
	s.mu.Unlock()
}

// total prints the summary.
func (s *stats) total() {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, mib := s.all.perSecond(time.Since(s.begun))
	label := ""
	if s.steady {
		label = " steady state"
	}
	p := s.percentilesLocked(0.5, 0.95, 0.99, 0.999)
	fmt.Fprintf(s.out, "%d%s records sent, %.6f records/sec (%.2f MB/sec), %.2f ms avg latency, %.2f ms max latency,"+
		" %d ms 50th, %d ms 95th, %d ms 99th, %d ms 99.9th.\n",
		s.all.records, label, records, mib, s.all.average(), float64(s.all.slowest), p[0], p[1], p[2], p[3])
}

// percentilesLocked are the latencies which the given parts of all records, in ascending order, stay below.
func (s *stats) percentilesLocked(parts ...float64) []int64 {
	found := make([]int64, 0, len(parts))
	var below int64
	at := func(latency, records int64) {
		below += records
		for len(found) < len(parts) && int64(parts[len(found)]*float64(s.all.records)) < below {
			found = append(found, latency)
		}
	}
	for latency, records := range s.quick {
		at(int64(latency), records)
	}
	for _, latency := range slices.Sorted(maps.Keys(s.slow)) {
		at(latency, s.slow[latency])
	}
	return append(found, make([]int64, len(parts)-len(found))...) // there are no records
}

// now is what was counted so far.
func (s *stats) now() count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}
