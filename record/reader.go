package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
)

// reader.go owns the reading of batches, from memory that may hold anything. It never panics and
// allocates nothing but the headers of a record, at most as many as its bytes can hold.

// ErrMalformed is what every error about unreadable bytes matches.
var ErrMalformed = errors.New("malformed record batch")

// Attribute bits of a batch.
const (
	attrCodec         = 0x07
	attrLogAppendTime = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20
)

// Batch is the header of a batch together with its records, not yet decoded.
type Batch struct {
	BaseOffset           int64
	PartitionLeaderEpoch int32
	Attributes           int16
	LastOffsetDelta      int32
	BaseTimestamp        int64 // ms
	MaxTimestamp         int64 // ms
	ProducerID           int64 // -1: none
	ProducerEpoch        int16 // -1: none
	BaseSequence         int32 // -1: none
	Count                int32

	records []byte
}

// Record is one record of a batch. Key, Value and header values point into the batch's memory;
// nil is null.
type Record struct {
	OffsetDelta int32
	Timestamp   int64 // ms
	Key, Value  []byte
	Headers     []Header
}

// Codec is how the records are compressed.
func (b *Batch) Codec() Codec { return Codec(b.Attributes & attrCodec) }

// LogAppendTime says that MaxTimestamp is the broker's clock and stands for every record's timestamp.
func (b *Batch) LogAppendTime() bool { return b.Attributes&attrLogAppendTime != 0 }

// Transactional says that the batch is part of a transaction.
func (b *Batch) Transactional() bool { return b.Attributes&attrTransactional != 0 }

// Control says that the batch holds a transaction marker and no records of users.
func (b *Batch) Control() bool { return b.Attributes&attrControl != 0 }

// ReadBatch reads the batch at the start of p and returns what follows it. It checks length, magic,
// checksum and count; the records are looked at by Records.
func ReadBatch(p []byte) (b Batch, rest []byte, err error) {
	if len(p) < HeaderSize {
		return Batch{}, nil, fmt.Errorf("%w: %d bytes are no header", ErrMalformed, len(p))
	}
	be := binary.BigEndian
	length := int64(int32(be.Uint32(p[offLength:])))
	if length < HeaderSize-offEpoch || length > int64(len(p)-offEpoch) {
		return Batch{}, nil, fmt.Errorf("%w: length %d with %d bytes there", ErrMalformed, length, len(p)-offEpoch)
	}
	if p[offMagic] != magicV2 {
		return Batch{}, nil, fmt.Errorf("%w: magic %d", ErrMalformed, p[offMagic])
	}
	end := offEpoch + int(length)
	if got, want := crc32.Checksum(p[offAttrs:end], castagnoli), be.Uint32(p[offCRC:]); got != want {
		return Batch{}, nil, fmt.Errorf("%w: checksum %08x, computed %08x", ErrMalformed, want, got)
	}
	b = Batch{
		BaseOffset:           int64(be.Uint64(p)),
		PartitionLeaderEpoch: int32(be.Uint32(p[offEpoch:])),
		Attributes:           int16(be.Uint16(p[offAttrs:])),
		LastOffsetDelta:      int32(be.Uint32(p[offLastDelta:])),
		BaseTimestamp:        int64(be.Uint64(p[offBaseTime:])),
		MaxTimestamp:         int64(be.Uint64(p[offMaxTime:])),
		ProducerID:           int64(be.Uint64(p[offProducer:])),
		ProducerEpoch:        int16(be.Uint16(p[offProdEpoch:])),
		BaseSequence:         int32(be.Uint32(p[offSequence:])),
		Count:                int32(be.Uint32(p[offCount:])),
		records:              p[HeaderSize:end],
	}
	if b.Count < 0 {
		return Batch{}, nil, fmt.Errorf("%w: %d records", ErrMalformed, b.Count)
	}
	return b, p[end:], nil
}

// maxUncompressed is how many bytes of records Records makes of a compressed batch at the most.
const maxUncompressed = 256 << 20

// Records yields the records in order; after an error it ends. Those of a compressed batch are
// decompressed first, into memory of their own.
func (b *Batch) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		p := b.records
		if c := b.Codec(); c != CodecNone {
			var err error
			if p, err = Decompress(nil, c, p, maxUncompressed); err != nil {
				yield(Record{}, err)
				return
			}
		}
		for i := range b.Count {
			r, rest, err := readRecord(p, b.BaseTimestamp)
			if err != nil {
				yield(Record{}, fmt.Errorf("record %d of %d: %w", i, b.Count, err))
				return
			}
			if b.LogAppendTime() {
				r.Timestamp = b.MaxTimestamp
			}
			if !yield(r, nil) {
				return
			}
			p = rest
		}
		if len(p) > 0 {
			yield(Record{}, fmt.Errorf("%w: %d bytes after the last record", ErrMalformed, len(p)))
		}
	}
}

// cursor reads fields off a record's bytes; once it failed it stays failed.
type cursor struct {
	p   []byte
	bad bool
}

func (c *cursor) varint(limit int) int64 {
	v, n := readVarint(c.p, limit)
	if n == 0 || limit == 5 && int64(int32(v)) != v {
		c.p, c.bad = nil, true
		return 0
	}
	c.p = c.p[n:]
	return v
}

// bytes reads a length and as many bytes; null is nil.
func (c *cursor) bytes() []byte {
	n := c.varint(5)
	if n == -1 || c.bad {
		return nil
	}
	if n < 0 || n > int64(len(c.p)) {
		c.p, c.bad = nil, true
		return nil
	}
	x := c.p[:n:n]
	c.p = c.p[n:]
	return x
}

func readRecord(p []byte, base int64) (r Record, rest []byte, err error) {
	c := cursor{p: p}
	n := c.varint(5)
	if c.bad || n < 1 || n > int64(len(c.p)) {
		return Record{}, nil, fmt.Errorf("%w: length %d with %d bytes there", ErrMalformed, n, len(c.p))
	}
	rest = c.p[n:]
	c.p = c.p[1:n] // attributes are unused
	r.Timestamp = base + c.varint(10)
	r.OffsetDelta = int32(c.varint(5))
	r.Key = c.bytes()
	r.Value = c.bytes()
	count := c.varint(5)
	if count < 0 || count > int64(len(c.p)/2) { // a header takes two bytes at least
		c.bad = true
	}
	if !c.bad && count > 0 {
		r.Headers = make([]Header, count)
		for i := range r.Headers {
			k := c.bytes()
			if k == nil {
				c.bad = true // a header's key is never null
			}
			r.Headers[i] = Header{Key: string(k), Value: c.bytes()}
		}
	}
	if c.bad || len(c.p) > 0 {
		return Record{}, nil, fmt.Errorf("%w: fields do not fill its %d bytes", ErrMalformed, n)
	}
	return r, rest, nil
}
