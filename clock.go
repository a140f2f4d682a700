package producer

import (
	"sync/atomic"
	"time"
)

// clock.go owns the producer's time. Any goroutine may read it; the Sender alone sets coarse.

// clock counts nanoseconds from the producer's start, which no change of the system's time disturbs.
type clock struct {
	start time.Time

	// coarse is the wall clock in milliseconds, at most about a millisecond old; zero while the Sender
	// sleeps too long to keep it so.
	coarse atomic.Int64
}

func (c *clock) now() int64 { return int64(time.Since(c.start)) }

// at is the time that n nanoseconds of the clock stand for.
func (c *clock) at(n int64) time.Time { return c.start.Add(time.Duration(n)) }
