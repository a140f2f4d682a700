package protocol

// This file owns the one field that is not copied: the record batch in a produce request, and the vectors that let it
// go to the socket from where it was built.

import (
	"slices"
)

// Records is a record batch in pieces, in order. Nil Chunks stand for null. Encoding only reads the pieces; whoever
// built them keeps them unchanged until they are written. Decoding yields one chunk that aliases the input.
type Records struct{ Chunks [][]byte }

// Size is the length of the batch in bytes.
func (r Records) Size() int {
	n := 0
	for _, chunk := range r.Chunks {
		n += len(chunk)
	}
	return n
}

// copyLimit is the size up to which a batch is copied between the fields around it: for many partitions with little
// data, copying is cheaper than handing two more vectors per partition to the kernel.
const copyLimit = 1 << 10

// fieldBytes bounds what AppendVectors writes for anything of fixed size: the fields of a struct without strings and
// arrays, the length of one of those.
const fieldBytes = 32

func (c *coder) records(p *Records) {
	if c.decoding {
		c.readRecords(p)
		return
	}
	if p.Chunks == nil {
		c.putLength(-1)
		return
	}
	size := p.Size()
	c.putLength(size)
	if !c.vectored || size <= copyLimit {
		for _, chunk := range p.Chunks {
			c.buf = append(c.buf, chunk...)
		}
		return
	}
	c.cutVector()
	for _, chunk := range p.Chunks {
		if len(chunk) > 0 {
			c.vecs = append(c.vecs, chunk)
		}
	}
}

func (c *coder) readRecords(p *Records) {
	n := c.length()
	if n < 0 {
		p.Chunks = nil
		return
	}
	if b := c.take(n); b != nil {
		p.Chunks = append(p.Chunks[:0], b)
	}
}

// cutVector makes a vector of what was written since the last one.
func (c *coder) cutVector() {
	if len(c.buf) > c.cut {
		c.vecs = append(c.vecs, c.buf[c.cut:len(c.buf):len(c.buf)])
		c.cut = len(c.buf)
	}
}

// AppendVectors encodes the body of m for a vectored write: all fields are appended to buf, and vectors that together
// are the body are appended to vecs. They refer to buf, to the chunks of record batches over 1 KiB, and to nothing
// else; smaller batches are copied. What buf held before is in no new vector. As with Append, the message is only read.
//
// Both slices may be used again, from length zero, once the vectors are written. If the capacities suffice, nothing is
// allocated.
func AppendVectors(vecs [][]byte, buf []byte, m Message, version int16) (newVecs [][]byte, newBuf []byte) {
	// Grow once: a vector cut before buf moves would stay right, but keep the old array alive.
	c := newEncoder(slices.Grow(buf, vectorBytes(m)), m.Key(), version)
	c.vectored, c.vecs, c.cut = true, vecs, len(buf)
	walk(&c, m, version)
	c.cutVector()
	return c.vecs, c.buf
}

// vectorBytes bounds what m appends to buf besides vectors. It matters for the only message with records; others are cut
// once, when they are complete, so that they may grow as they like.
func vectorBytes(m Message) int {
	r, ok := m.(*ProduceRequest)
	if !ok {
		return 0
	}
	n := fieldBytes + len(r.TransactionalID.Value)
	for i := range r.Topics {
		t := &r.Topics[i]
		n += fieldBytes + len(t.Name)
		for j := range t.Partitions {
			n += fieldBytes
			if size := t.Partitions[j].Records.Size(); size <= copyLimit {
				n += size
			}
		}
	}
	return n
}
