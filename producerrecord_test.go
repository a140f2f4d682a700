package producer

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestHeaders(t *testing.T) {
	h := Headers{{Key: "a", Value: []byte("1")}, {Key: "b"}, {Key: "a", Value: []byte("2")}}
	v, ok := h.Last("a")
	assert.True(t, ok)
	assert.Equal(t, "2", string(v))
	v, ok = h.Last("b")
	assert.True(t, ok)
	assert.Nil(t, v)
	_, ok = h.Last("c")
	assert.False(t, ok)
	assert.Equal(t, [][]byte{[]byte("1"), []byte("2")}, slices.Collect(h.All("a")))
	for range h.All("a") {
		break
	}
	more := h[:2].With("c", []byte("3"))
	assert.Equal(t, "a", h[2].Key, "the original and its array stay as they are")
	assert.Equal(t, "c", more[2].Key)
	assert.Equal(t, Headers{{Key: "b"}}, h.Without("a"))
	assert.Empty(t, Headers(nil).Without("a"))
}

func TestFuture_Zero(t *testing.T) {
	m, err := Future{}.Get(t.Context())
	assert.ErrorIs(t, err, ErrInvalidState)
	assert.Equal(t, int32(-1), m.Partition)
	assert.Nil(t, Future{}.Done())
}

func TestFuture_Done(t *testing.T) {
	o := &outcome{topic: "t"}
	f := Future{outcome: o, timestamp: 5}
	before := f.Done()
	assert.False(t, isClosed(before))
	o.publish(7, -1, nil)
	assert.True(t, isClosed(before))
	assert.True(t, isClosed(f.Done()))
	late := &outcome{}
	late.publish(-1, -1, nil)
	assert.True(t, isClosed(Future{outcome: late}.Done()))
	m, err := f.Get(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, RecordMetadata{TopicPartition{"t", 0}, 7, time.UnixMilli(5), 0, 0}, m)
}
