package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestHeader_Bytes(t *testing.T) {
	for _, tc := range []struct {
		name     string
		key      Key
		version  int16
		clientID string
		wire     string
	}{
		{"version 1", Produce, 8, "me", `0000 0008 00000102 0002 6d65`},
		{"version 2", Produce, 9, "me", `0000 0009 00000102 0002 6d65 00`},
		{"no client id", Metadata, 1, "", `0003 0001 00000102 ffff`},
		{"ApiVersions 2", ApiVersions, 2, "me", `0012 0002 00000102 0002 6d65`},
		{"ApiVersions 3", ApiVersions, 3, "me", `0012 0003 00000102 0002 6d65 00`},
		{"ApiVersions to come", ApiVersions, 99, "me", `0012 0063 00000102 0002 6d65 00`},
		{"InitProducerId 2", InitProducerID, 2, "me", `0016 0002 00000102 0002 6d65 00`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wire := unhex(t, tc.wire)
			assert.Equal(t, append([]byte("x"), wire...), AppendRequestHeader([]byte("x"), tc.key, tc.version, 0x102, tc.clientID))

			key, version, correlationID, clientID, body, err := ReadRequestHeader(append(wire, "body"...))
			require.NoError(t, err)
			assert.Equal(t, []any{tc.key, tc.version, int32(0x102), tc.clientID}, []any{key, version, correlationID, clientID})
			assert.Equal(t, "body", string(body))

			for n := range wire {
				_, _, _, _, _, err := ReadRequestHeader(wire[:n])
				require.ErrorIs(t, err, ErrMalformed)
			}
		})
	}
}

func TestReadRequestHeader_UnknownAPI(t *testing.T) {
	key, version, correlationID, _, _, err := ReadRequestHeader(unhex(t, `00ff 0001 00000102 ffff 1234`))
	require.ErrorIs(t, err, ErrMalformed)
	assert.Contains(t, err.Error(), "Key(255)")
	assert.Equal(t, []any{Key(255), int16(1), int32(0x102)}, []any{key, version, correlationID})
}

func TestResponseHeader_Bytes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		key     Key
		version int16
		wire    string
	}{
		{"version 0", Produce, 8, `00000102`},
		{"version 1", Produce, 9, `00000102 00`},
		{"InitProducerId 2", InitProducerID, 2, `00000102 00`},
		{"ApiVersions is always version 0", ApiVersions, 5, `00000102`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wire := unhex(t, tc.wire)
			assert.Equal(t, append([]byte("x"), wire...), AppendResponseHeader([]byte("x"), tc.key, tc.version, 0x102))

			correlationID, body, err := ReadResponseHeader(append(wire, "body"...), tc.key, tc.version)
			require.NoError(t, err)
			assert.Equal(t, int32(0x102), correlationID)
			assert.Equal(t, "body", string(body))

			for n := range wire {
				_, _, err := ReadResponseHeader(wire[:n], tc.key, tc.version)
				require.ErrorIs(t, err, ErrMalformed)
			}
		})
	}
}

func TestReadResponseHeader_SkipsTags(t *testing.T) {
	_, body, err := ReadResponseHeader(unhex(t, `00000102 01 05 02 aabb 77`), Produce, 9)
	require.NoError(t, err)
	assert.Equal(t, []byte{0x77}, body)
}

func TestKey(t *testing.T) {
	for _, tc := range []struct {
		key          Key
		name         string
		lo, hi, flex int16
	}{
		{Produce, "Produce", 3, 13, 9},
		{Metadata, "Metadata", 1, 13, 9},
		{ApiVersions, "ApiVersions", 0, 5, 3},
		{InitProducerID, "InitProducerId", 0, 5, 2},
		{Key(1), "Key(1)", 0, -1, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.name, tc.key.String())
			lo, hi := tc.key.Versions()
			assert.Equal(t, []int16{tc.lo, tc.hi, tc.flex}, []int16{lo, hi, tc.key.FlexibleFrom()})
			assert.False(t, tc.key.Supports(tc.lo-1))
			assert.False(t, tc.key.Supports(tc.hi+1))
			if tc.flex < 0 {
				assert.False(t, tc.key.Flexible(5))
				return
			}
			assert.True(t, tc.key.Supports(tc.lo) && tc.key.Supports(tc.hi))
			assert.False(t, tc.key.Flexible(tc.flex-1))
			assert.True(t, tc.key.Flexible(tc.flex))
		})
	}
}

func TestVersionsNotSpoken(t *testing.T) {
	for _, version := range []int16{-1, 2, 14} {
		assert.ErrorIs(t, Decode(nil, &ProduceRequest{}, version), ErrMalformed)
		assert.Panics(t, func() { Append(nil, &ProduceRequest{}, version) })
		assert.Panics(t, func() { AppendVectors(nil, nil, &ProduceRequest{}, version) })
	}
}
