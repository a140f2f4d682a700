package producer

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nobody is not a callback.
func nobody() bool { return false }

// take gets n bytes that are there.
func take(t *testing.T, p *bufferPool, n int) []byte {
	t.Helper()
	m, err := p.get(t.Context(), n, new(time.Time))
	require.NoError(t, err)
	require.Zero(t, len(m.more))
	return m.chunk
}

func give(p *bufferPool, chunks ...[]byte) { p.put(chunks, 0) }

func TestBufferPool_Get_ChargesWholeClasses(t *testing.T) {
	p := newBufferPool(64<<10, 0, func() {}, nobody)
	for _, tc := range []struct{ ask, charged int }{
		{1, 256}, {256, 256}, {257, 512}, {5000, 8 << 10}, {16 << 10, 16 << 10},
	} {
		chunk := take(t, p, tc.ask)
		assert.Len(t, chunk, tc.charged)
		assert.Equal(t, int64(tc.charged), p.inUse())
		give(p, chunk)
		assert.Zero(t, p.inUse())
	}
}

func TestBufferPool_Get_MoreThanTheLargestClass(t *testing.T) {
	p := newBufferPool(100_000, 0, func() {}, nobody)
	for _, tc := range []struct {
		ask    int
		chunks []int
	}{
		{maxChunk + 1, []int{maxChunk, 256}},
		{2 * maxChunk, []int{maxChunk, maxChunk}},
		{5*maxChunk + 5000, []int{maxChunk, maxChunk, maxChunk, maxChunk, maxChunk, 8 << 10}},
		{100_000, []int{maxChunk, maxChunk, maxChunk, maxChunk, maxChunk, maxChunk, 100_000 - 6*maxChunk}}, // all there is
	} {
		var first *byte
		for range 2 {
			m, err := p.get(t.Context(), tc.ask, new(time.Time))
			require.NoError(t, err)
			var sizes []int
			chunks := append([][]byte{m.chunk}, m.more...)
			for _, c := range chunks {
				sizes = append(sizes, len(c))
			}
			assert.Equal(t, tc.chunks, sizes)
			assert.Equal(t, int64(m.size()), p.inUse())
			if first != nil {
				assert.True(t, slices.ContainsFunc(chunks, func(c []byte) bool { return &c[0] == first }), "used again")
			}
			first = &m.chunk[0]
			give(p, chunks...)
			assert.Zero(t, p.inUse())
			assert.LessOrEqual(t, p.kept, p.total)
		}
	}
}

func TestBufferPool_Get_SmallPool(t *testing.T) {
	p := newBufferPool(700, 0, func() {}, nobody)
	assert.Len(t, take(t, p, 700), 700, "a class that does not fit is not rounded up to")
}

func TestBufferPool_Get_ReusesLastIn(t *testing.T) {
	p := newBufferPool(64<<10, 0, func() {}, nobody)
	a, b := take(t, p, 512), take(t, p, 512)
	give(p, a, b)
	c := take(t, p, 512)
	assert.Same(t, &b[0], &c[0])
}

func TestBufferPool_Put_KeptMemoryGivesWay(t *testing.T) {
	p := newBufferPool(4096, 0, func() {}, nobody)
	chunks := [][]byte{take(t, p, 1024), take(t, p, 1024), take(t, p, 1024), take(t, p, 1024)}
	give(p, chunks...)
	assert.Equal(t, int64(4096), p.kept)
	take(t, p, 2048)
	assert.LessOrEqual(t, p.kept+p.inUse(), int64(4096))
}

func TestBufferPool_Get_TimedOutWaiterLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := 0
		p := newBufferPool(maxChunk, 50*time.Millisecond, func() { waits++ }, nobody)
		all := take(t, p, maxChunk)
		start := time.Now()
		_, err := p.get(t.Context(), maxChunk, new(time.Time))
		assert.ErrorIs(t, err, ErrBufferExhausted)
		assert.ErrorIs(t, err, ErrTimeout)
		assert.Equal(t, 50*time.Millisecond, time.Since(start))
		assert.Empty(t, p.waiters)
		got := make(chan error)
		go func() {
			deadline := time.Now().Add(time.Second)
			m, err := p.get(t.Context(), 1024, &deadline)
			give(p, m.chunk)
			got <- err
		}()
		synctest.Wait()
		give(p, all)
		assert.NoError(t, <-got)
		assert.Zero(t, p.inUse())
		assert.Equal(t, 2, waits)
	})
}

func TestBufferPool_Get_FirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBufferPool(4096, time.Minute, func() {}, nobody)
		small, rest, more := take(t, p, 1024), take(t, p, 1024), take(t, p, 2048)
		var order []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i, n := range []int{4096, 256} {
			wg.Go(func() {
				m, err := p.get(t.Context(), n, new(time.Time))
				assert.NoError(t, err)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				give(p, m.chunk)
			})
			synctest.Wait()
		}
		give(p, small)
		synctest.Wait()
		assert.Empty(t, order, "the small one does not overtake")
		give(p, rest, more)
		wg.Wait()
		assert.Equal(t, []int{0, 1}, order)
	})
}

func TestBufferPool_Get_CancelledWaiterPassesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBufferPool(4096, time.Minute, func() {}, nobody)
		all := take(t, p, 4096)
		ctx, cancel := context.WithCancel(t.Context())
		big, little := make(chan error), make(chan error)
		go func() { _, err := p.get(ctx, 4096, new(time.Time)); big <- err }()
		synctest.Wait()
		go func() { _, err := p.get(t.Context(), 256, new(time.Time)); little <- err }()
		synctest.Wait()
		p.mu.Lock()
		p.used -= 1024 // some memory, not enough for the first
		p.mu.Unlock()
		cancel()
		assert.ErrorIs(t, <-big, context.Canceled)
		assert.NoError(t, <-little)
		p.mu.Lock()
		p.used += 1024
		p.mu.Unlock()
		give(p, all, make([]byte, 256))
		assert.Zero(t, p.inUse())
	})
}

func TestBufferPool_Close_FailsWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBufferPool(1024, time.Hour, func() {}, nobody)
		all := take(t, p, 1024)
		errs := make(chan error)
		for range 10 {
			go func() { _, err := p.get(t.Context(), 512, new(time.Time)); errs <- err }()
		}
		synctest.Wait()
		p.close()
		for range 10 {
			assert.ErrorIs(t, <-errs, ErrClosed)
		}
		_, err := p.get(t.Context(), 1, new(time.Time))
		assert.ErrorIs(t, err, ErrClosed)
		give(p, all)
		assert.Zero(t, p.inUse())
	})
}

func TestBufferPool_Get_Stress(t *testing.T) {
	p := newBufferPool(32<<10, time.Minute, func() {}, nobody)
	var wg sync.WaitGroup
	for g := range 8 {
		rng := rand.New(rand.NewPCG(uint64(g), 1))
		wg.Go(func() {
			for range 2000 {
				ctx, cancel := context.WithCancel(context.Background())
				if rng.IntN(8) == 0 {
					cancel()
				}
				m, err := p.get(ctx, 1+rng.IntN(20<<10), new(time.Time))
				if err == nil {
					keep := rng.IntN(100)
					p.put(append(m.more, m.chunk), keep)
					p.uncharge(keep)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, p.inUse())
	assert.Empty(t, p.waiters)
	assert.Zero(t, p.waiting.Load())
}
