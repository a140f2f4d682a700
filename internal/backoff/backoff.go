// Package backoff computes how long to wait after a number of failures: exponential growth, a cap, and jitter
// that keeps many clients from coming back in step.
//
// It owns no state and starts nothing; every value may be used from any goroutine.
package backoff

import (
	"math"
	"math/rand/v2"
	"time"
)

// Exponential is a schedule of waits: Initial doubled per failure up to Max, times a random factor in [0.8, 1.2),
// and never more than Max. The zero value never waits.
type Exponential struct {
	// Initial is the wait after the first failure. Zero or negative: no wait, whatever Max is.
	Initial time.Duration
	// Max bounds every wait, jitter included. When it is not above Initial every wait is exactly Max, without jitter.
	Max time.Duration
	// Jitter returns a number in [0, 1). Nil: math/rand/v2.
	Jitter func() float64
}

// Delay returns the wait after the given number of earlier failures: zero (or a negative number) gives the first
// wait of the schedule.
func (e Exponential) Delay(failures int) time.Duration {
	if e.Initial <= 0 || e.Max <= 0 {
		return 0
	}
	if e.Max <= e.Initial {
		return e.Max
	}
	ceiling := math.Log2(float64(e.Max) / float64(e.Initial))
	exponent := math.Min(float64(max(failures, 0)), ceiling)
	wait := float64(e.Initial) * math.Exp2(exponent) * (0.8 + 0.4*e.random())
	return time.Duration(math.Min(wait, float64(e.Max)))
}

// random draws from the schedule's source.
func (e Exponential) random() float64 {
	if e.Jitter == nil {
		return rand.Float64()
	}
	return e.Jitter()
}
