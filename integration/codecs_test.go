// codecs_test.go owns the comparison of what our codecs write with what
// franz-go's write, byte for byte of size. Neither network nor cluster.

package integration

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/record"
)

// worst is how much larger than franz-go's our compressed records may be.
const worst = 1.01

// values make records that look like something.
func values() map[string]func(*rand.Rand, int) []byte {
	alphabet := rand.New(rand.NewPCG(5, 6))
	words := make([][]byte, 2000)
	for i := range words {
		words[i] = make([]byte, 2+alphabet.IntN(9))
		for j := range words[i] {
			words[i][j] = 'a' + byte(alphabet.IntN(26))
		}
	}
	return map[string]func(*rand.Rand, int) []byte{
		"words": func(rng *rand.Rand, _ int) []byte {
			common := rand.NewZipf(rng, 1.1, 3, uint64(len(words)-1))
			var v []byte
			for range 20 + rng.IntN(20) {
				v = append(append(v, words[common.Uint64()]...), ' ')
			}
			return v
		},
		"json": func(rng *rand.Rand, i int) []byte {
			return fmt.Appendf(nil, `{"id":%d,"user":"user-%d","amount":%d.%02d,"currency":"EUR","at":%d,"ok":%t,"tags":["a%d","b%d"]}`,
				1_000_000+i, rng.IntN(5000), rng.IntN(1000), rng.IntN(100), int64(1_700_000_000_000)+int64(i)*37, rng.IntN(2) == 0, rng.IntN(50), rng.IntN(9))
		},
		"random": func(rng *rand.Rand, _ int) []byte {
			v := make([]byte, 160)
			for j := 0; j < len(v); j += 8 {
				binary.LittleEndian.PutUint64(v[j:], rng.Uint64())
			}
			return v
		},
	}
}

// records are those of a batch, as large as fits in size bytes, in the chunks
// that a batch grows by.
func records(size int, value func(*rand.Rand, int) []byte) [][]byte {
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	var b record.Builder
	b.Open(make([]byte, 512))
	for i := 0; ; i++ {
		r := bytesRecord{Timestamp: time.UnixMilli(1_700_000_000_000 + int64(i/10)), Value: value(rng, i)}
		if !fits(&b, size, r) {
			return b.AppendRecords(nil)
		}
	}
}

// fits puts a record into a batch of size bytes, unless it is full. Any record
// fits into an empty one.
func fits(b *record.Builder, size int, r bytesRecord) bool {
	at := r.Timestamp.UnixMilli()
	n, ok := b.TryAppend(size, at, r.Key, r.Value, r.Headers)
	if !ok && b.Size()+n > size && b.Count() > 0 {
		return false
	}
	if !ok {
		b.AppendAcross(make([]byte, max(n, 8<<10)), nil, at, r.Key, r.Value, r.Headers)
	}
	return true
}

// The levels are pairs: franz-go numbers zstd's as the library does, and lz4's
// by the depth of the search.
func TestCodecs_SizeAgainstFranz(t *testing.T) {
	for _, tc := range []struct {
		codec  record.Codec
		level  int
		franz  kgo.CompressionCodec
		pieces int // bytes franz-go is given at a time; 0: the whole batch
	}{
		{codec: record.CodecGzip, level: -1, franz: kgo.GzipCompression()},
		{codec: record.CodecGzip, level: 1, franz: kgo.GzipCompression().WithLevel(1)},
		{codec: record.CodecGzip, level: 6, franz: kgo.GzipCompression().WithLevel(6)},
		{codec: record.CodecGzip, level: 9, franz: kgo.GzipCompression().WithLevel(9)},
		{codec: record.CodecSnappy, level: record.DefaultLevel, franz: kgo.SnappyCompression()},
		// Java's frames have blocks of 64 KiB and so do ours; franz-go's of 4 MiB
		// are compared block by block, and the difference told.
		{codec: record.CodecLZ4, level: 9, franz: kgo.Lz4Compression(), pieces: 64 << 10},
		{codec: record.CodecLZ4, level: 7, franz: kgo.Lz4Compression().WithLevel(512), pieces: 64 << 10},
		{codec: record.CodecZstd, level: 1, franz: kgo.ZstdCompression().WithLevel(1)},
		{codec: record.CodecZstd, level: 3, franz: kgo.ZstdCompression().WithLevel(2)},
		{codec: record.CodecZstd, level: 7, franz: kgo.ZstdCompression().WithLevel(3)},
		{codec: record.CodecZstd, level: 19, franz: kgo.ZstdCompression().WithLevel(4)},
	} {
		ours, err := record.NewCompressor(tc.codec, tc.level)
		require.NoError(t, err)
		theirs, err := kgo.DefaultCompressor(tc.franz)
		require.NoError(t, err)
		kinds := values()
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 1 << 20} {
				name := fmt.Sprintf("%s %d, %s, %d KiB", tc.codec, tc.level, kind, size>>10)
				chunks := records(size, kinds[kind])
				whole := bytes.Join(chunks, nil)
				packed, err := ours.Compress(nil, chunks)
				require.NoError(t, err)
				full := franzSize(theirs, whole, len(whole))
				same := full
				if tc.pieces > 0 {
					same = franzSize(theirs, whole, tc.pieces)
				}
				ratio := float64(len(packed)) / float64(same)
				t.Logf("%s: %d bytes, %.4f of franz-go's, %.3f of the records", name, len(packed), ratio, float64(len(packed))/float64(len(whole)))
				if full != same {
					t.Logf("%s: %.4f of franz-go's in one block", name, float64(len(packed))/float64(full))
				}
				assert.LessOrEqual(t, ratio, worst, name)
				readEachOther(t, name, tc.codec, whole, packed, theirs)
			}
		}
	}
}

// The awkward records, in batches as large as the producer fills them for a codec
// when it has its defaults.
func TestCodecs_AwkwardRecords_SizeAgainstFranz(t *testing.T) {
	size := 4 * producer.NewConfig("").BatchSize
	var batches [][][]byte
	for partition := range awkwardPartitions {
		var b record.Builder
		b.Open(make([]byte, 512))
		for i := partition; i < awkwardRecords; i += awkwardPartitions {
			for !fits(&b, size, awkward("", i)) {
				batches = append(batches, b.AppendRecords(nil))
				b = record.Builder{}
				b.Open(make([]byte, 512))
			}
		}
		batches = append(batches, b.AppendRecords(nil))
	}
	for codec, franz := range map[record.Codec]kgo.CompressionCodec{
		record.CodecGzip:   kgo.GzipCompression(),
		record.CodecSnappy: kgo.SnappyCompression(),
		record.CodecLZ4:    kgo.Lz4Compression(),
		record.CodecZstd:   kgo.ZstdCompression(),
	} {
		ours, err := record.NewCompressor(codec, record.DefaultLevel)
		require.NoError(t, err)
		theirs, err := kgo.DefaultCompressor(franz)
		require.NoError(t, err)
		var before, packed, reference int
		for _, chunks := range batches {
			p, err := ours.Compress(nil, chunks)
			require.NoError(t, err)
			whole := bytes.Join(chunks, nil)
			before, packed, reference = before+len(whole), packed+len(p), reference+franzSize(theirs, whole, len(whole))
		}
		t.Logf("%s: %d bytes of %d batches become %d, %.4f of franz-go's", codec, before, len(batches), packed, float64(packed)/float64(reference))
		assert.LessOrEqual(t, float64(packed)/float64(reference), worst, codec)
	}
}

// readEachOther checks that both read what the other wrote.
func readEachOther(t *testing.T, name string, codec record.Codec, whole, packed []byte, theirs kgo.Compressor) {
	t.Helper()
	got, err := kgo.DefaultDecompressor().Decompress(packed, kgo.CompressionCodecType(codec))
	require.NoError(t, err, name)
	assert.True(t, bytes.Equal(whole, got), "%s: franz-go reads something else", name)
	packed, used := theirs.Compress(new(bytes.Buffer), whole)
	got, err = record.Decompress(nil, record.Codec(used), packed, len(whole))
	require.NoError(t, err, name)
	assert.True(t, bytes.Equal(whole, got), "%s: we read something else", name)
}

// franzSize is how many bytes franz-go makes of p, piece by piece.
func franzSize(c kgo.Compressor, p []byte, piece int) (n int) {
	for len(p) > 0 {
		here := p[:min(piece, len(p))]
		packed, _ := c.Compress(new(bytes.Buffer), here)
		n += len(packed)
		p = p[len(here):]
	}
	return n
}
