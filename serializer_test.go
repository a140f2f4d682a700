package producer

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// hexOf is what s makes of v, "null" for a null.
func hexOf[T any](t *testing.T, s Serializer[T], v T) string {
	t.Helper()
	b, err := s(make([]byte, 0, 4), &SerializeContext{}, v)
	assert.NoError(t, err)
	if b == nil {
		return "null"
	}
	return hex.EncodeToString(b)
}

func TestNumberSerializer_JavasBytes(t *testing.T) {
	assert.Equal(t, "fffe", hexOf(t, NumberSerializer[int16], -2))
	assert.Equal(t, "000003e9", hexOf(t, NumberSerializer[int32], 1001))
	assert.Equal(t, "ffffffffffffffff", hexOf(t, NumberSerializer[int64], -1))
	assert.Equal(t, "3fc00000", hexOf(t, NumberSerializer[float32], 1.5))
	assert.Equal(t, "c002000000000000", hexOf(t, NumberSerializer[float64], -2.25))
	assert.Equal(t, "01", hexOf(t, NumberSerializer[bool], true))
	assert.Equal(t, "00", hexOf(t, NumberSerializer[bool], false))
}

func TestUUIDSerializer_JavasText(t *testing.T) {
	b, err := UUIDSerializer(nil, nil, [16]byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0})
	assert.NoError(t, err)
	assert.Equal(t, "123e4567-e89b-12d3-a456-426614174000", string(b))
}

func TestNullable(t *testing.T) {
	empty, full := "", "x"
	s := Nullable(StringSerializer)
	assert.Equal(t, "null", hexOf(t, s, nil))
	assert.Equal(t, "", hexOf(t, s, &empty))
	assert.Equal(t, "78", hexOf(t, s, &full))
	none := []byte(nil)
	assert.Equal(t, "", hexOf(t, Nullable(BytesSerializer), &none), "a pointer to nothing is empty, not null")
}

func TestJSONSerializer_NilIsNull(t *testing.T) {
	type order struct{ ID int }
	assert.Equal(t, "null", hexOf(t, JSONSerializer[*order], nil))
	assert.Equal(t, "null", hexOf(t, JSONSerializer[map[string]int], nil))
	assert.Equal(t, "null", hexOf(t, JSONSerializer[any], nil))
	assert.Equal(t, hex.EncodeToString([]byte(`{"ID":7}`)), hexOf(t, JSONSerializer[order], order{7}))
	assert.Equal(t, hex.EncodeToString([]byte("null")), hexOf(t, JSONSerializer[json.RawMessage], json.RawMessage("null")))
	_, err := JSONSerializer(nil, &SerializeContext{}, func() {})
	assert.Error(t, err)
}

func TestStringAndBytesSerializer(t *testing.T) {
	assert.Equal(t, "", hexOf(t, StringSerializer, ""))
	assert.Equal(t, "61", hexOf(t, StringSerializer, "a"))
	assert.Equal(t, "null", hexOf(t, BytesSerializer, nil))
	assert.Equal(t, "", hexOf(t, BytesSerializer, []byte{}))
}
