package protocol

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decoderOf(wire []byte, flexible bool) *coder {
	return &coder{buf: wire, end: len(wire), decoding: true, flexible: flexible}
}

func TestCoder_Uvarint(t *testing.T) {
	for _, tc := range []struct {
		value uint32
		wire  string
	}{
		{0, `00`}, {1, `01`}, {127, `7f`}, {128, `8001`}, {300, `ac02`}, {1<<14 - 1, `ff7f`}, {1 << 14, `808001`},
		{math.MaxInt32, `ffffffff07`}, {math.MaxUint32, `ffffffff0f`},
	} {
		var c coder
		c.putUvarint(tc.value)
		assert.Equal(t, unhex(t, tc.wire), c.buf)
		c = *decoderOf(c.buf, true)
		assert.Equal(t, tc.value, c.uvarint())
		assert.Empty(t, c.fault)
	}
}

func TestCoder_Uvarint_Refuses(t *testing.T) {
	for _, tc := range []struct{ wire, fault string }{
		{``, "message ends early"},
		{`80`, "message ends early"},
		{`ffffffff10`, "varint over 32 bits"},
		{`ffffffff8f00`, "varint over 32 bits"},
	} {
		c := decoderOf(unhex(t, tc.wire), true)
		assert.Zero(t, c.uvarint())
		assert.Equal(t, tc.fault, c.fault, tc.wire)
	}
}

func TestCoder_String_Refuses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		wire     string
		flexible bool
		fault    string
	}{
		{"null", `ffff`, false, "string is null"},
		{"negative", `fffe`, false, "impossible string length"},
		{"cut off", `0003 6162`, false, "message ends early"},
		{"no length", `00`, false, "message ends early"},
		{"null, flexible", `00`, true, "string is null"},
		{"cut off, flexible", `04 6162`, true, "message ends early"},
		{"too long", `818002` + strings.Repeat("61", 1<<15), true, "impossible string length"},
		{"length over 31 bits", `ffffffff0f`, true, "impossible string length"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := decoderOf(unhex(t, tc.wire), tc.flexible)
			s := "before"
			c.string(&s)
			assert.Equal(t, tc.fault, c.fault)
			assert.Equal(t, "before", s)
		})
	}
}

func TestCoder_NullString_RefusesNegativeLength(t *testing.T) {
	c := decoderOf(unhex(t, `8000`), false)
	var s NullString
	c.nullString(&s, true)
	assert.Equal(t, "impossible string length", c.fault)
}

func TestCoder_String_CutsWhatCannotBeSaid(t *testing.T) {
	long := strings.Repeat("a", MaxStringLen+1)
	for _, flexible := range []bool{false, true} {
		c := coder{flexible: flexible}
		c.string(&long)
		d := decoderOf(c.buf, flexible)
		var got string
		d.string(&got)
		assert.Empty(t, d.fault)
		assert.Equal(t, long[:MaxStringLen], got)
	}
}

func TestCoder_Array_Refuses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		wire     string
		flexible bool
		fault    string
	}{
		{"null", `ffffffff`, false, "array is null"},
		{"negative", `fffffffe`, false, "negative length"},
		{"longer than the message", `00000003 00000000 00000000 000000`, false, "array is longer than the message"},
		{"huge", `7fffffff 00000000`, false, "array is longer than the message"},
		{"null, flexible", `00`, true, "array is null"},
		{"huge, flexible", `ffffffff07 00000000`, true, "array is longer than the message"},
		{"length over 31 bits", `ffffffff0f 00000000`, true, "negative length"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := decoderOf(unhex(t, tc.wire), tc.flexible)
			var s []int32
			c.int32s(&s)
			assert.Equal(t, tc.fault, c.fault)
			assert.Empty(t, s)
		})
	}
}

func TestCoder_Array_KeepsElementsWhenItGrows(t *testing.T) {
	s := []ProduceResponseTopic{{Name: "a"}, {Name: "b"}}[:1]
	c := decoderOf(unhex(t, `00000003 00000000 00000000 00000000`), false)
	array(c, &s, 3)
	require.Len(t, s, 3)
	assert.Equal(t, "b", s[1].Name, "beyond the length, but usable again")
}

func TestCoder_Bool_AnyByteButZeroIsTrue(t *testing.T) {
	for wire, want := range map[byte]bool{0: false, 1: true, 2: true, 0xff: true} {
		var got bool
		decoderOf([]byte{wire}, false).bool(&got)
		assert.Equal(t, want, got)
	}
}

func TestDecode_SaysWhatIsWrongAndWhere(t *testing.T) {
	err := Decode(unhex(t, `02 70 04 31`), &ApiVersionsRequest{}, 3)
	assert.EqualError(t, err, "decode ApiVersions version 3: malformed message: message ends early at byte 3 of 4")
	err = Decode(unhex(t, `02 70 01 00 ff`), &ApiVersionsRequest{}, 3)
	assert.EqualError(t, err, "decode ApiVersions version 3: malformed message: bytes left over at byte 4 of 5")
}

// Lengths are believed only as far as the bytes that came with them can justify.
func TestDecode_AllocatesInProportionToInput(t *testing.T) {
	const size = 1 << 18
	for _, m := range allMessages() {
		lo, hi := m.Key().Versions()
		for version := lo; version <= hi; version++ {
			valid := Append(nil, m, version)
			for at := range min(len(valid), 64) {
				// Everything from here on is a huge length.
				wire := append(bytes.Clone(valid[:at]), unhex(t, `0000ffff`)...)
				if m.Key().Flexible(version) {
					wire = binary.AppendUvarint(bytes.Clone(valid[:at]), size/3)
				}
				wire = append(wire, make([]byte, size)...)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_ = Decode(wire, m, version)
				runtime.ReadMemStats(&after)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40*size), "%T version %d from byte %d", m, version, at)
			}
		}
	}
}
