package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// decompress.go owns the Decompressor, and the reading of gzip. Any goroutine may decompress; a
// decoder belongs to one call at a time.

// ErrLimit is what the error about bytes that decompress to more than was allowed matches.
var ErrLimit = errors.New("decompressed size over the limit")

// Decompressor decompresses the records of batches, from memory that may hold anything. It keeps what
// it can use again, so that it allocates nothing in the long run but room for the outcome. The zero
// Decompressor is ready, safe for concurrent use, holds no goroutines and needs no closing.
type Decompressor struct {
	gzip sync.Pool // of *gzipDecoder
	zstd sync.Pool // of *zstdDecoder
}

// Decompress is [Decompressor.Decompress] for occasional use: it keeps nothing. With gzip that costs it
// 45 KB of memory for a while, with zstd 150 KB.
func Decompress(dst []byte, codec Codec, src []byte, limit int) ([]byte, error) {
	return (*Decompressor)(nil).Decompress(dst, codec, src, limit)
}

// Decompress appends to dst what src decompresses to; without a codec, a copy of src. It reads what
// Java and the other clients write: see the files of the codecs for what exactly. More than limit bytes
// are refused with an error that matches ErrLimit, and room for more is never taken (with zstd, not for
// more than 256 KiB and an eighth of the limit beyond it); what src cannot hold is not believed. Other
// errors match ErrMalformed. With an error, dst comes back as it was.
func (d *Decompressor) Decompress(dst []byte, codec Codec, src []byte, limit int) ([]byte, error) {
	limit = max(limit, 0)
	out, err := d.decompress(dst, codec, src, limit)
	if err != nil {
		return dst, fmt.Errorf("decompressing %d bytes of %s: %w", len(src), codec, err)
	}
	return out, nil
}

// decompress does so with decoders of its own if d is nil.
func (d *Decompressor) decompress(dst []byte, codec Codec, src []byte, limit int) ([]byte, error) {
	switch codec {
	case CodecNone:
		if len(src) > limit {
			return nil, overLimit(limit)
		}
		return append(dst, src...), nil
	case CodecGzip:
		if d == nil {
			return new(gzipDecoder).decode(dst, src, limit)
		}
		z, ok := d.gzip.Get().(*gzipDecoder)
		if !ok {
			z = new(gzipDecoder)
		}
		defer d.gzip.Put(z)
		return z.decode(dst, src, limit)
	case CodecSnappy:
		return decodeSnappy(dst, src, limit)
	case CodecLZ4:
		return decodeLZ4(dst, src, limit)
	case CodecZstd:
		if d == nil {
			return newZstdDecoder().decode(dst, src, limit)
		}
		z, ok := d.zstd.Get().(*zstdDecoder)
		if !ok {
			z = newZstdDecoder()
		}
		defer d.zstd.Put(z)
		return z.decode(dst, src, limit)
	}
	return nil, fmt.Errorf("%w: codec %d is not known", ErrMalformed, int8(codec))
}

func overLimit(limit int) error { return fmt.Errorf("%w of %d bytes", ErrLimit, limit) }

const (
	gzipFrame = 18   // bytes of header and trailer
	gzipRatio = 1032 // 258 bytes take at least two bits
)

// gzipDecoder reads gzip streams of one member: no client writes more. That makes the size at the end
// of the stream that of the outcome.
type gzipDecoder struct {
	r   gzip.Reader
	src bytes.Reader
	one [1]byte
}

func (z *gzipDecoder) decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < gzipFrame {
		return nil, fmt.Errorf("%w: no gzip header and trailer", ErrMalformed)
	}
	size := uint64(binary.LittleEndian.Uint32(src[len(src)-4:]))
	if size/gzipRatio > uint64(len(src)) {
		return nil, fmt.Errorf("%w: they cannot hold %d", ErrMalformed, size)
	}
	room := int(min(size, uint64(limit)))
	z.src.Reset(src)
	defer z.src.Reset(nil)
	if err := z.r.Reset(&z.src); err != nil {
		return nil, malformed(err)
	}
	z.r.Multistream(false)
	end := len(dst) + room
	dst = slices.Grow(dst, room)
	if _, err := io.ReadFull(&z.r, dst[len(dst):end]); err != nil {
		return nil, malformed(err)
	}
	switch _, err := io.ReadFull(&z.r, z.one[:]); {
	case err == nil && size > uint64(limit):
		return nil, overLimit(limit)
	case err == nil:
		return nil, fmt.Errorf("%w: more than the %d they say", ErrMalformed, size)
	case !errors.Is(err, io.EOF):
		return nil, malformed(err)
	case z.src.Len() > 0:
		return nil, fmt.Errorf("%w: %d of them follow the end of the stream", ErrMalformed, z.src.Len())
	}
	return dst[:end], nil
}

// malformed is an error of a library as one of ours.
func malformed(err error) error { return fmt.Errorf("%w: %w", ErrMalformed, err) }
