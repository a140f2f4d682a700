package sink

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// request.go owns how a request's bytes are read, and which request is answered by whom.

// errShort is why a cursor is bad.
var errShort = errors.New("the request ends too early or has an impossible length")

// cursor reads a request. After the first field that is not there, bad is set and all fields are zero.
type cursor struct {
	b    []byte
	flex bool // compact lengths and tagged fields
	bad  bool
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.bad, c.b = true, nil
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) int16() int16 {
	if b := c.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) int32() int32 {
	if b := c.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (c *cursor) uvarint() int {
	v, n := binary.Uvarint(c.b)
	if n <= 0 || v > 1<<31 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return int(v)
}

func (c *cursor) varint() int {
	v, n := binary.Varint(c.b)
	if n <= 0 || v > 1<<31 || v < -1<<31 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return int(v)
}

// length reads how many elements or bytes follow; null is none.
func (c *cursor) length() int {
	if c.flex {
		return max(c.uvarint()-1, 0)
	}
	return max(int(c.int32()), 0)
}

func (c *cursor) string() []byte {
	if c.flex {
		return c.take(c.length())
	}
	return c.take(max(int(c.int16()), 0))
}

// tags skips tagged fields.
func (c *cursor) tags() {
	if !c.flex {
		return
	}
	for n := c.uvarint(); n > 0 && !c.bad; n-- {
		c.uvarint()
		c.take(c.uvarint())
	}
}

// header is the beginning of every request.
type header struct {
	key, version int16
	correlation  []byte
}

// firstFlexible is the version from which on an API has compact lengths and tagged fields.
func firstFlexible(key int16) int16 {
	switch key {
	case keyApiVersions:
		return 3
	case keyInitProducerID:
		return 2
	default:
		return 9
	}
}

// answer appends the response to a request.
func (s *Server) answer(out, request []byte) ([]byte, error) {
	c := &cursor{b: request}
	h := header{key: c.int16(), version: c.int16(), correlation: c.take(4)}
	c.string() // client id: never compact
	c.flex = h.version >= firstFlexible(h.key)
	c.tags()
	if c.bad {
		return out, fmt.Errorf("header: %w", errShort)
	}
	if !offered(h.key, h.version) {
		return out, fmt.Errorf("API %d version %d was not offered", h.key, h.version)
	}
	start := len(out)
	out = append(out, 0, 0, 0, 0)
	out = append(out, h.correlation...)
	if c.flex && h.key != keyApiVersions {
		out = append(out, 0) // tags of the header
	}
	var err error
	if h.key == keyProduce {
		var acks int16
		if out, acks, err = s.produce(out, c, h.version); acks == 0 {
			return out[:start], err
		}
		s.count.bytes.Add(int64(len(request) + 4))
	} else {
		out, err = s.control(out, c, h)
	}
	binary.BigEndian.PutUint32(out[start:], uint32(len(out)-start-4))
	return out, err
}
