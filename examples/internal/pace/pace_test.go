package pace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPacer_Wait(t *testing.T) {
	for _, c := range []struct {
		name string
		rate float64
		n    int64
		want time.Duration
	}{
		{"no limit", -1, 1000, 0},
		{"a thousand at a hundred per second", 100, 1000, 10 * time.Second},
		{"less than one per second", 0.5, 4, 8 * time.Second},
		{"too short to sleep", 1e6, 1999, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				p := New(c.rate)
				for i := range c.n {
					p.Wait(t.Context(), i+1)
				}
				assert.Equal(t, c.want, time.Since(begun))
			})
		})
	}
}

func TestPacer_Wait_EndsWithItsContext(t *testing.T) {
	for _, rate := range []float64{0, 0.001} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begun := time.Now()
			New(rate).Wait(ctx, 1)
			assert.Equal(t, time.Second, time.Since(begun))
		})
	}
}
