package producer

import "unsafe"

// serializer.go owns how keys and values become bytes. Serializers run on the goroutine that sends.

// Serializer turns v into bytes. It appends them to dst, which has length zero, and returns the
// longer slice; it may return memory of its own instead, as long as that stays as it is until Send
// returns. A nil result means null, an empty one is empty. It must keep neither dst nor c.
// An error or a panic makes Send fail with ErrSerialization.
type Serializer[T any] func(dst []byte, c *SerializeContext, v T) ([]byte, error)

// SerializeContext tells a Serializer what it writes for.
type SerializeContext struct {
	Topic   string
	Headers Headers // the record's; a serializer may set it to h.With(...), and must not change it in place
	IsKey   bool
}

// SerializerFunc adapts a plain function, such as json.Marshal behind a type; a nil result means null.
func SerializerFunc[T any](f func(T) ([]byte, error)) Serializer[T] {
	return func(_ []byte, _ *SerializeContext, v T) ([]byte, error) { return f(v) }
}

// BytesSerializer passes bytes on: nil is null, empty is empty.
func BytesSerializer(_ []byte, _ *SerializeContext, v []byte) ([]byte, error) { return v, nil }

// StringSerializer writes the string's bytes; "" is empty, not null. (A key "" never gets here: where
// K is string it means no key.)
func StringSerializer(_ []byte, _ *SerializeContext, v string) ([]byte, error) {
	if v == "" {
		return []byte{}, nil
	}
	return unsafe.Slice(unsafe.StringData(v), len(v)), nil // only ever read, and copied before Send returns
}
