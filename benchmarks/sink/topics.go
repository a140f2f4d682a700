package sink

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// topics.go owns what is remembered of topics: the next offsets and sequences.

// topics makes a topic when it is first named.
type topics struct {
	partitions int

	mu     sync.RWMutex // guards byName
	byName map[string]*topic
}

type topic struct {
	name string
	id   [16]byte
	next []atomic.Int64 // offset, by partition

	mu        sync.Mutex // guards sequences
	sequences map[producerPartition]int32
}

// producerPartition is who numbers batches, and where.
type producerPartition struct {
	id        int64
	epoch     int16
	partition int32
}

func (ts *topics) named(name []byte) *topic {
	ts.mu.RLock()
	t := ts.byName[string(name)]
	ts.mu.RUnlock()
	if t != nil {
		return t
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t = ts.byName[string(name)]; t != nil {
		return t
	}
	if ts.byName == nil {
		ts.byName = make(map[string]*topic)
	}
	t = &topic{
		name: string(name), next: make([]atomic.Int64, ts.partitions),
		sequences: make(map[producerPartition]int32),
	}
	binary.BigEndian.PutUint64(t.id[8:], uint64(len(ts.byName)+1))
	ts.byName[t.name] = t
	return t
}

func (ts *topics) all() []*topic {
	ts.mu.RLock()
	defer ts.mu.RUnlock()
	var all []*topic
	for _, t := range ts.byName {
		all = append(all, t)
	}
	return all
}

// withID is nil if there is no such topic.
func (ts *topics) withID(id [16]byte) *topic {
	for _, t := range ts.all() {
		if t.id == id {
			return t
		}
	}
	return nil
}

// sequence notes a batch of n records that begins at first, and returns what should have come.
func (t *topic) sequence(p producerPartition, first, n int32) (want int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	want = t.sequences[p]
	t.sequences[p] = (first + n) & 0x7fffffff
	return want
}
