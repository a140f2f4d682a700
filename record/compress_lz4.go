package record

import (
	"encoding/binary"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// compress_lz4.go owns the writing of LZ4 frames, as Java writes them: independent blocks of 64 KiB,
// no checksums, no sizes. An encoder belongs to one call of Compress at a time.

const (
	lz4Magic     = 0x184d2204 // little-endian
	lz4Stored    = 1 << 31    // set in the size of a block that is not compressed
	lz4BlockSize = 64 << 10

	lz4FastLevel = 9        // Java's name of the fast compressor
	lz4MaxDepth  = 64 << 10 // no block has more places to look for a match
)

// lz4Header is magic, flags (version 1, independent blocks), block size (64 KiB) and the checksum of
// the last two.
const lz4Header = "\x04\x22\x4d\x18\x60\x40\x82"

type lz4Encoder struct {
	block interface {
		CompressBlock(src, dst []byte) (int, error)
	}
	buf []byte // a block that spans chunks
}

// newLZ4Encoder maps levels as Java does: 9 is the fast compressor, every other one searches for the
// best match, twice as deep from one level to the next. Level 1 compresses about as well as the fast
// one; from 6 on there is little left to find.
func newLZ4Encoder(level int) *lz4Encoder {
	if level == lz4FastLevel {
		return &lz4Encoder{block: new(lz4.Compressor)}
	}
	depth := min(1<<(level+2), lz4MaxDepth)
	return &lz4Encoder{block: &lz4.CompressorHC{Level: lz4.CompressionLevel(depth)}}
}

func (e *lz4Encoder) encode(dst []byte, chunks [][]byte) ([]byte, error) {
	dst = append(dst, lz4Header...)
	for b := newBlocks(chunks); b.left > 0; {
		src := b.next(&e.buf, lz4BlockSize)
		at := len(dst)
		dst = slices.Grow(dst, 4+len(src))[:at+4+len(src)]
		size := uint32(len(src)) | lz4Stored
		// Without room for more than src, an error or 0 means that it does not get smaller.
		n, err := e.block.CompressBlock(src, dst[at+4:])
		if err == nil && 0 < n && n < len(src) {
			size = uint32(n)
			dst = dst[:at+4+n]
		} else {
			copy(dst[at+4:], src)
		}
		binary.LittleEndian.PutUint32(dst[at:], size)
	}
	return append(dst, 0, 0, 0, 0), nil
}
