package protocol

// This file owns the primitive fields: how a number, a string or the length of an array looks on the wire. A coder
// lives for one message and belongs to the goroutine that encodes or decodes it.

import "encoding/binary"

// coder carries one walk over a message. Every field method writes *p when encoding and overwrites *p when decoding;
// encoding never changes the message. After the first fault the methods do nothing, so walks need not check.
//
// Methods ending in If take whether this version has the field; if not, nothing is written, and decoding assigns the
// default.
type coder struct {
	buf      []byte // encoding: written so far; decoding: the whole input
	pos      int    // decoding: the next byte to read
	end      int    // decoding: where the input, or the tagged field being read, ends
	decoding bool
	flexible bool
	fault    string // decoding: what was wrong first; empty: nothing
	faultAt  int

	vectored bool     // encoding: large record batches are referred to instead of copied
	vecs     [][]byte // encoding: finished vectors
	cut      int      // encoding: buf[cut:] is not in vecs yet
}

// fail notes the first fault and makes all further reads find nothing.
func (c *coder) fail(reason string) {
	if c.fault == "" {
		c.fault, c.faultAt = reason, c.pos
	}
	c.pos = c.end
}

// take returns the next n bytes of the input, or nil and a fault. The result is never nil otherwise.
func (c *coder) take(n int) []byte {
	if n > c.end-c.pos || c.fault != "" {
		c.fail("message ends early")
		return nil
	}
	b := c.buf[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

func (c *coder) bool(p *bool) {
	if !c.decoding {
		var b byte
		if *p {
			b = 1
		}
		c.buf = append(c.buf, b)
		return
	}
	if b := c.take(1); b != nil {
		*p = b[0] != 0
	}
}

func (c *coder) int16(p *int16) {
	if !c.decoding {
		c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(*p))
		return
	}
	if b := c.take(2); b != nil {
		*p = int16(binary.BigEndian.Uint16(b))
	}
}

func (c *coder) int32(p *int32) {
	if !c.decoding {
		c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(*p))
		return
	}
	if b := c.take(4); b != nil {
		*p = int32(binary.BigEndian.Uint32(b))
	}
}

func (c *coder) int64(p *int64) {
	if !c.decoding {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(*p))
		return
	}
	if b := c.take(8); b != nil {
		*p = int64(binary.BigEndian.Uint64(b))
	}
}

func (c *coder) uuid(p *[16]byte) {
	if !c.decoding {
		c.buf = append(c.buf, p[:]...)
		return
	}
	if b := c.take(16); b != nil {
		copy(p[:], b)
	}
}

func (c *coder) boolIf(present bool, p *bool, absent bool) {
	if present {
		c.bool(p)
	} else if c.decoding {
		*p = absent
	}
}

func (c *coder) int16If(present bool, p *int16, absent int16) {
	if present {
		c.int16(p)
	} else if c.decoding {
		*p = absent
	}
}

func (c *coder) int32If(present bool, p *int32, absent int32) {
	if present {
		c.int32(p)
	} else if c.decoding {
		*p = absent
	}
}

func (c *coder) int64If(present bool, p *int64, absent int64) {
	if present {
		c.int64(p)
	} else if c.decoding {
		*p = absent
	}
}

func (c *coder) uuidIf(present bool, p *[16]byte) {
	if present {
		c.uuid(p)
	} else if c.decoding {
		*p = [16]byte{}
	}
}

// putUvarint appends v, seven bits a byte, low ones first.
func (c *coder) putUvarint(v uint32) {
	c.buf = binary.AppendUvarint(c.buf, uint64(v))
}

// uvarint reads what putUvarint writes: at most five bytes and 32 bits.
func (c *coder) uvarint() uint32 {
	var v uint32
	for shift := 0; shift <= 28; shift += 7 {
		b := c.take(1)
		if b == nil {
			return 0
		}
		if shift == 28 && b[0] > 0x0f {
			break
		}
		v |= uint32(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return v
		}
	}
	c.fail("varint over 32 bits")
	return 0
}

// putLength appends the length of an array or of bytes; -1 stands for null.
func (c *coder) putLength(n int) {
	if c.flexible {
		c.putUvarint(uint32(n + 1))
	} else {
		c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(int32(n)))
	}
}

// length reads what putLength writes: at least -1.
func (c *coder) length() int {
	n := int32(-1)
	if c.flexible {
		n = int32(c.uvarint()) - 1 // lengths from 1<<31 up come out negative
	} else {
		c.int32(&n)
	}
	if n < -1 {
		c.fail("negative length")
		return -1
	}
	return int(n)
}

// array writes or reads the length of *s; the walk then goes over its elements. minSize is the least number of bytes
// an element takes in any version: it bounds what a claimed length can make us allocate. Elements already in *s stay,
// for their slices and strings to be used again.
func array[T any](c *coder, s *[]T, minSize int) {
	if !c.decoding {
		c.putLength(len(*s))
		return
	}
	if n := c.length(); n >= 0 {
		resize(c, s, n, minSize)
		return
	}
	c.fail("array is null")
	*s = (*s)[:0]
}

// nullArray is array for a field in which null (a nil slice) differs from empty.
func nullArray[T any](c *coder, s *[]T, minSize int) {
	switch {
	case !c.decoding && *s == nil:
		c.putLength(-1)
	case !c.decoding:
		c.putLength(len(*s))
	default:
		n := c.length()
		if n < 0 {
			*s = nil
			return
		}
		resize(c, s, n, minSize)
		if *s == nil {
			*s = []T{}
		}
	}
}

// arrayIf is array for a field that only some versions have; it is empty in the others.
func arrayIf[T any](c *coder, present bool, s *[]T, minSize int) {
	if present {
		array(c, s, minSize)
	} else if c.decoding {
		*s = (*s)[:0]
	}
}

func resize[T any](c *coder, s *[]T, n, minSize int) {
	if n > (c.end-c.pos)/minSize {
		c.fail("array is longer than the message")
		n = 0
	}
	if n > cap(*s) {
		grown := make([]T, n)
		copy(grown, (*s)[:cap(*s)])
		*s = grown
		return
	}
	*s = (*s)[:n]
}

func (c *coder) int32s(s *[]int32) {
	array(c, s, 4)
	for i := range *s {
		c.int32(&(*s)[i])
	}
}

func (c *coder) int32sIf(present bool, s *[]int32) {
	if present {
		c.int32s(s)
	} else if c.decoding {
		*s = (*s)[:0]
	}
}
