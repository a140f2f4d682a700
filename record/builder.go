package record

import (
	"encoding/binary"
	"hash/crc32"
)

// builder.go owns the writing of a batch. A Builder has no lock: whoever owns the batch owns it.

// HeaderSize is the number of bytes in front of a batch's records.
const HeaderSize = 61

// maxOverhead bounds what a record costs beyond its key, value and headers with their lengths:
// length 5, attributes 1, timestamp delta 10, offset delta 5.
const maxOverhead = 21

// Offsets of header fields, see the drawing in the package's comment.
const (
	offLength    = 8
	offEpoch     = 12
	offMagic     = 16
	offCRC       = 17
	offAttrs     = 21
	offLastDelta = 23
	offBaseTime  = 27
	offMaxTime   = 35
	offProducer  = 43
	offProdEpoch = 51
	offSequence  = 53
	offCount     = 57
)

const magicV2 = 2

// castagnoli is read only.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header is a record header: a name and a value. A nil Value is null, an empty one is empty.
type Header struct {
	Key   string
	Value []byte
}

// UpperBound is an upper bound of the size, in bytes, of a batch holding just this record
// uncompressed: the estimate that max.request.size is compared with.
func UpperBound(key, value []byte, headers []Header) int {
	return HeaderSize + maxOverhead + payloadSize(key, value, headers)
}

// payloadSize is the exact size of key, value and headers with their lengths.
func payloadSize(key, value []byte, headers []Header) int {
	n := bytesSize(key) + bytesSize(value) + varintLen(int64(len(headers)))
	for i := range headers {
		h := &headers[i]
		n += varintLen(int64(len(h.Key))) + len(h.Key) + bytesSize(h.Value)
	}
	return n
}

func bytesSize(b []byte) int {
	if b == nil {
		return 1
	}
	return varintLen(int64(len(b))) + len(b)
}

// Builder writes the records of one batch into chunks of memory handed to it. Records may span
// chunks, so that a batch needs no more memory than it has bytes. The zero Builder is closed;
// Open opens it.
type Builder struct {
	full   [][]byte // earlier chunks, cut to what is written
	buf    []byte   // the chunk being written; all of it may be used
	end    int      // bytes written to buf
	before int      // bytes written to full
	count  int32
	codec  Codec
	base   int64 // timestamps in ms
	max    int64
	first  [4][]byte // full, while it is short
}

// Open starts an empty batch in chunk, which must have at least HeaderSize bytes.
func (b *Builder) Open(chunk []byte) {
	if b.full == nil {
		b.full = b.first[:0]
	}
	b.buf, b.end = chunk, HeaderSize
	b.full, b.before, b.count, b.codec = b.full[:0], 0, 0, CodecNone
}

// Size is the number of bytes of the batch so far, header included.
func (b *Builder) Size() int { return b.before + b.end }

// Room is the number of bytes left in the current chunk.
func (b *Builder) Room() int { return len(b.buf) - b.end }

// Count is the number of records so far.
func (b *Builder) Count() int32 { return b.count }

// MaxTimestamp is the largest timestamp so far, in milliseconds; meaningless before the first record.
func (b *Builder) MaxTimestamp() int64 { return b.max }

// bodySize is the exact size the record has as the next one of this batch, its length field aside.
func (b *Builder) bodySize(timestamp int64, key, value []byte, headers []Header) int {
	delta := timestamp - b.base
	if b.count == 0 {
		delta = 0
	}
	return 1 + varintLen(delta) + varintLen(int64(b.count)) + payloadSize(key, value, headers)
}

// TryAppend writes a record into the current chunk and returns its size. It does nothing but return
// the size when the chunk has no room for it, or when the batch would outgrow limit bytes; the first
// record of a batch may.
func (b *Builder) TryAppend(limit int, timestamp int64, key, value []byte, headers []Header) (size int, ok bool) {
	body := b.bodySize(timestamp, key, value, headers)
	size = varintLen(int64(body)) + body
	if size > b.Room() || b.Size()+size > limit && b.count > 0 {
		return size, false
	}
	buf := b.buf
	i := b.putHead(buf, b.end, body, timestamp)
	i = putBytes(buf, i, key)
	i = putBytes(buf, i, value)
	i = putVarint(buf, i, int64(len(headers)))
	for j := range headers {
		h := &headers[j]
		i = putVarint(buf, i, int64(len(h.Key)))
		i += copy(buf[i:], h.Key)
		i = putBytes(buf, i, h.Value)
	}
	b.end = i
	return size, true
}

// putHead counts the record in and writes what stands before its key.
func (b *Builder) putHead(buf []byte, i, body int, timestamp int64) int {
	if b.count == 0 {
		b.base, b.max = timestamp, timestamp
	} else if timestamp > b.max {
		b.max = timestamp
	}
	i = putVarint(buf, i, int64(body))
	buf[i] = 0 // attributes
	i = putVarint(buf, i+1, timestamp-b.base)
	i = putVarint(buf, i, int64(b.count))
	b.count++
	return i
}

func putBytes(buf []byte, i int, x []byte) int {
	if x == nil {
		return putVarint(buf, i, -1)
	}
	i = putVarint(buf, i, int64(len(x)))
	return i + copy(buf[i:], x)
}

// AppendAcross writes a record that does not fit in the current chunk: it fills that one, then goes
// on in next, and then in more. It returns those of more that were not needed. The size TryAppend told
// must be more than Room, and at most Room plus what next and more have.
func (b *Builder) AppendAcross(next []byte, more [][]byte, timestamp int64, key, value []byte, headers []Header) (rest [][]byte) {
	body := b.bodySize(timestamp, key, value, headers)
	var scratch [maxOverhead + 5]byte
	s := supply{next, more}
	b.write(&s, scratch[:b.putHead(scratch[:], 0, body, timestamp)])
	b.writeBytes(&s, scratch[:], key)
	b.writeBytes(&s, scratch[:], value)
	b.write(&s, scratch[:putVarint(scratch[:], 0, int64(len(headers)))])
	for i := range headers {
		h := &headers[i]
		b.write(&s, scratch[:putVarint(scratch[:], 0, int64(len(h.Key)))])
		for k := h.Key; len(k) > 0; { // in pieces: a string is not a []byte
			n := copy(scratch[:], k)
			b.write(&s, scratch[:n])
			k = k[n:]
		}
		b.writeBytes(&s, scratch[:], h.Value)
	}
	return s.more
}

func (b *Builder) writeBytes(s *supply, scratch, x []byte) {
	if x == nil {
		b.write(s, scratch[:putVarint(scratch, 0, -1)])
		return
	}
	b.write(s, scratch[:putVarint(scratch, 0, int64(len(x)))])
	b.write(s, x)
}

// write copies x over the end of the current chunk, and over that of each next one when it is full.
func (b *Builder) write(s *supply, x []byte) {
	for {
		n := copy(b.buf[b.end:], x)
		b.end += n
		if x = x[n:]; len(x) == 0 {
			return
		}
		b.full = append(b.full, b.buf[:b.end])
		b.before += b.end
		b.buf, b.end = s.take(), 0
	}
}

// supply is the chunks that a record goes on in.
type supply struct {
	next []byte // nil: taken
	more [][]byte
}

func (s *supply) take() []byte {
	c := s.next
	if s.next = nil; c == nil {
		c, s.more = s.more[0], s.more[1:]
	}
	return c
}

// Stamp is what Seal writes into a batch beside the records: who sends it, and how.
type Stamp struct {
	ProducerID    int64 // -1: not idempotent
	ProducerEpoch int16 // -1: not idempotent
	BaseSequence  int32 // -1: not idempotent
	Transactional bool
}

// NoProducer is the Stamp of a batch sent without idempotence.
func NoProducer() Stamp { return Stamp{ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1} }

// Seal writes header and checksum. The batch must hold a record. It may be sealed again with another
// stamp, as long as nothing is reading its chunks.
func (b *Builder) Seal(s Stamp) {
	h := b.head()
	be := binary.BigEndian
	be.PutUint64(h, 0)
	be.PutUint32(h[offLength:], uint32(b.Size()-offEpoch))
	be.PutUint32(h[offEpoch:], 0xffffffff)
	h[offMagic] = magicV2
	attrs := uint16(b.codec)
	if s.Transactional {
		attrs |= attrTransactional
	}
	be.PutUint16(h[offAttrs:], attrs)
	be.PutUint32(h[offLastDelta:], uint32(b.count-1))
	be.PutUint64(h[offBaseTime:], uint64(b.base))
	be.PutUint64(h[offMaxTime:], uint64(b.max))
	be.PutUint64(h[offProducer:], uint64(s.ProducerID))
	be.PutUint16(h[offProdEpoch:], uint16(s.ProducerEpoch))
	be.PutUint32(h[offSequence:], uint32(s.BaseSequence))
	be.PutUint32(h[offCount:], uint32(b.count))
	be.PutUint32(h[offCRC:], b.checksum())
}

// head is the chunk that begins with the batch's header.
func (b *Builder) head() []byte {
	if len(b.full) > 0 {
		return b.full[0]
	}
	return b.buf[:b.end]
}

func (b *Builder) checksum() uint32 {
	crc := crc32.Update(0, castagnoli, b.head()[offAttrs:])
	if len(b.full) > 0 {
		for _, c := range b.full[1:] {
			crc = crc32.Update(crc, castagnoli, c)
		}
		crc = crc32.Update(crc, castagnoli, b.buf[:b.end])
	}
	return crc
}

// AppendChunks appends the batch's bytes to dst, chunk by chunk; they stay the batch's memory.
func (b *Builder) AppendChunks(dst [][]byte) [][]byte {
	dst = append(dst, b.full...)
	return append(dst, b.buf[:b.end])
}

// AppendRecords appends the bytes behind the batch's header to dst, chunk by chunk: what a codec
// compresses.
func (b *Builder) AppendRecords(dst [][]byte) [][]byte {
	n := len(dst)
	dst = b.AppendChunks(dst)
	dst[n] = dst[n][HeaderSize:]
	return dst
}

// Replace makes compressed, which must be smaller than the records are, the batch's records. No more
// can be appended. Chunks that are no longer needed are appended to free at their whole capacity.
func (b *Builder) Replace(codec Codec, compressed []byte, free [][]byte) [][]byte {
	chunks := append(b.full, b.buf)
	b.full, b.before, b.codec = b.full[:0], 0, codec
	at := HeaderSize
	for i, c := range chunks {
		c = c[:cap(c)]
		switch {
		case at < 0:
			free = append(free, c)
			chunks[i] = nil
		default:
			n := copy(c[at:], compressed)
			b.buf, b.end, compressed = c, at+n, compressed[n:]
			if at = 0; len(compressed) == 0 {
				at = -1
				continue
			}
			b.full = append(b.full, c)
			b.before += len(c)
		}
	}
	return free
}

// Codec is what the records are compressed with.
func (b *Builder) Codec() Codec { return b.codec }

// Close empties the Builder and appends its chunks, at their whole capacity, to dst.
func (b *Builder) Close(dst [][]byte) [][]byte {
	for _, c := range b.full {
		dst = append(dst, c[:cap(c)])
	}
	if b.buf != nil {
		dst = append(dst, b.buf[:cap(b.buf)])
	}
	clear(b.full)
	b.full, b.buf = b.full[:0], nil
	b.end, b.before, b.count = 0, 0, 0
	return dst
}
