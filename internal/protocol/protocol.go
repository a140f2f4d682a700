// Package protocol owns the bytes of Kafka's requests and responses: their fields, their headers, and the versions this
// client speaks. It knows no sockets, batches or retries, keeps no state and starts no goroutine: every function may be
// called from any goroutine, and a message belongs to whoever calls.
//
// Each message has one method, walk, that names its fields in wire order. The same walk encodes and decodes, so the two
// cannot disagree. To read a message is to read its file:
//
//	produce.go         Produce          3–13
//	metadata.go        Metadata         1–13
//	apiversions.go     ApiVersions      0–5
//	initproducerid.go  InitProducerId   0–5
//
// Fields that a version lacks are not written, and are set to their default when read. The flexible versions of an API
// (KIP-482) use varint lengths and end every struct with tagged fields; the coder hides the difference.
package protocol

import (
	"fmt"
	"strconv"
)

// Key names an API, as the first field of a request header does.
type Key int16

// The APIs this client speaks.
const (
	Produce        Key = 0
	Metadata       Key = 3
	ApiVersions    Key = 18 //nolint:revive // Kafka's spelling, which users grep for
	InitProducerID Key = 22
)

// String is Kafka's name of the API, or its number if this client does not speak it.
func (k Key) String() string {
	switch k {
	case Produce:
		return "Produce"
	case Metadata:
		return "Metadata"
	case ApiVersions:
		return "ApiVersions"
	case InitProducerID:
		return "InitProducerId"
	default:
		return "Key(" + strconv.Itoa(int(k)) + ")"
	}
}

// Versions is the range of versions this client can encode and decode. For an API it does not speak the range is empty:
// 0 and -1.
func (k Key) Versions() (minVersion, maxVersion int16) {
	switch k {
	case Produce:
		return 3, 13 // older ones cannot carry v2 batches; brokers since 4.0 refuse them
	case Metadata:
		return 1, 13 // in version 0 an empty list would mean all topics
	case ApiVersions:
		return 0, 5
	case InitProducerID:
		return 0, 5
	default:
		return 0, -1
	}
}

// Supports tells whether version is within Versions.
func (k Key) Supports(version int16) bool {
	lo, hi := k.Versions()
	return lo <= version && version <= hi
}

// FlexibleFrom is the first version with compact lengths and tagged fields, -1 for an API this client does not speak.
func (k Key) FlexibleFrom() int16 {
	switch k {
	case Produce, Metadata:
		return 9
	case ApiVersions:
		return 3
	case InitProducerID:
		return 2
	default:
		return -1
	}
}

// Flexible tells whether that version of the API uses compact lengths and tagged fields. It also answers for versions
// newer than this client speaks: a broker must read their header to refuse them.
func (k Key) Flexible(version int16) bool {
	from := k.FlexibleFrom()
	return from >= 0 && version >= from
}

// Message is one request or response. Only this package implements it.
//
// A message may be decoded into again: every field is overwritten, the capacity of slices is used, and a string that has
// not changed is kept, so that decoding the same shape again allocates nothing. Who keeps a slice of a message beyond
// that must copy it; strings may be kept.
//
// A string of more than MaxStringLen bytes has no place in the protocol. It is cut when encoded; who takes strings from
// a user must check them first.
type Message interface {
	// Key is the API the message belongs to.
	Key() Key

	walk(c *coder, version int16)
}

// MaxStringLen is the longest string, in bytes, that a message can carry.
const MaxStringLen = 1<<15 - 1

// ErrMalformed matches every error about bytes that are not what their API and version promise.
const ErrMalformed = constError("malformed message")

type constError string

func (e constError) Error() string { return string(e) }

// Append appends the body of m, without any header. The message is only read. It panics if version is outside the
// range of m's API: the version was negotiated, so that is a bug of the caller.
func Append(dst []byte, m Message, version int16) []byte {
	c := newEncoder(dst, m.Key(), version)
	walk(&c, m, version)
	return c.buf
}

// Decode reads the body of m, without any header, from src. Records of a ProduceRequest alias src; everything else is
// copied. Tagged fields of later protocol revisions are skipped, all other bytes must be used up.
//
// Errors match ErrMalformed and name the API, the version, and how far it got; m then holds a mixture of old and new.
// Decode never allocates more than a small multiple of len(src), whatever the lengths in it claim.
func Decode(src []byte, m Message, version int16) error {
	key := m.Key()
	if !key.Supports(version) {
		return fmt.Errorf("decode %v: %w: version %d is not spoken", key, ErrMalformed, version)
	}
	c := coder{buf: src, end: len(src), decoding: true, flexible: key.Flexible(version)}
	walk(&c, m, version)
	if c.fault == "" && c.pos != c.end {
		c.fail("bytes left over")
	}
	if c.fault != "" {
		return fmt.Errorf("decode %v version %d: %w: %s at byte %d of %d", key, version, ErrMalformed, c.fault, c.faultAt, len(src))
	}
	return nil
}

func newEncoder(dst []byte, key Key, version int16) coder {
	if !key.Supports(version) {
		panic(fmt.Sprintf("protocol: encode %v in version %d, which this client does not speak", key, version))
	}
	return coder{buf: dst, flexible: key.Flexible(version)}
}

// walk calls m.walk. The two messages of the hot path are called directly, which lets their coder stay on the stack;
// a call through the interface makes it escape, and costs the other messages one small allocation.
func walk(c *coder, m Message, version int16) {
	switch m := m.(type) {
	case *ProduceRequest:
		m.walk(c, version)
	case *ProduceResponse:
		m.walk(c, version)
	default:
		escaped := new(coder)
		*escaped = *c
		m.walk(escaped, version)
		*c = *escaped
	}
}
