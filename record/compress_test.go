package record_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/record"
)

// compress_test.go owns the tests of what a Compressor writes. Where there is another library that
// reads a format, it is the judge.

func newCompressor(tb testing.TB, codec record.Codec, level int) *record.Compressor {
	tb.Helper()
	c, err := record.NewCompressor(codec, level)
	require.NoError(tb, err)
	return c
}

// noise is n bytes that no codec makes smaller.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// prose is n bytes that every codec makes smaller.
func prose(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	words := strings.Fields(`a batch of records is sent to the leader of its partition, acknowledged, and
		forgotten; one that is not is sent again until its time is over: "user":"id", {"amount": 17}`)
	var b []byte
	for len(b) < n {
		b = append(append(b, words[rng.IntN(len(words))]...), byte(rng.IntN(64)))
	}
	return b[:n]
}

// shred cuts p into chunks anywhere, with empty ones among them.
func shred(p []byte, seed uint64) [][]byte {
	rng := rand.New(rand.NewPCG(seed, uint64(len(p))))
	most := []int{3, 700, 20_000, 200_000}[seed%4]
	if len(p) > 100_000 {
		most = max(most, 700)
	}
	var chunks [][]byte
	for len(p) > 0 {
		n := min(rng.IntN(most), len(p))
		chunks = append(chunks, p[:n])
		p = p[n:]
	}
	return chunks
}

// awkward are inputs around which code goes wrong.
func awkward() map[string][]byte {
	in := map[string][]byte{
		"nothing": nil, "one byte": {0}, "300 zeros": make([]byte, 300), "100 KB of zeros": make([]byte, 100_000),
		"300 KB": prose(300_000), "300 KB of noise": noise(300_000),
		"noise in prose": bytes.Join([][]byte{prose(50_000), noise(50_000), prose(50_000)}, nil),
	}
	for _, n := range []int{3, 14, 61, 200, 1023, 16 << 10} {
		in[fmt.Sprint(n, " bytes")] = prose(n)
		in[fmt.Sprint(n, " bytes of noise")] = noise(n)
	}
	for _, n := range []int{-1, 0, 1} {
		in[fmt.Sprint("64 KiB and ", n)] = prose(64<<10 + n)
		in[fmt.Sprint("128 KiB of noise and ", n)] = noise(128<<10 + n)
	}
	return in
}

func TestCompressor_Compress_RoundTrip(t *testing.T) {
	few := map[string][]byte{
		"nothing": nil, "one byte": {0}, "200 bytes": prose(200), "64 KiB": prose(64 << 10),
		"64 KiB and 1": prose(64<<10 + 1), "100 KB of zeros": make([]byte, 100_000),
		"noise in prose": bytes.Join([][]byte{prose(50_000), noise(50_000), prose(50_000)}, nil),
	}
	large := awkward()
	for _, n := range []int{-1, 0, 1} {
		large[fmt.Sprint("1 MiB and ", n)] = prose(1<<20 + n)
	}
	large["1 MiB of noise"], large["3 MB"] = noise(1<<20), prose(3_000_000)
	prefix := []byte("prefix")
	for _, codec := range compressing() {
		var d record.Decompressor
		for _, level := range levels(codec) {
			c := newCompressor(t, codec, level)
			in := few
			if level == record.DefaultLevel && !invariants.Enabled { // the slow levels take seconds for these
				in = large
			}
			seed := uint64(0)
			for name, want := range in {
				seed++
				packed, err := c.Compress(bytes.Clone(prefix), shred(want, seed))
				require.NoError(t, err)
				require.Equal(t, prefix, packed[:len(prefix)])
				whole, err := c.Compress(nil, [][]byte{want})
				require.NoError(t, err)
				require.Equal(t, whole, packed[len(prefix):], "%s %d: %s: chunks change the outcome", codec, level, name)
				got, err := d.Decompress(bytes.Clone(prefix), codec, whole, len(want))
				require.NoError(t, err, "%s %d: %s", codec, level, name)
				require.True(t, bytes.Equal(got, append(bytes.Clone(prefix), want...)), "%s %d: %s", codec, level, name)
			}
		}
	}
}

func TestCompressor_Compress_HigherLevelsAreSmaller(t *testing.T) {
	src := [][]byte{prose(60_000)}
	for codec, order := range map[record.Codec][]int{
		record.CodecGzip: {1, 6, 9}, record.CodecLZ4: {9, 2, 4, 8, 17}, record.CodecZstd: {-5, 3, 22},
	} {
		last := len(src[0])
		for _, level := range order {
			packed, err := newCompressor(t, codec, level).Compress(nil, src)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(packed), last, "%s %d", codec, level)
			last = len(packed)
		}
	}
}

func TestCompressor_Compress_GzipIsReadByTheStandardLibrary(t *testing.T) {
	for name, want := range awkward() {
		packed, err := newCompressor(t, record.CodecGzip, record.DefaultLevel).Compress(nil, [][]byte{want})
		require.NoError(t, err)
		r, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), name)
	}
}

func TestCompressor_Compress_SnappyFraming(t *testing.T) {
	c := newCompressor(t, record.CodecSnappy, record.DefaultLevel)
	in := awkward()
	in["3 MB"] = prose(3_000_000)
	for name, want := range in {
		packed, err := c.Compress(nil, shred(want, 2))
		require.NoError(t, err)
		require.Equal(t, "82534e41505059000000000100000001", hex.EncodeToString(packed[:16]), name)
		var got []byte
		for p := packed[16:]; len(p) > 0; {
			n := binary.BigEndian.Uint32(p)
			block, err := snappy.Decode(nil, p[4:4+n])
			require.NoError(t, err, name)
			require.LessOrEqual(t, len(block), 1<<20, name)
			got = append(got, block...)
			p = p[4+n:]
		}
		assert.True(t, bytes.Equal(want, got), name)
	}
}

func TestCompressor_Compress_LZ4Framing(t *testing.T) {
	for _, level := range []int{9, 1, 17} {
		c := newCompressor(t, record.CodecLZ4, level)
		for name, want := range awkward() {
			packed, err := c.Compress(nil, shred(want, 3))
			require.NoError(t, err)
			require.Equal(t, "04224d18"+"60"+"40"+"82", hex.EncodeToString(packed[:7]), name)
			require.Equal(t, packed[6], byte(record.XXH32(packed[4:6])>>8), "checksum of the header")
			var got []byte
			p := packed[7:]
			for {
				head := binary.LittleEndian.Uint32(p)
				p = p[4:]
				if head == 0 {
					break
				}
				n := head &^ (1 << 31)
				block := p[:n]
				if head>>31 == 0 { // on its own, without the blocks before
					room := make([]byte, 64<<10)
					size, err := lz4.UncompressBlock(block, room)
					require.NoError(t, err, name)
					require.Greater(t, size, int(n), "stored would be shorter")
					block = room[:size]
				}
				require.LessOrEqual(t, len(block), 64<<10, name)
				require.True(t, len(block) == 64<<10 || len(got)+len(block) == len(want), "a block is full or the last")
				got = append(got, block...)
				p = p[n:]
			}
			require.Empty(t, p, "nothing after the end mark")
			require.True(t, bytes.Equal(want, got), name)

			got, err = io.ReadAll(lz4.NewReader(bytes.NewReader(packed)))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), name)
		}
	}
}

func TestCompressor_Compress_ZstdFraming(t *testing.T) {
	for _, level := range []int{-131072, 3, 7, 22} {
		c := newCompressor(t, record.CodecZstd, level)
		for name, want := range awkward() {
			packed, err := c.Compress(nil, shred(want, 3))
			require.NoError(t, err)
			var h zstd.Header
			require.NoError(t, h.Decode(packed), name)
			assert.False(t, h.HasCheckSum, name)
			assert.Zero(t, h.DictionaryID, name)
			assert.LessOrEqual(t, h.WindowSize, uint64(64<<10), name)
			if h.SingleSegment { // then the size of the content is the window
				assert.LessOrEqual(t, h.FrameContentSize, uint64(64<<10), name)
			}
			if h.HasFCS {
				assert.Equal(t, uint64(len(want)), h.FrameContentSize, name)
			}
		}
	}
}

func TestXXH32_KnownSums(t *testing.T) {
	for in, want := range map[string]uint32{
		"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff, "Nobody inspects the spammish repetition": 0xe2293b2f,
	} {
		assert.Equal(t, want, record.XXH32([]byte(in)), in)
	}
}
