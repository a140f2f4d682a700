package producer

import (
	"iter"
	"strconv"
	"time"

	"github.com/kafka-go-producer/producer/record"
)

// producerrecord.go owns the records users send and what they learn about them. All are values.

// Record is a message to send. The zero value of every field but Topic is a sensible default.
type Record[K, V any] struct {
	Topic     string
	Partition RecordPartition // zero: the partitioner chooses
	Key       K               // "" where K is string, and whatever its serializer turns into nil, means no key
	Value     V
	Tombstone bool      // send a null value; Value is not looked at
	Timestamp time.Time // zero: now; before 1970: an error
	Headers   Headers   // read until Send returns, never written
}

// RecordPartition is an optional partition number; its zero value means none.
type RecordPartition struct{ plus1 int32 }

// ToPartition pins a record to partition n. A negative n makes Send fail; an n the topic does not
// have makes Send wait, at most MaxBlock, for the partition to appear.
func ToPartition(n int32) RecordPartition {
	if n < 0 {
		return RecordPartition{-1}
	}
	return RecordPartition{n + 1}
}

// Header is a name and a value; a nil Value is null.
type Header = record.Header

// Headers is an ordered multimap: names may repeat.
type Headers []Header

// Last returns the value of the last header called key.
func (h Headers) Last(key string) (value []byte, ok bool) {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Key == key {
			return h[i].Value, true
		}
	}
	return nil, false
}

// All yields the values of every header called key, in order.
func (h Headers) All(key string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range h {
			if h[i].Key == key && !yield(h[i].Value) {
				return
			}
		}
	}
}

// With returns h plus one header; h and its array stay as they are.
func (h Headers) With(key string, value []byte) Headers {
	return append(h[:len(h):len(h)], Header{Key: key, Value: value})
}

// Without returns a copy of h that lacks the headers called key.
func (h Headers) Without(key string) Headers {
	var kept Headers
	for i := range h {
		if h[i].Key != key {
			kept = append(kept, h[i])
		}
	}
	return kept
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32 // -1: not chosen
}

// String gives topic-partition.
func (tp TopicPartition) String() string {
	return tp.Topic + "-" + strconv.Itoa(int(tp.Partition))
}

// RecordMetadata tells where a record went. Of a record that failed it names topic and partition
// only; Offset and the sizes are -1 and Timestamp is zero.
type RecordMetadata struct {
	TopicPartition
	Offset    int64     // -1: unknown, as with AcksNone or for a duplicate the broker recognised
	Timestamp time.Time // the broker's where the topic says LogAppendTime, else the record's; zero: unknown
	KeySize   int       // bytes; -1: null
	ValueSize int       // bytes; -1: null
}

// String gives topic-partition@offset.
func (m RecordMetadata) String() string {
	return m.TopicPartition.String() + "@" + strconv.FormatInt(m.Offset, 10)
}

// PartitionInfo describes a partition. What PartitionsFor returned is the caller's; a Partitioner must
// not change it.
type PartitionInfo struct {
	TopicPartition
	Leader     int32   // node id; -1: none known
	LeaderRack string  // "": it has none, or there is no leader
	Replicas   []int32 // node ids
	InSync     []int32 // node ids
}
