package record_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/record"
)

// codec_test.go owns the tests of codecs and their levels.

// compressing are the codecs that compress.
func compressing() []record.Codec {
	return []record.Codec{record.CodecGzip, record.CodecSnappy, record.CodecLZ4, record.CodecZstd}
}

// levels are all levels of a codec; of zstd's, the negative ones by three examples.
func levels(c record.Codec) []int {
	switch c {
	case record.CodecGzip:
		return []int{record.DefaultLevel, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	case record.CodecLZ4:
		return []int{record.DefaultLevel, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	case record.CodecZstd:
		return []int{record.DefaultLevel, -131072, -7, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}
	}
	return []int{record.DefaultLevel}
}

func TestCodec_Levels_AreJavas(t *testing.T) {
	for _, tc := range []struct {
		codec                      record.Codec
		lowest, highest, byDefault int
	}{
		{record.CodecGzip, -1, 9, -1},
		{record.CodecLZ4, 1, 17, 9},
		{record.CodecZstd, -131072, 22, 3},
		{record.CodecSnappy, record.DefaultLevel, record.DefaultLevel, record.DefaultLevel},
		{record.CodecNone, record.DefaultLevel, record.DefaultLevel, record.DefaultLevel},
	} {
		lowest, highest, standard := tc.codec.Levels()
		assert.Equal(t, []int{tc.lowest, tc.highest, tc.byDefault}, []int{lowest, highest, standard}, tc.codec)
	}
}

func TestNewCompressor_Levels(t *testing.T) {
	for _, tc := range []struct {
		codec record.Codec
		level int
		want  string // of the error
	}{
		{record.CodecGzip, -2, "compression level -2: gzip has -1 (its default) and 1 to 9"},
		{record.CodecGzip, 0, "compression level 0: gzip has -1 (its default) and 1 to 9"},
		{record.CodecGzip, 10, "compression level 10: gzip has -1 (its default) and 1 to 9"},
		{record.CodecSnappy, -1, "compression level -1: snappy has no levels"},
		{record.CodecSnappy, 1, "compression level 1: snappy has no levels"},
		{record.CodecLZ4, -1, "compression level -1: lz4 has 1 to 17"},
		{record.CodecLZ4, 0, "compression level 0: lz4 has 1 to 17"},
		{record.CodecLZ4, 18, "compression level 18: lz4 has 1 to 17"},
		{record.CodecZstd, -131073, "compression level -131073: zstd has -131072 to 22"},
		{record.CodecZstd, 23, "compression level 23: zstd has -131072 to 22"},
		{record.CodecZstd, math.MaxInt32, "compression level 2147483647: zstd has -131072 to 22"},
		{record.CodecNone, record.DefaultLevel, "codec none does not compress"},
		{record.CodecNone, 1, "compression level 1: none has no levels"},
		{5, record.DefaultLevel, "compression codec 5 is not known"},
		{-1, 1, "compression codec -1 is not known"},
	} {
		t.Run(fmt.Sprint(tc.codec, tc.level), func(t *testing.T) {
			c, err := record.NewCompressor(tc.codec, tc.level)
			assert.EqualError(t, err, tc.want)
			assert.Nil(t, c)
		})
	}
	for _, codec := range compressing() {
		for _, level := range levels(codec) {
			_, err := record.NewCompressor(codec, level)
			assert.NoError(t, err, "%s %d", codec, level)
			assert.NoError(t, codec.CheckLevel(level), "%s %d", codec, level)
		}
	}
	assert.NoError(t, record.CodecNone.CheckLevel(record.DefaultLevel))
}
