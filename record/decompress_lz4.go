package record

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// decompress_lz4.go owns the reading of LZ4 frames: one frame of any block size, with or without
// checksums and content size, its blocks independent or not; no dictionaries. Pure functions.

// Bits of the two bytes after a frame's magic.
const (
	lz4VersionMask = 0xc0
	lz4Version     = 0x40
	lz4Independent = 0x20
	lz4BlockSums   = 0x10
	lz4ContentSize = 0x08
	lz4ContentSum  = 0x04
	lz4Unreadable  = 0x03 // reserved, dictionary

	lz4SizeMask    = 0x70 // the other bits are 0
	lz4MinSizeCode = 4    // 64 KiB; each next one is four times as much, up to 7
)

// Of blocks.
const (
	lz4Window     = 64 << 10
	lz4MinMatch   = 4
	lz4LongLength = 15 // goes on in the next byte
)

// lz4Frame is a frame whose blocks are yet to be read.
type lz4Frame struct {
	flags    byte
	blockMax int
	size     uint64 // of the content, if flags say that it is known
	src      []byte // blocks, end mark and checksum
}

func decodeLZ4(dst, src []byte, limit int) ([]byte, error) {
	f, err := readLZ4Header(src)
	if err != nil {
		return nil, err
	}
	total, err := f.check()
	if err != nil {
		return nil, err
	}
	if total > uint64(limit) {
		return nil, overLimit(limit)
	}
	start := len(dst)
	dst = slices.Grow(dst, int(total))
	for {
		b, err := f.next()
		if err != nil {
			return nil, err
		}
		if b.data == nil {
			break
		}
		if b.stored {
			dst = append(dst, b.data...)
			continue
		}
		var window []byte
		if f.flags&lz4Independent == 0 {
			window = dst[max(start, len(dst)-lz4Window):]
		}
		end := len(dst) + b.size
		n, err := lz4.UncompressBlockWithDict(b.data, dst[len(dst):end:end], window)
		if err != nil {
			return nil, malformed(err)
		}
		if n != b.size {
			return nil, fmt.Errorf("%w: a block gave %d instead of %d", ErrMalformed, n, b.size)
		}
		dst = dst[:end]
	}
	if f.flags&lz4ContentSum != 0 && xxh32(dst[start:]) != binary.LittleEndian.Uint32(f.src) {
		return nil, fmt.Errorf("%w: the checksum of the content is wrong", ErrMalformed)
	}
	return dst, nil
}

func readLZ4Header(src []byte) (f lz4Frame, err error) {
	le := binary.LittleEndian
	if len(src) < len(lz4Header) || le.Uint32(src) != lz4Magic {
		return f, fmt.Errorf("%w: no LZ4 frame", ErrMalformed)
	}
	f.flags = src[4]
	end := 6
	if f.flags&lz4ContentSize != 0 {
		end += 8
	}
	code := int(src[5]&lz4SizeMask) >> 4
	switch {
	case f.flags&lz4VersionMask != lz4Version || f.flags&lz4Unreadable != 0,
		src[5]&^lz4SizeMask != 0 || code < lz4MinSizeCode:
		return f, fmt.Errorf("%w: LZ4 flags %02x %02x", ErrMalformed, f.flags, src[5])
	case len(src) <= end:
		return f, fmt.Errorf("%w: half an LZ4 header", ErrMalformed)
	case src[end] != byte(xxh32(src[4:end])>>8):
		return f, fmt.Errorf("%w: the checksum of the LZ4 header is wrong", ErrMalformed)
	}
	if f.flags&lz4ContentSize != 0 {
		f.size = le.Uint64(src[6:])
	}
	f.blockMax = lz4BlockSize << (2 * (code - lz4MinSizeCode))
	f.src = src[end+1:]
	return f, nil
}

// check reads all blocks without decompressing them and returns the sum of their sizes. The frame
// itself stays as it is.
func (f lz4Frame) check() (total uint64, err error) {
	for {
		b, err := f.next()
		if err != nil {
			return 0, err
		}
		if b.data == nil {
			break
		}
		total += uint64(b.size)
	}
	rest := 0
	if f.flags&lz4ContentSum != 0 {
		rest = 4
	}
	switch {
	case len(f.src) != rest:
		return 0, fmt.Errorf("%w: %d of them after the last block, not %d", ErrMalformed, len(f.src), rest)
	case f.flags&lz4ContentSize != 0 && total != f.size:
		return 0, fmt.Errorf("%w: blocks of %d for a size of %d", ErrMalformed, total, f.size)
	}
	return total, nil
}

// lz4Block is a block of a frame. Data is nil at the end of the frame.
type lz4Block struct {
	data   []byte
	stored bool
	size   int // decompressed, bytes
}

func (f *lz4Frame) next() (b lz4Block, err error) {
	le := binary.LittleEndian
	if len(f.src) < 4 {
		return b, fmt.Errorf("%w: no LZ4 end mark", ErrMalformed)
	}
	head := le.Uint32(f.src)
	f.src = f.src[4:]
	if head == 0 {
		return b, nil
	}
	b.stored = head&lz4Stored != 0
	n, trailer := int(head&^lz4Stored), 0
	if f.flags&lz4BlockSums != 0 {
		trailer = 4
	}
	if n == 0 || n > f.blockMax || n+trailer > len(f.src) {
		return b, fmt.Errorf("%w: a block of %d with %d left, %d allowed", ErrMalformed, n, len(f.src), f.blockMax)
	}
	b.data, b.size = f.src[:n:n], n
	if !b.stored {
		b.size = lz4Size(b.data)
	}
	if b.size < 0 || b.size > f.blockMax {
		return b, fmt.Errorf("%w: a block for %d, %d allowed", ErrMalformed, b.size, f.blockMax)
	}
	if trailer > 0 && xxh32(b.data) != le.Uint32(f.src[n:]) {
		return b, fmt.Errorf("%w: the checksum of a block is wrong", ErrMalformed)
	}
	f.src = f.src[n+trailer:]
	return b, nil
}

// lz4Size is the size a block decompresses to: the sum of what its sequences say. It is -1 if they do
// not fill the block.
func lz4Size(b []byte) int {
	size := 0
	for i := 0; i < len(b); {
		token := b[i]
		literals, i2 := lz4Length(b, i+1, int(token>>4))
		if i2 < 0 || literals > len(b)-i2 {
			return -1
		}
		size += literals
		i = i2 + literals
		if i == len(b) { // the last sequence has no match
			return size
		}
		match, i2 := lz4Length(b, i+2, int(token&lz4LongLength))
		if i2 < 0 {
			return -1
		}
		size += match + lz4MinMatch
		i = i2
	}
	return size
}

// lz4Length goes on reading a length at b[i:], and returns the index after it, or -1.
func lz4Length(b []byte, i, n int) (length, next int) {
	if n == lz4LongLength {
		for more := byte(255); more == 255; i++ {
			if i >= len(b) {
				return 0, -1
			}
			more = b[i]
			n += int(more)
		}
	}
	if i > len(b) {
		return 0, -1
	}
	return n, i
}

// xxh32 is the XXH32 checksum of p with seed 0.
func xxh32(p []byte) uint32 {
	const p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	const mod = 1 << 32
	le := binary.LittleEndian
	n := uint32(len(p))
	h := uint32(p5)
	if len(p) >= 16 {
		v := [4]uint32{(p1 + p2) % mod, p2, 0, mod - p1}
		for ; len(p) >= 16; p = p[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+le.Uint32(p[4*i:])*p2, 13) * p1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += n
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+le.Uint32(p)*p3, 17) * p4
	}
	for _, c := range p {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return h ^ h>>16
}
