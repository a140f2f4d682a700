package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/s2"
)

// decompress_snappy.go owns the reading of snappy: the framing of Java's library, with blocks of any
// size, and one raw block without framing, as clients without that library write it. Pure functions.

// snappyRatio bounds what a byte of a block stands for: three bytes copy at most 64.
const snappyRatio = 22

func decodeSnappy(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < len(xerialMagic) || string(src[:len(xerialMagic)]) != xerialMagic {
		size, err := snappySize(src)
		if err != nil {
			return nil, err
		}
		if size > uint64(limit) {
			return nil, overLimit(limit)
		}
		return appendSnappy(slices.Grow(dst, int(size)), src, int(size))
	}
	if len(src) < len(xerialHeader) {
		return nil, fmt.Errorf("%w: no version in the header", ErrMalformed)
	}
	src = src[len(xerialHeader):]
	total, err := xerialSize(src)
	if err != nil {
		return nil, err
	}
	if total > uint64(limit) {
		return nil, overLimit(limit)
	}
	dst = slices.Grow(dst, int(total))
	for len(src) > 0 {
		block, rest, err := xerialBlock(src)
		if err != nil {
			return nil, err
		}
		size, err := snappySize(block)
		if err != nil {
			return nil, err
		}
		if dst, err = appendSnappy(dst, block, int(size)); err != nil {
			return nil, err
		}
		src = rest
	}
	return dst, nil
}

// xerialSize is the sum of the sizes the blocks say they have.
func xerialSize(src []byte) (total uint64, err error) {
	for len(src) > 0 {
		block, rest, err := xerialBlock(src)
		if err != nil {
			return 0, err
		}
		size, err := snappySize(block)
		if err != nil {
			return 0, err
		}
		total += size
		src = rest
	}
	return total, nil
}

// xerialBlock takes a length and as many bytes off src.
func xerialBlock(src []byte) (block, rest []byte, err error) {
	if len(src) < 4 {
		return nil, nil, fmt.Errorf("%w: %d of them where a block's length should be", ErrMalformed, len(src))
	}
	n := uint64(binary.BigEndian.Uint32(src))
	src = src[4:]
	if n > uint64(len(src)) {
		return nil, nil, fmt.Errorf("%w: a block of %d with %d left", ErrMalformed, n, len(src))
	}
	return src[:n], src[n:], nil
}

// snappySize is the size a block says it decompresses to, if it can.
func snappySize(block []byte) (uint64, error) {
	size, n := binary.Uvarint(block)
	if n <= 0 || size > math.MaxUint32 || size/snappyRatio > uint64(len(block)) {
		return 0, fmt.Errorf("%w: a block of %d cannot have its size", ErrMalformed, len(block))
	}
	return size, nil
}

// appendSnappy decompresses a block to dst, which has room for its size.
func appendSnappy(dst, block []byte, size int) ([]byte, error) {
	end := len(dst) + size
	if _, err := s2.Decode(dst[len(dst):len(dst):end], block); err != nil {
		return nil, malformed(err)
	}
	return dst[:end], nil
}
