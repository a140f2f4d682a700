package sink

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// verify.go owns the checks of Config.Verify.

// castagnoli is never written: hash/crc32 offers the table as a pointer only.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Where the header of a v2 batch has what is checked.
const (
	batchCRCAt        = 17
	batchAttributesAt = 21 // and what the checksum covers
	batchLastOffsetAt = 23
	batchProducerAt   = 43
	batchEpochAt      = 51
	batchSequenceAt   = 53
	codecMask         = 7
)

// verify checks one batch.
func (s *Server) verify(t *topic, partition int32, b []byte) {
	be := binary.BigEndian
	if got, want := be.Uint32(b[batchCRCAt:]), crc32.Checksum(b[batchAttributesAt:], castagnoli); got != want {
		s.problem(&s.count.badCRC, "%s-%d: the checksum is %08x, should be %08x", t.name, partition, got, want)
	}
	records := int32(be.Uint32(b[batchRecordsAt:]))
	if last := int32(be.Uint32(b[batchLastOffsetAt:])); last != records-1 {
		s.problem(&s.count.badRecords, "%s-%d: the last of %d records has offset %d", t.name, partition, records, last)
	}
	if id := int64(be.Uint64(b[batchProducerAt:])); id >= 0 {
		p := producerPartition{id, int16(be.Uint16(b[batchEpochAt:])), partition}
		got := int32(be.Uint32(b[batchSequenceAt:]))
		if want := t.sequence(p, got, records); got != want {
			s.problem(&s.count.badSequence, "%s-%d: producer %d epoch %d sends sequence %d, should be %d",
				t.name, partition, p.id, p.epoch, got, want)
		}
	}
	if be.Uint16(b[batchAttributesAt:])&codecMask != 0 {
		return // compressed
	}
	if err := s.verifyRecords(b[batchHeader:], int(records)); err != nil {
		s.problem(&s.count.badRecords, "%s-%d: %v", t.name, partition, err)
	}
}

// verifyRecords walks the records of a batch.
func (s *Server) verifyRecords(b []byte, records int) error {
	all := &cursor{b: b}
	var keys, values int64
	for i := range records {
		r := &cursor{b: all.take(all.varint())}
		r.take(1)  // attributes
		r.varint() // timestamp
		offset := r.varint()
		keys += int64(len(r.take(max(r.varint(), 0))))
		values += int64(len(r.take(max(r.varint(), 0))))
		for n := r.varint(); n > 0 && !r.bad; n-- { // headers
			r.take(r.varint())
			r.take(max(r.varint(), 0))
		}
		switch {
		case all.bad || r.bad:
			return fmt.Errorf("record %d of %d is cut", i, records)
		case len(r.b) > 0:
			return fmt.Errorf("record %d of %d has %d bytes too many", i, records, len(r.b))
		case offset != i:
			return fmt.Errorf("record %d of %d has offset %d", i, records, offset)
		}
	}
	if len(all.b) > 0 {
		return fmt.Errorf("%d bytes follow the last of %d records", len(all.b), records)
	}
	s.count.keyBytes.Add(keys)
	s.count.valueBytes.Add(values)
	return nil
}
