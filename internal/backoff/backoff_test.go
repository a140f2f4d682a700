package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/internal/backoff"
)

func always(x float64) func() float64 { return func() float64 { return x } }

func TestExponential_Delay_FollowsTheFormula(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name         string
		initial, max time.Duration
		jitter       float64
		failures     int
		want         time.Duration
	}{
		{"first wait, middle of the jitter", 100 * ms, 1000 * ms, 0.5, 0, 100 * ms},
		{"first wait, lowest jitter", 100 * ms, 1000 * ms, 0, 0, 80 * ms},
		{"doubles", 100 * ms, 1000 * ms, 0.5, 1, 200 * ms},
		{"doubles again", 100 * ms, 1000 * ms, 0.5, 3, 800 * ms},
		{"exponent stops at log2(max/initial)", 100 * ms, 1000 * ms, 0, 4, 800 * ms},
		{"stays there", 100 * ms, 1000 * ms, 0, math.MaxInt, 800 * ms},
		{"cap comes after jitter", 100 * ms, 1000 * ms, 0.9, 10, 1000 * ms},
		{"negative count is the first wait", 100 * ms, 1000 * ms, 0.5, -3, 100 * ms},
		{"max equal to initial: constant, no jitter", 100 * ms, 100 * ms, 0, 5, 100 * ms},
		{"max below initial: max, no jitter", 100 * ms, 50 * ms, 0, 0, 50 * ms},
		{"zero initial", 0, 1000 * ms, 0.5, 7, 0},
		{"zero initial and max", 0, 0, 0.5, 7, 0},
		{"zero max", 100 * ms, 0, 0.5, 7, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := backoff.Exponential{Initial: tt.initial, Max: tt.max, Jitter: always(tt.jitter)}
			assert.InDelta(t, tt.want, e.Delay(tt.failures), float64(10*time.Nanosecond))
		})
	}
}

func TestExponential_Delay_StaysInBoundsWithItsOwnRandomness(t *testing.T) {
	e := backoff.Exponential{Initial: 50 * time.Millisecond, Max: time.Second}
	for n := range 200 {
		d := e.Delay(n % 8)
		low := 0.8 * math.Min(float64(e.Initial)*math.Exp2(float64(n%8)), float64(e.Max))
		assert.GreaterOrEqual(t, float64(d), low-10)
		assert.LessOrEqual(t, d, e.Max)
	}
}
