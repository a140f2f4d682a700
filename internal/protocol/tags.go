package protocol

// This file owns the section of tagged fields that ends every struct of a flexible version (KIP-482): a count, then for
// each field its number, its size and its body. Unlike other fields they may come and go without a new version.

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// tagged goes over one section. A walk uses it like this, with a bit in the mask for each field to be written:
//
//	for t := c.tagged(mask); c.nextTag(&t); {
//		switch t.id {
//		case 0:
//			…
//		}
//	}
//
// A field that differs from its default is written, others are left out; a walk therefore assigns the defaults before
// the loop when it decodes. Fields the switch does not know are skipped. A field that its case did not use up is a fault.
type tagged struct {
	id    uint32 // the field the loop's body is to encode or decode
	todo  uint32 // encoding: fields yet to be written, one bit each; decoding: how many are left
	open  bool   // between the start of a field and its end
	start int    // where the body of the open field starts
	end   int    // decoding: where it ends
	outer int    // decoding: c.end outside the field
}

// noTags is the section of a struct that has no tagged fields, or none in this version.
func (c *coder) noTags() {
	if !c.decoding && c.flexible {
		c.buf = append(c.buf, 0)
		return
	}
	for t := c.tagged(0); c.nextTag(&t); {
	}
}

// tagged starts a section.
func (c *coder) tagged(mask uint32) tagged {
	switch {
	case !c.flexible:
		return tagged{}
	case c.decoding:
		return tagged{todo: c.uvarint()}
	default:
		c.putUvarint(uint32(bits.OnesCount32(mask)))
		return tagged{todo: mask}
	}
}

// nextTag finishes the open field and starts the next; false: there is none.
func (c *coder) nextTag(t *tagged) bool {
	if c.decoding {
		return c.nextTagToRead(t)
	}
	if t.open {
		// Only now is the size known. Bodies are small: moving one costs less than walking it twice.
		var prefix [binary.MaxVarintLen32]byte
		n := binary.PutUvarint(prefix[:], uint64(len(c.buf)-t.start))
		c.buf = slices.Insert(c.buf, t.start, prefix[:n]...)
	}
	if t.todo == 0 {
		return false
	}
	t.id = uint32(bits.TrailingZeros32(t.todo))
	t.todo &= t.todo - 1
	c.putUvarint(t.id)
	t.start, t.open = len(c.buf), true
	return true
}

func (c *coder) nextTagToRead(t *tagged) bool {
	if t.open {
		if c.pos == t.start {
			c.pos = t.end // nobody knew it
		}
		if c.pos != t.end {
			c.fail("tagged field has bytes left over")
		}
		c.end = t.outer
	}
	if t.todo == 0 || c.fault != "" {
		return false
	}
	t.todo--
	t.id = c.uvarint()
	size := int64(c.uvarint())
	if c.fault == "" && size > int64(c.end-c.pos) {
		c.fail("tagged field is longer than the message")
	}
	if c.fault != "" {
		return false
	}
	t.outer, t.start, t.end, t.open = c.end, c.pos, c.pos+int(size), true
	c.end = t.end
	return true
}
