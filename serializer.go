package producer

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"unsafe"
)

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

// Nullable lifts a Serializer to pointers: nil is null, everything else, empty included, is written.
func Nullable[T any](s Serializer[T]) Serializer[*T] {
	return func(dst []byte, c *SerializeContext, v *T) ([]byte, error) {
		if v == nil {
			return nil, nil
		}
		b, err := s(dst, c, *v)
		if b == nil && err == nil {
			b = []byte{}
		}
		return b, err
	}
}

// JSONSerializer writes what encoding/json makes of v; a nil pointer, map, slice or interface is null,
// and not the text null. A type whose own MarshalJSON writes null is taken at its word.
func JSONSerializer[T any](dst []byte, _ *SerializeContext, v T) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if string(b) == "null" && isNil(reflect.ValueOf(&v).Elem()) {
		return nil, nil
	}
	return append(dst, b...), nil
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	}
	return false
}

// NumberSerializer writes the fixed width, big-endian form of Java's Short, Integer, Long, Float,
// Double and Boolean serializers: 2, 4, 8, 4, 8 bytes and one.
func NumberSerializer[T int16 | int32 | int64 | float32 | float64 | bool](dst []byte, _ *SerializeContext, v T) ([]byte, error) {
	return binary.Append(dst, binary.BigEndian, v)
}

// UUIDSerializer writes the text form, as Java does: 36 characters, lower case.
func UUIDSerializer(dst []byte, _ *SerializeContext, v [16]byte) ([]byte, error) {
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, v[:n])
		copy(v[:], v[n:])
	}
	return dst, nil
}
