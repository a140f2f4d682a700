package producer

import (
	"sync/atomic"
	"time"
)

// clock.go owns the producer's time. Any goroutine may read it; the Sender alone sets coarse.

// clock counts nanoseconds from a second before the producer's start, so that zero can mean never. No
// change of the system's time disturbs it.
type clock struct {
	start time.Time

	// coarse is the wall clock in milliseconds, at most about a millisecond old; zero while the Sender
	// sleeps too long to keep it so.
	coarse atomic.Int64
}

func newClock() *clock { return &clock{start: time.Now().Add(-time.Second)} }

func (c *clock) now() int64 { return int64(time.Since(c.start)) }

// at is the time that n nanoseconds of the clock stand for.
func (c *clock) at(n int64) time.Time { return c.start.Add(time.Duration(n)) }
