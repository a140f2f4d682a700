package sink

import (
	"encoding/binary"
	"fmt"
)

// produce.go owns Produce, the only request whose cost matters: of the records, only the headers of their batches are
// read.

// Where the header of a v2 batch has what is read here, and how long it is.
const (
	batchLengthAt  = 8
	batchLengthTo  = 12 // the length counts from here
	batchMagicAt   = 16
	batchRecordsAt = 57
	batchHeader    = 61
)

// Error codes of Produce.
const (
	errorNone             = 0
	errorUnknownPartition = 3
)

// produce appends the response body, and returns the acks that were asked for.
func (s *Server) produce(out []byte, c *cursor, version int16) ([]byte, int16, error) {
	c.string() // transactional id
	acks := c.int16()
	c.int32() // timeout
	topics := c.length()
	out = appendLength(out, topics, c.flex)
	var sum tally
	for ; topics > 0 && !c.bad; topics-- {
		out = s.produceTopic(out, c, version, &sum)
	}
	c.tags()
	out = binary.BigEndian.AppendUint32(out, 0) // throttle time
	out = appendTags(out, c.flex)
	if c.bad {
		return out, acks, fmt.Errorf("produce: %w", errShort)
	}
	s.count.requests.Add(1)
	s.count.batches.Add(sum.batches)
	s.count.records.Add(sum.records)
	return out, acks, nil
}

// tally is what one request holds.
type tally struct{ batches, records int64 }

func (s *Server) produceTopic(out []byte, c *cursor, version int16, sum *tally) []byte {
	be := binary.BigEndian
	name := c.string()
	if c.flex {
		out = binary.AppendUvarint(out, uint64(len(name)+1))
	} else {
		out = be.AppendUint16(out, uint16(len(name)))
	}
	out = append(out, name...)
	t := s.topics.named(name)
	partitions := c.length()
	out = appendLength(out, partitions, c.flex)
	for ; partitions > 0 && !c.bad; partitions-- {
		index := c.int32()
		batches := c.take(c.length())
		c.tags()
		code, offset := uint16(errorUnknownPartition), int64(-1)
		if 0 <= index && int(index) < len(t.next) {
			n := s.countBatches(t, index, batches, sum)
			code, offset = errorNone, t.next[index].Add(n)-n
		}
		out = be.AppendUint32(out, uint32(index))
		out = be.AppendUint16(out, code)
		out = be.AppendUint64(out, uint64(offset))
		out = be.AppendUint64(out, 1<<64-1) // log append time: none
		if version >= 5 {
			out = be.AppendUint64(out, 0) // log start offset
		}
		if version >= 8 && c.flex {
			out = append(out, 1, 0) // no record errors, no message
		} else if version >= 8 {
			out = append(out, 0, 0, 0, 0, 0xff, 0xff)
		}
		out = appendTags(out, c.flex)
	}
	c.tags()
	return appendTags(out, c.flex)
}

// countBatches adds a partition's batches to sum and returns how many records they have.
func (s *Server) countBatches(t *topic, partition int32, b []byte, sum *tally) (records int64) {
	for len(b) > 0 {
		if len(b) < batchHeader || b[batchMagicAt] != 2 {
			s.problem(&s.count.badRecords, "%s-%d: not a v2 batch", t.name, partition)
			break
		}
		size := batchLengthTo + int(int32(binary.BigEndian.Uint32(b[batchLengthAt:])))
		if size < batchHeader || size > len(b) {
			s.problem(&s.count.badRecords, "%s-%d: a batch of %d bytes in %d", t.name, partition, size, len(b))
			break
		}
		records += int64(binary.BigEndian.Uint32(b[batchRecordsAt:]))
		sum.batches++
		if s.cfg.Verify {
			s.verify(t, partition, b[:size])
		}
		b = b[size:]
	}
	sum.records += records
	return records
}

func appendLength(out []byte, n int, flex bool) []byte {
	if flex {
		return binary.AppendUvarint(out, uint64(n+1))
	}
	return binary.BigEndian.AppendUint32(out, uint32(n))
}

func appendTags(out []byte, flex bool) []byte {
	if flex {
		return append(out, 0)
	}
	return out
}
