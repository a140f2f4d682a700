package harness

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// load.go owns the goroutines that send, and the latencies they see.

// load drives a client. Its methods are called one after the other.
type load struct {
	cfg       *Config
	client    Client
	acks      *Acks
	workers   []Worker
	keys      [][]byte
	values    [][]byte
	latencies [][]time.Duration // a worker's own, sync only; nil: not wanted
}

func newLoad(cfg *Config, cl Client, acks *Acks) *load {
	l := &load{
		cfg: cfg, client: cl, acks: acks,
		workers: make([]Worker, cfg.Goroutines), latencies: make([][]time.Duration, cfg.Goroutines),
		keys: Keys(cfg.KeySize), values: Values(cfg.Size),
	}
	for g := range l.workers {
		l.workers[g] = cl.Worker(g)
	}
	return l
}

// share is how many of n records worker g sends.
func (l *load) share(n, g int) int {
	k := n / len(l.workers)
	if g < n%len(l.workers) {
		k++
	}
	return k
}

// reserve makes room for the latencies of n records, so that it is not made, or counted, while they are sent.
func (l *load) reserve(n int) {
	if l.cfg.Mode != ModeSync {
		return
	}
	for g := range l.workers {
		l.latencies[g] = make([]time.Duration, 0, l.share(n, g))
	}
}

// run sends n records and returns once all their outcomes are known. A failed record is an error.
func (l *load) run(n int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := l.acks.all.Load()
	var wg sync.WaitGroup
	for g := range l.workers {
		wg.Go(func() {
			if l.cfg.Mode == ModeSync {
				l.sync(ctx, g, l.share(n, g))
			} else {
				l.async(ctx, g, l.share(n, g))
			}
		})
	}
	wg.Wait()
	if err := l.client.Flush(); err != nil {
		return fmt.Errorf("flushing: %w", err)
	}
	l.acks.wait(before + int64(n))
	return l.acks.err()
}

// at spreads the goroutines over the pool.
func at(g, i int) int { return (i + g*131) & (poolSize - 1) }

func (l *load) async(ctx context.Context, g, n int) {
	w := l.workers[g]
	for i := range n {
		w.Async(ctx, l.keys[at(g, i)], l.values[at(g, i)])
	}
}

func (l *load) sync(ctx context.Context, g, n int) {
	w, latencies := l.workers[g], l.latencies[g]
	for i := range n {
		start := time.Now()
		err := w.Sync(ctx, l.keys[at(g, i)], l.values[at(g, i)])
		if latencies != nil {
			latencies = append(latencies, time.Since(start))
		}
		l.acks.Ack(1, err)
	}
	l.latencies[g] = latencies
}

// quantiles are three latencies in microseconds: the median, the 99th and the 99.9th percentile. Zero if asynchronous.
func (l *load) quantiles() (p50, p99, p999 float64) {
	all := slices.Concat(l.latencies...)
	slices.Sort(all)
	return quantile(all, .5), quantile(all, .99), quantile(all, .999)
}

// quantile reads the value that a share q of sorted lies below.
func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := min(int(q*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[i]) / float64(time.Microsecond)
}
