// Package wire owns the hand-written bytes that the floor and the prototype share: v2 record batches without headers or
// compression, and the three requests they need. It checks nothing and keeps no state: a measuring instrument's encoder,
// apart from the library's so that neither can hide a fault of the other.
package wire

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// record.go owns records and the batch header.

// HeaderLen is how many bytes of a batch come before its records.
const HeaderLen = 61

// Where a batch keeps what is written last.
const (
	lengthAt = 8
	lengthTo = 12 // the length does not count the bytes up to here
	crcAt    = 17
	crcFrom  = 21 // what the checksum covers
)

// castagnoli is never written: hash/crc32 offers the table as a pointer only.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MaxRecord is the most bytes that a record with a key and a value of these lengths can take.
func MaxRecord(key, value int) int { return key + value + 5 + 1 + 10 + 5 + 5 + 5 + 1 }

// PutRecord writes a record at b[i:], which must have room for MaxRecord, and returns its end. A nil key is null. The
// ordinary case, where each varint fits two bytes, has no loop.
func PutRecord(b []byte, i int, tsDelta int64, offsetDelta int32, key, value []byte) int {
	ts, od := zigzag(tsDelta), uint64(offsetDelta)<<1
	if len(key) >= 4000 || len(value) >= 4000 || ts >= 1<<14 || od >= 1<<14 {
		i += PutRecordHead(b[i:], tsDelta, offsetDelta, key, value)
		i += copy(b[i:], key)
		i += PutValueLen(b[i:], len(value))
		i += copy(b[i:], value)
		b[i] = 0 // headers
		return i + 1
	}
	kl, vl := keyLen(key), uint64(len(value))<<1
	n := len(key) + len(value) + 6
	if ts >= 0x80 {
		n++
	}
	if od >= 0x80 {
		n++
	}
	if kl >= 0x80 {
		n++
	}
	if vl >= 0x80 {
		n++
	}
	d := b[i : i+n+2 : len(b)]
	j := putVarint2(d, 0, uint64(n)<<1)
	d[j] = 0 // attributes
	j = putVarint2(d, j+1, ts)
	j = putVarint2(d, j, od)
	j = putVarint2(d, j, kl)
	if len(key) > 0 {
		j += copy(d[j:], key)
	}
	j = putVarint2(d, j, vl)
	j += copy(d[j:], value)
	d[j] = 0 // headers
	return i + j + 1
}

// PutRecordHead writes a record's bytes up to its key, and returns their number.
func PutRecordHead(b []byte, tsDelta int64, offsetDelta int32, key, value []byte) int {
	kl, vl, ts, od := keyLen(key), uint64(len(value))<<1, zigzag(tsDelta), uint64(offsetDelta)<<1
	n := 1 + varintLen(ts) + varintLen(od) + varintLen(kl) + len(key) + varintLen(vl) + len(value) + 1
	i := binary.PutUvarint(b, uint64(n)<<1)
	b[i] = 0 // attributes
	i++
	i += binary.PutUvarint(b[i:], ts)
	i += binary.PutUvarint(b[i:], od)
	return i + binary.PutUvarint(b[i:], kl)
}

// PutValueLen writes the length of a value, and returns how many bytes that took.
func PutValueLen(b []byte, n int) int { return binary.PutUvarint(b, uint64(n)<<1) }

// Batch is what a batch's header says.
type Batch struct {
	Size        int // bytes of the whole batch
	Records     int32
	First, Last int64 // timestamps in ms
	ProducerID  int64
	Epoch       int16
	Sequence    int32
}

// PutHeader writes the HeaderLen bytes before the records, without the checksum.
func PutHeader(b []byte, h Batch) {
	be := binary.BigEndian
	be.PutUint64(b, 0) // base offset
	be.PutUint32(b[lengthAt:], uint32(h.Size-lengthTo))
	be.PutUint32(b[12:], 0xffffffff) // leader epoch
	b[16] = 2                        // magic
	be.PutUint16(b[21:], 0)          // attributes
	be.PutUint32(b[23:], uint32(h.Records-1))
	be.PutUint64(b[27:], uint64(h.First))
	be.PutUint64(b[35:], uint64(h.Last))
	be.PutUint64(b[43:], uint64(h.ProducerID))
	be.PutUint16(b[51:], uint16(h.Epoch))
	be.PutUint32(b[53:], uint32(h.Sequence))
	be.PutUint32(b[57:], uint32(h.Records))
}

// PutCRC writes the checksum of a batch that begins in first and goes on in rest.
func PutCRC(first []byte, rest [][]byte) {
	crc := crc32.Checksum(first[crcFrom:], castagnoli)
	for _, b := range rest {
		crc = crc32.Update(crc, castagnoli, b)
	}
	binary.BigEndian.PutUint32(first[crcAt:], crc)
}

func keyLen(key []byte) uint64 {
	if key == nil {
		return 1 // -1
	}
	return uint64(len(key)) << 1
}

func varintLen(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

func zigzag(x int64) uint64 { return uint64(x<<1) ^ uint64(x>>63) }

// putVarint2 writes x < 1<<14 in one or two bytes.
func putVarint2(b []byte, i int, x uint64) int {
	if x < 0x80 {
		b[i] = byte(x)
		return i + 1
	}
	binary.LittleEndian.PutUint16(b[i:], uint16(x&0x7f|0x80|x>>7<<8))
	return i + 2
}
