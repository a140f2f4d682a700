package producer

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Nothing comes up early or twice, and nothing comes up late by more than a tick.
func TestWheel_Expire_Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		w := newWheel(64, time.Millisecond)
		due := map[*queue]int64{}
		now := int64(0)
		for range 2000 {
			now += rng.Int64N(3 * int64(time.Millisecond))
			for range rng.IntN(3) {
				q := &queue{}
				due[q] = now + rng.Int64N(60*int64(time.Millisecond))
				w.add(q, due[q])
			}
			if at, ok := w.next(); assert.Equal(t, len(due) > 0, ok) && ok {
				for _, d := range due {
					assert.LessOrEqual(t, at, d+int64(time.Millisecond))
				}
			}
			for _, q := range w.expire(now) {
				at, filed := due[q]
				assert.True(t, filed, "filed once")
				assert.LessOrEqual(t, at, now+int64(time.Millisecond))
				delete(due, q)
			}
			for _, d := range due {
				assert.Greater(t, d+int64(time.Millisecond), now-int64(time.Millisecond))
			}
			assert.Equal(t, len(due), w.n)
		}
	}
}

func TestWheel_Expire_BeyondItsReachComesUpSooner(t *testing.T) {
	w := newWheel(8, time.Millisecond)
	q := &queue{}
	w.add(q, int64(time.Hour))
	at, ok := w.next()
	assert.True(t, ok)
	assert.Equal(t, int64(7*time.Millisecond), at)
	assert.Empty(t, w.expire(int64(6*time.Millisecond)))
	assert.Equal(t, []*queue{q}, w.expire(int64(7*time.Millisecond)))
}

func TestWheel_Expire_AfterALongSleep(t *testing.T) {
	w := newWheel(8, time.Millisecond)
	a, b := &queue{}, &queue{}
	w.add(a, 1)
	assert.Equal(t, []*queue{a}, w.expire(int64(time.Hour)))
	w.add(b, int64(time.Hour+3*time.Millisecond))
	assert.Empty(t, w.expire(int64(time.Hour+2*time.Millisecond)))
	assert.Equal(t, []*queue{b}, w.expire(int64(time.Hour+3*time.Millisecond)))
}

func TestWheel_All(t *testing.T) {
	w := newWheel(8, time.Millisecond)
	w.add(&queue{}, 0)
	w.add(&queue{}, int64(5*time.Millisecond))
	assert.Len(t, w.all(), 2)
	assert.Empty(t, w.all())
	_, ok := w.next()
	assert.False(t, ok)
}
