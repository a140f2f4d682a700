package record

import (
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// decompress_zstd.go owns the reading of Zstandard: any number of frames, with or without content size
// and checksum, skippable ones among them; no dictionaries. A decoder belongs to one call of Decompress
// at a time.

const (
	zstdBlock     = 128 << 10      // no block is larger
	zstdSlack     = zstdBlock + 16 // room for a block, and for the library's fast copies
	zstdMaxWindow = 128 << 20      // as in Java
	zstdNoLimit   = 1 << 40
	zstdWindowAt  = 5 // where a frame header of more than one segment tells its window
)

// zstdDecoder decompresses straight into the outcome. The library looks at how much it has written
// only after each block, and takes more room when it needs it; so room for what the blocks can amount
// to, or for one block more than is allowed, is taken before.
type zstdDecoder struct {
	d     *zstd.Decoder
	limit uint64 // of d
}

func newZstdDecoder() *zstdDecoder {
	d, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1), // no goroutines
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdMaxWindow),
	)
	if err != nil {
		panic("these options go together: " + err.Error())
	}
	return &zstdDecoder{d: d} // its limit of 0 is not the library's: the first use sets it
}

func (z *zstdDecoder) decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) == 0 {
		return nil, fmt.Errorf("%w: no Zstandard frame", ErrMalformed)
	}
	for len(src) > 0 {
		f, err := readZstdFrame(src)
		if err != nil {
			return nil, err
		}
		if !f.Skippable {
			before := len(dst)
			if dst, err = z.frame(dst, f, limit); err != nil {
				return nil, err
			}
			limit -= len(dst) - before
		}
		src = src[len(f.bytes):]
	}
	return dst, nil
}

func (z *zstdDecoder) frame(dst []byte, f zstdFrame, limit int) ([]byte, error) {
	if f.least > uint64(limit) {
		return nil, overLimit(limit)
	}
	frame, room, decoded := f.bytes, f.most, uint64(zstdNoLimit)
	switch {
	case f.HasFCS:
		room = min(room, f.FrameContentSize+zstdSlack)
	case f.most > uint64(limit):
		decoded = max(uint64(limit), zstdBlock)
		if f.window > decoded {
			frame, decoded = narrowWindow(frame, decoded)
		}
		room = min(room, decoded+zstdSlack)
	}
	if decoded != z.limit {
		if err := z.d.ResetWithOptions(nil, zstd.WithDecoderMaxMemory(decoded)); err != nil {
			return nil, fmt.Errorf("limit %d: %w", decoded, err)
		}
		z.limit = decoded
	}
	at := len(dst)
	dst = slices.Grow(dst, int(room))
	out, err := z.d.DecodeAll(frame, dst[at:at:at+int(room)])
	switch {
	case len(out) > limit || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, overLimit(limit)
	case err != nil:
		return nil, malformed(err)
	}
	return append(dst, out...), nil // it is there already
}

// zstdFrame is a frame at the start of some bytes, not yet decompressed.
type zstdFrame struct {
	zstd.Header
	bytes       []byte // the frame
	window      uint64
	least, most uint64 // bounds of what it decompresses to
}

// readZstdFrame reads the headers of a frame and its blocks.
func readZstdFrame(src []byte) (f zstdFrame, err error) {
	if err := f.Decode(src); err != nil {
		return f, malformed(err)
	}
	if f.Skippable {
		end := uint64(f.HeaderSize) + uint64(f.SkippableSize)
		if end > uint64(len(src)) {
			return f, fmt.Errorf("%w: a skippable frame of %d with %d left", ErrMalformed, end, len(src))
		}
		f.bytes = src[:end]
		return f, nil
	}
	if f.window = f.WindowSize; f.SingleSegment {
		f.window = max(f.FrameContentSize, zstd.MinWindowSize)
	}
	end := f.HeaderSize
	for last := false; !last; {
		if len(src)-end < 3 {
			return f, fmt.Errorf("%w: a Zstandard frame ends without a last block", ErrMalformed)
		}
		head := int(src[end]) | int(src[end+1])<<8 | int(src[end+2])<<16
		end += 3
		last = head&1 != 0
		size := head >> 3
		switch head >> 1 & 3 {
		case 0: // stored
			f.least, f.most = f.least+uint64(size), f.most+uint64(size)
			end += size
		case 1: // one byte, repeated
			f.least, f.most = f.least+uint64(size), f.most+uint64(size)
			end++
		case 2: // compressed
			f.most += min(f.window, zstdBlock)
			end += size
		default:
			return f, fmt.Errorf("%w: a Zstandard block of a reserved type", ErrMalformed)
		}
	}
	if f.HasCheckSum {
		end += 4
	}
	if end > len(src) {
		return f, fmt.Errorf("%w: a Zstandard frame of %d with %d left", ErrMalformed, end, len(src))
	}
	f.bytes = src[:end]
	if f.HasFCS {
		if f.FrameContentSize < f.least || f.FrameContentSize > f.most {
			return f, fmt.Errorf("%w: a Zstandard frame says %d, its blocks %d to %d", ErrMalformed, f.FrameContentSize, f.least, f.most)
		}
		f.least = f.FrameContentSize
	}
	return f, nil
}

// narrowWindow copies a frame and makes it say the smallest window of at least size bytes. The
// library keeps what it has decompressed no longer than a window, but refuses windows over its limit.
func narrowWindow(frame []byte, size uint64) ([]byte, uint64) {
	frame = slices.Clone(frame)
	for code := byte(0); ; code++ { // of a power of two the eighths, then the next one
		base := uint64(1024) << (code >> 3)
		if window := base + base/8*uint64(code&7); window >= size {
			frame[zstdWindowAt] = code
			return frame, window
		}
	}
}
