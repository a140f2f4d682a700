// Package pace owns the speed at which the tools send. A Pacer belongs to the goroutine that sends.
package pace

import (
	"context"
	"math"
	"time"
)

// Pacer holds back who is faster than a rate.
type Pacer struct {
	rate  float64
	begun time.Time
}

// nap is what a sleep must be worth: shorter ones are caught up with the next.
const nap = 2 * time.Millisecond

// New returns a Pacer that starts now. A negative rate, in records per second, is none at all; zero lets
// nothing pass.
func New(rate float64) *Pacer { return &Pacer{rate: rate, begun: time.Now()} }

// Wait returns when it is time for the next record after n that were sent, or when ctx ends.
func (p *Pacer) Wait(ctx context.Context, n int64) {
	if p.rate < 0 {
		return
	}
	if p.rate == 0 {
		<-ctx.Done()
		return
	}
	due := min(float64(n)/p.rate*float64(time.Second), float64(math.MaxInt64/2))
	early := time.Duration(due) - time.Since(p.begun)
	if early < nap {
		return
	}
	timer := time.NewTimer(early)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
