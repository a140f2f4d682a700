package record

import (
	"encoding/binary"
	"slices"

	"github.com/klauspost/compress/s2"
)

// compress_snappy.go owns the writing of snappy as Java frames it: a header, then raw snappy blocks,
// each behind its length. An encoder belongs to one call of Compress at a time.

const (
	xerialMagic  = "\x82SNAPPY\x00"
	xerialHeader = xerialMagic + "\x00\x00\x00\x01" + "\x00\x00\x00\x01" // version, compatible with
)

// snappyBlockSize is how many bytes share a block. Nothing is found again across blocks: with Java's
// 32 KiB, text of 1 MiB comes out 7 to 23 % larger than as one block. Readers allocate a block at once,
// before and after decompression, so it must not be of any size.
const snappyBlockSize = 1 << 20

type snappyEncoder struct {
	buf []byte // a block that spans chunks
}

func (e *snappyEncoder) encode(dst []byte, chunks [][]byte) ([]byte, error) {
	dst = append(dst, xerialHeader...)
	for b := newBlocks(chunks); b.left > 0; {
		src := b.next(&e.buf, snappyBlockSize)
		at := len(dst) + 4
		most := s2.MaxEncodedLen(len(src))
		dst = slices.Grow(dst, 4+most)
		out := s2.EncodeSnappy(dst[at:at+most], src)
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(out)))
		dst = dst[:at+len(out)]
	}
	return dst, nil
}
