package protocol

// This file owns strings on the wire, and the string that can be null.

import "encoding/binary"

// NullString is a string that can be null, which is its zero value. Value is empty when Valid is false.
type NullString struct {
	Value string
	Valid bool
}

// Some is the string s, not null even if empty.
func Some(s string) NullString { return NullString{Value: s, Valid: true} }

func (c *coder) string(p *string) {
	if !c.decoding {
		c.putString(*p)
		return
	}
	if b := c.stringBytes(); b != nil {
		keepOrCopy(p, b)
	} else {
		c.fail("string is null")
	}
}

// stringIf is string for a field that only some versions have; it is empty in the others.
func (c *coder) stringIf(present bool, p *string) {
	if present {
		c.string(p)
	} else if c.decoding {
		*p = ""
	}
}

// nullString is string for a field that can be null in this version if nullable is true. Where it cannot, null is
// written as an empty string.
func (c *coder) nullString(p *NullString, nullable bool) {
	switch {
	case !c.decoding && nullable && !p.Valid:
		c.putNullString()
	case !c.decoding:
		c.putString(p.Value)
	default:
		if b := c.stringBytes(); b != nil {
			keepOrCopy(&p.Value, b)
			p.Valid = true
			return
		}
		if !nullable {
			c.fail("string is null")
		}
		*p = NullString{}
	}
}

// nullStringIf is nullString for a nullable field that only some versions have; it is null in the others.
func (c *coder) nullStringIf(present bool, p *NullString) {
	if present {
		c.nullString(p, true)
	} else if c.decoding {
		*p = NullString{}
	}
}

// keepOrCopy assigns b, and allocates only if it differs from what *p holds already.
func keepOrCopy(p *string, b []byte) {
	if *p != string(b) {
		*p = string(b)
	}
}

func (c *coder) putString(s string) {
	s = s[:min(len(s), MaxStringLen)]
	if c.flexible {
		c.putUvarint(uint32(len(s) + 1))
	} else {
		c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(len(s)))
	}
	c.buf = append(c.buf, s...)
}

func (c *coder) putNullString() {
	if c.flexible {
		c.putUvarint(0)
	} else {
		c.buf = append(c.buf, 0xff, 0xff)
	}
}

// stringBytes reads a string without copying it. Nil stands for null, or for a fault.
func (c *coder) stringBytes() []byte {
	var n int
	if c.flexible {
		n = int(c.uvarint()) - 1
	} else {
		short := int16(-1)
		c.int16(&short)
		n = int(short)
	}
	if n == -1 {
		return nil
	}
	if n < 0 || n > MaxStringLen {
		c.fail("impossible string length")
		return nil
	}
	return c.take(n)
}
