package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
	"github.com/kafka-go-producer/producer/examples/internal/pace"
)

// send.go owns the sending of the load and what becomes of each record.

// measurement is one run of the tool.
type measurement struct {
	options
	std      cli.Std
	producer producer.Producer[[]byte, []byte]
	load     *load
	stats    *stats
	calls    sync.Pool // of *call
	failed   atomic.Int64
}

func newRun(o options, s cli.Std, p producer.Producer[[]byte, []byte], l *load) *measurement {
	m := &measurement{options: o, std: s, producer: p, load: l, stats: newStats(s.Out, o.interval, false)}
	m.calls.New = func() any {
		c := &call{m: m}
		c.callback = c.done
		return c
	}
	return m
}

// call is a record on its way. It is used again, so that measuring does not become work for the garbage
// collector.
type call struct {
	m         *measurement
	begun     time.Time
	bytes     int
	all, warm *stats // warm: what came after the warm-up; nil: this did not
	callback  producer.Callback
}

// done is the call's callback.
func (c *call) done(_ producer.RecordMetadata, err error) {
	if err != nil {
		c.m.fail(err)
	} else {
		now := time.Now()
		c.all.add(c.begun, now, c.bytes)
		if c.warm != nil {
			c.warm.add(c.begun, now, c.bytes)
		}
	}
	c.m.calls.Put(c)
}

// shown is how many failures are told one by one.
const shown = 10

func (m *measurement) fail(err error) {
	switch n := m.failed.Add(1); {
	case n <= shown:
		m.std.Warn("not sent: %v", err)
	case n == shown+1:
		m.std.Warn("more records were not sent; the last line will say how many")
	}
}

// run sends the load, waits for its outcome, and prints the summaries. When ctx ends, that is as much as was
// sent until then.
func (m *measurement) run(ctx context.Context) error {
	if m.warmup > 0 {
		fmt.Fprintf(m.std.Out, "Warmup first %d records. Steady state results will print after the complete test summary.\n", m.warmup)
	}
	sent, steady := m.send(ctx)
	err := m.producer.Close(context.WithoutCancel(ctx)) // the delivery timeout bounds it
	m.stats.total()
	if steady != nil {
		steady.total()
	}
	if failed := m.failed.Load(); failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d records were not sent", failed, sent))
	}
	if sent < m.records {
		err = errors.Join(err, fmt.Errorf("interrupted after %d of %d records", sent, m.records))
	}
	return err
}

// send sends the load, and counts apart what comes after the warm-up.
func (m *measurement) send(ctx context.Context) (sent int64, steady *stats) {
	pacer := pace.New(m.rate)
	for n := range m.records {
		if n > 0 {
			pacer.Wait(ctx, n)
		}
		if ctx.Err() != nil {
			return n, steady
		}
		r := producer.Record[[]byte, []byte]{Topic: m.topic}
		r.Key, r.Value = m.load.next(n)
		c := m.calls.Get().(*call)
		c.begun = time.Now()
		if m.warmup > 0 && n == m.warmup {
			steady = newStats(m.std.Out, m.interval, true)
			m.stats.silence()
		}
		c.bytes, c.all, c.warm = len(r.Value), m.stats, steady
		m.producer.Send(ctx, r, c.callback)
	}
	return m.records, steady
}

// progress is a line that says how far the run is, the most important first: a narrow terminal cuts it off.
func (m *measurement) progress() string {
	now, took := m.stats.now(), time.Since(m.stats.begun)
	done := now.records + m.failed.Load()
	perSecond, mib := now.perSecond(took)
	line := fmt.Sprintf("%5.1f%%  %d of %d records", 100*float64(done)/float64(m.records), done, m.records)
	if done > 0 && done < m.records {
		left := time.Duration(float64(took) / float64(done) * float64(m.records-done))
		line += fmt.Sprintf("  %v left", left.Round(time.Second))
	}
	if failed := m.failed.Load(); failed > 0 {
		line += fmt.Sprintf("  %d failed", failed)
	}
	line += fmt.Sprintf("  %.0f records/sec  %.2f MB/sec", perSecond, mib)
	if now.records > 0 {
		line += fmt.Sprintf("  %.1f ms avg latency", now.average())
	}
	return line
}
