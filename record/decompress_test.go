package record_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/record"
)

// decompress_test.go owns the tests of reading what others wrote, and of hostile bytes.

// Batches of one record, null key, value 200 times "x", as Java 4.4 writes them.
const (
	goldenLZ4    = "000000000000000000000053ffffffff022e6052310003000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000104224d18604082130000009f9e03000000019003780100b050787878780000000000"
	goldenSnappy = "00000000000000000000005effffffff024e0848c00002000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000182534e4150505900000000010000000100000019d101209e0300000001900378fe0100fe0100fe01000d010000"
	goldenGzip   = "000000000000000000000051ffffffff02683b8f7e0001000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff000000011f8b08000000000000ff9bc7ccc0c0c03881b962980006009d68c6c1d1000000"
	goldenZstd   = "00000000000000000000004effffffff02d09d5d7d0004000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff0000000128b52ffd00588c0000509e0300000001900378000100440a1c01010000"
)

func TestDecompress_GoldenBytes(t *testing.T) {
	plain, _ := build(record.NoProducer(), []int{512}, record.Record{Timestamp: ts, Value: bytes.Repeat([]byte("x"), 200)})
	want := plain[record.HeaderSize:]
	for codec, golden := range map[record.Codec]string{
		record.CodecGzip: goldenGzip, record.CodecSnappy: goldenSnappy, record.CodecLZ4: goldenLZ4, record.CodecZstd: goldenZstd,
	} {
		wire, err := hex.DecodeString(golden)
		require.NoError(t, err)
		b, _, err := record.ReadBatch(wire)
		require.NoError(t, err)
		require.Equal(t, codec, b.Codec())
		got, err := record.Decompress(nil, codec, wire[record.HeaderSize:], len(want))
		require.NoError(t, err)
		assert.Equal(t, want, got, "the records of the batch without compression")
		_, err = record.Decompress(nil, codec, wire[record.HeaderSize:], len(want)-1)
		assert.ErrorIs(t, err, record.ErrLimit, codec)
	}
}

// foreign is want as other writers write it.
func foreign(t testing.TB, want []byte) map[string]packed {
	in := make(map[string]packed)
	for _, level := range []int{stdgzip.HuffmanOnly, 0, 1, 6} {
		var b bytes.Buffer
		w, err := stdgzip.NewWriterLevel(&b, level)
		require.NoError(t, err)
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		pour(t, w, want)
		in[fmt.Sprint("gzip with a long header, level ", level)] = packed{record.CodecGzip, b.Bytes()}
	}
	in["snappy, one raw block"] = packed{record.CodecSnappy, snappy.Encode(nil, want)}
	for _, size := range []lz4.BlockSize{lz4.Block64Kb, lz4.Block4Mb} {
		for _, sums := range []bool{false, true} {
			for _, known := range []uint64{0, uint64(len(want))} {
				var b bytes.Buffer
				w := lz4.NewWriter(&b)
				require.NoError(t, w.Apply(lz4.BlockSizeOption(size), lz4.BlockChecksumOption(sums), lz4.ChecksumOption(sums), lz4.SizeOption(known)))
				pour(t, w, want)
				in[fmt.Sprint("lz4, blocks of ", size, ", checksums ", sums, ", size ", known)] = packed{record.CodecLZ4, b.Bytes()}
			}
		}
	}
	for _, window := range []int{1 << 10, 64 << 10, 8 << 20} {
		for _, sum := range []bool{false, true} {
			w, err := zstd.NewWriter(nil, zstd.WithWindowSize(window), zstd.WithEncoderCRC(sum),
				zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
			require.NoError(t, err)
			in[fmt.Sprint("zstd of known size, window ", window, ", checksum ", sum)] = packed{record.CodecZstd, w.EncodeAll(want, nil)}
			var b bytes.Buffer
			w.Reset(&b)
			_, err = w.Write(want[:len(want)/2])
			require.NoError(t, err)
			require.NoError(t, w.Flush())
			pour(t, w, want[len(want)/2:])
			in[fmt.Sprint("zstd of unknown size, window ", window, ", checksum ", sum)] = packed{record.CodecZstd, b.Bytes()}
		}
	}
	skip := []byte{0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}
	frame := in["zstd of unknown size, window 65536, checksum true"].bytes
	in["zstd with a frame to skip"] = packed{record.CodecZstd, bytes.Join([][]byte{skip, frame, skip}, nil)}
	return in
}

type packed struct {
	codec record.Codec
	bytes []byte
}

func pour(t testing.TB, w io.WriteCloser, p []byte) {
	t.Helper()
	_, err := w.Write(p)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func TestDecompress_OtherWriters(t *testing.T) {
	var d record.Decompressor
	for name, want := range map[string][]byte{
		"nothing": nil, "one byte": {0}, "14 bytes": prose(14), "200 bytes": prose(200),
		"64 KiB and 1": prose(64<<10 + 1), "300 KB of noise": noise(300_000), "1 MB": prose(1_000_000),
	} {
		for kind, p := range foreign(t, want) {
			got, err := d.Decompress([]byte("p"), p.codec, p.bytes, len(want))
			require.NoError(t, err, "%s, %s", name, kind)
			require.True(t, bytes.Equal(append([]byte("p"), want...), got), "%s, %s", name, kind)
			if len(want) > 0 {
				got, err = d.Decompress([]byte("p"), p.codec, p.bytes, len(want)-1)
				require.ErrorIs(t, err, record.ErrLimit, "%s, %s", name, kind)
				require.NotErrorIs(t, err, record.ErrMalformed, "%s, %s", name, kind)
				require.Equal(t, []byte("p"), got)
			}
		}
	}
}

func TestDecompress_ZstdFramesAddUp(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	a, b := prose(100_000), noise(1000)
	src := w.EncodeAll(b, w.EncodeAll(a, nil))
	got, err := record.Decompress(nil, record.CodecZstd, src, 101_000)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(append(a, b...), got))
	_, err = record.Decompress(nil, record.CodecZstd, src, 100_999)
	assert.ErrorIs(t, err, record.ErrLimit)
}

// No library at hand writes blocks that look back into the one before.
func TestDecompress_LZ4DependentBlocks(t *testing.T) {
	src := []byte{0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0}
	src[6] = byte(record.XXH32(src[4:6]) >> 8)
	src = append(src, 8, 0, 0, 0x80)
	src = append(src, "abcdefgh"...)
	src = append(src, 9, 0, 0, 0, 0x13, 'X', 9, 0, 0x50) // X, 7 bytes from 9 bytes back, 5 more
	src = append(src, "12345"...)
	src[len(src)-14] = 10
	src = append(src, 0, 0, 0, 0)
	got, err := record.Decompress([]byte("before"), record.CodecLZ4, src, 100)
	require.NoError(t, err)
	assert.Equal(t, "before"+"abcdefgh"+"X"+"abcdefg"+"12345", string(got))
	src[4] |= 0x20 // independent
	src[6] = byte(record.XXH32(src[4:6]) >> 8)
	_, err = record.Decompress([]byte("before"), record.CodecLZ4, src, 100)
	assert.ErrorIs(t, err, record.ErrMalformed)
}

func TestDecompress_NoCodec(t *testing.T) {
	got, err := record.Decompress([]byte("a"), record.CodecNone, []byte("bc"), 2)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(got))
	_, err = record.Decompress(nil, record.CodecNone, []byte("bc"), 1)
	assert.ErrorIs(t, err, record.ErrLimit)
	for _, codec := range []record.Codec{-1, 5, 7} {
		_, err = record.Decompress(nil, codec, []byte("bc"), 2)
		assert.ErrorIs(t, err, record.ErrMalformed)
	}
}

func TestDecompress_Malformed(t *testing.T) {
	xerial := "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
	for name, p := range map[string]packed{
		"gzip, nothing":                     {record.CodecGzip, nil},
		"snappy, nothing":                   {record.CodecSnappy, nil},
		"lz4, nothing":                      {record.CodecLZ4, nil},
		"zstd, nothing":                     {record.CodecZstd, nil},
		"snappy, half a header":             {record.CodecSnappy, []byte(xerial[:12])},
		"snappy, half a length":             {record.CodecSnappy, []byte(xerial + "\x00\x00")},
		"snappy, negative length":           {record.CodecSnappy, []byte(xerial + "\xff\xff\xff\xff\x00")},
		"snappy, a few bytes for gigabytes": {record.CodecSnappy, []byte("\xff\xff\xff\xff\x0f\x00a")},
		"gzip, a few bytes for gigabytes":   {record.CodecGzip, append(make([]byte, 30), 0xff, 0xff, 0xff, 0xff)},
		"zstd, a reserved block":            {record.CodecZstd, []byte("\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00")},
		"zstd, more said than blocks hold":  {record.CodecZstd, []byte("\x28\xb5\x2f\xfd\xa0\xff\xff\xff\x00\x09\x00\x00a")},
		"zstd, a dictionary":                {record.CodecZstd, []byte("\x28\xb5\x2f\xfd\x21\x07\x01\x09\x00\x00a")},
		"lz4, old magic":                    {record.CodecLZ4, []byte("\x02\x21\x4c\x18\x60\x40\x82\x00\x00\x00\x00")},
		"lz4, wrong header checksum":        {record.CodecLZ4, []byte("\x04\x22\x4d\x18\x60\x40\x83\x00\x00\x00\x00")},
		"lz4, a block over the block size":  {record.CodecLZ4, []byte("\x04\x22\x4d\x18\x60\x40\x82\x01\x00\x01\x80" + string(make([]byte, 65537)) + "\x00\x00\x00\x00")},
		"lz4, bytes after the end":          {record.CodecLZ4, []byte("\x04\x22\x4d\x18\x60\x40\x82\x00\x00\x00\x00a")},
	} {
		got, err := record.Decompress([]byte("p"), p.codec, p.bytes, 1<<20)
		assert.ErrorIs(t, err, record.ErrMalformed, name)
		assert.Equal(t, []byte("p"), got, name)
	}
}

// Whatever is cut or changed, there is an error of ours or an outcome within the limit; of what is cut,
// an error.
func TestDecompress_CutAndChangedBytes(t *testing.T) {
	var d record.Decompressor
	want := append(prose(600), noise(60)...)
	in := foreign(t, want)
	for _, codec := range compressing() {
		p, err := newCompressor(t, codec, record.DefaultLevel).Compress(nil, [][]byte{want})
		require.NoError(t, err)
		in[codec.String()] = packed{codec, p}
	}
	for name, p := range in {
		for n := range p.bytes {
			if name == "zstd with a frame to skip" && (n == 11 || len(p.bytes)-n == 11) {
				continue // whole frames are left
			}
			_, err := d.Decompress(nil, p.codec, p.bytes[:n], 1<<20)
			if name == "snappy" && n == 16 {
				continue // no block is left
			}
			require.ErrorIs(t, err, record.ErrMalformed, "%s, %d bytes", name, n)
		}
		for i := range p.bytes {
			bad := bytes.Clone(p.bytes)
			bad[i] ^= byte(i%255) + 1
			got, err := d.Decompress(nil, p.codec, bad, 4000)
			require.LessOrEqual(t, len(got), 4000)
			if err != nil {
				require.True(t, isOurs(err), "%s, byte %d: %v", name, i, err)
			}
		}
	}
}

// bombs are few bytes that decompress to 32 MiB.
func bombs(t *testing.T) map[string]packed {
	want := make([]byte, 32<<20)
	in := foreign(t, want)
	for _, codec := range compressing() {
		p, err := newCompressor(t, codec, record.DefaultLevel).Compress(nil, [][]byte{want})
		require.NoError(t, err)
		in[codec.String()] = packed{codec, p}
	}
	repeat := func(head, block, last string, n int) packed {
		return packed{record.CodecZstd, append(append([]byte(head), bytes.Repeat([]byte(block), n)...), last...)}
	}
	in["zstd, repeated bytes in a wide window"] = repeat("\x28\xb5\x2f\xfd\x00\x88", "\x02\x00\x10a", "\x03\x00\x10a", 600)
	// Literals of one repeated byte, 128 KiB - 1 of them, no sequences.
	in["zstd, literals in a wide window"] = repeat("\x28\xb5\x2f\xfd\x00\x88", "\x2c\x00\x00\xfd\xff\x1fa\x00", "\x2d\x00\x00\xfd\xff\x1fa\x00", 600)
	return in
}

func TestDecompress_BombsTakeNoMoreThanTheLimit(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the race detector allocates")
	}
	for name, p := range bombs(t) {
		for _, limit := range []int{0, 100, 100_000, 1 << 20, 10 << 20} {
			var d record.Decompressor
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.Decompress(nil, p.codec, p.bytes, limit)
			runtime.ReadMemStats(&after)
			assert.ErrorIs(t, err, record.ErrLimit, "%s, limit %d", name, limit)
			taken := after.TotalAlloc - before.TotalAlloc
			assert.LessOrEqual(t, taken, uint64(limit+limit/8+len(p.bytes)+768<<10), "%s, limit %d", name, limit)
		}
	}
	_, err := record.Decompress(nil, record.CodecGzip, nil, math.MinInt)
	assert.ErrorIs(t, err, record.ErrMalformed, "a limit below zero is one of zero")
}

func isOurs(err error) bool {
	return errors.Is(err, record.ErrMalformed) || errors.Is(err, record.ErrLimit)
}
