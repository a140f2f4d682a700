package wire

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestPutRecord_IsReadByOthers(t *testing.T) {
	for _, c := range []struct {
		key, value []byte
		ts         int64
		offset     int32
	}{
		{nil, []byte("v"), 0, 0},
		{[]byte{}, []byte{}, 0, 0},
		{[]byte("k"), bytes.Repeat([]byte("v"), 63), 63, 63},
		{[]byte("k"), bytes.Repeat([]byte("v"), 64), 64, 64},
		{bytes.Repeat([]byte("k"), 3999), bytes.Repeat([]byte("v"), 3999), 8191, 8191},
		{bytes.Repeat([]byte("k"), 4000), []byte("v"), 0, 0},
		{nil, bytes.Repeat([]byte("v"), 70_000), 1 << 20, 1 << 20},
		{nil, []byte("v"), -5, 3},
	} {
		b := make([]byte, MaxRecord(len(c.key), len(c.value)))
		end := PutRecord(b, 0, c.ts, c.offset, c.key, c.value)

		var r kmsg.Record
		require.NoError(t, r.ReadFrom(b[:end]))
		assert.Equal(t, c.key, r.Key)
		assert.Equal(t, c.value, r.Value)
		assert.Equal(t, c.ts, r.TimestampDelta64)
		assert.Equal(t, c.offset, r.OffsetDelta)
		assert.Empty(t, r.Headers)
		length, n := binary.Varint(b)
		assert.EqualValues(t, end-n, length)
	}
}

func TestPutHeader_IsReadByOthers(t *testing.T) {
	b := make([]byte, HeaderLen, 200)
	b = append(b, "these would be records"...)
	PutHeader(b, Batch{Size: len(b) + 4, Records: 3, First: 10, Last: 12, ProducerID: 7, Epoch: 2, Sequence: 9})
	PutCRC(b, [][]byte{[]byte("more")})

	var r kmsg.RecordBatch
	require.NoError(t, r.ReadFrom(append(b, "more"...)))
	assert.EqualValues(t, len(b)+4-12, r.Length)
	assert.EqualValues(t, 2, r.Magic)
	assert.EqualValues(t, 2, r.LastOffsetDelta)
	assert.EqualValues(t, 3, r.NumRecords)
	assert.EqualValues(t, []int64{10, 12, 7, 2, 9}, []int64{r.FirstTimestamp, r.MaxTimestamp, r.ProducerID, int64(r.ProducerEpoch), int64(r.FirstSequence)})
	assert.Equal(t, crc32.Checksum(append(b[21:], "more"...), castagnoli), uint32(r.CRC))
}
