package producer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func TestPending_Flush_WaitsForEarlierBatchesOnly(t *testing.T) {
	p := newPending()
	a, err := p.add()
	require.NoError(t, err)
	first, over := p.flush()
	assert.Equal(t, a, first)
	b, err := p.add()
	require.NoError(t, err)
	assert.Greater(t, b, a)
	_, second := p.flush()
	assert.False(t, isClosed(over))
	p.done(b)
	assert.False(t, isClosed(second), "the first flight is not over")
	p.done(a)
	assert.True(t, isClosed(over))
	assert.True(t, isClosed(second))
}

func TestPending_Flush_NothingThere(t *testing.T) {
	p := newPending()
	for range 3 {
		_, over := p.flush()
		assert.True(t, isClosed(over))
	}
	assert.Len(t, p.counts, 1, "empty flights are forgotten")
}

func TestPending_Close_RefusesMore(t *testing.T) {
	p := newPending()
	a, err := p.add()
	require.NoError(t, err)
	p.close()
	_, err = p.add()
	assert.ErrorIs(t, err, ErrClosed)
	_, over := p.flush()
	assert.False(t, isClosed(over))
	p.done(a)
	assert.True(t, isClosed(over))
}
