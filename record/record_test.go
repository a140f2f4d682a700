package record_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/record"
)

const ts = 1_700_000_000_000

// build writes records into chunks of the given sizes (the last one repeats) as the producer does.
func build(s record.Stamp, chunks []int, records ...record.Record) (wire []byte, b *record.Builder) {
	b = &record.Builder{}
	next := func() []byte {
		n := chunks[0]
		if len(chunks) > 1 {
			chunks = chunks[1:]
		}
		return bytes.Repeat([]byte{0xee}, n)
	}
	chunks[0] = max(chunks[0], record.HeaderSize)
	b.Open(next())
	for _, r := range records {
		before := b.Size()
		size, ok := b.TryAppend(math.MaxInt, r.Timestamp, r.Key, r.Value, r.Headers)
		if !ok {
			first := next()
			var more [][]byte
			for missing := size - b.Room() - len(first); missing > 0; missing -= len(more[len(more)-1]) {
				more = append(more, next())
			}
			rest := b.AppendAcross(first, append(more, nil), r.Timestamp, r.Key, r.Value, r.Headers)
			if len(rest) != 1 || rest[0] != nil {
				panic(fmt.Sprintf("%d chunks are left", len(rest)))
			}
		}
		if got := b.Size() - before; got != size {
			panic(fmt.Sprintf("announced %d bytes, wrote %d", size, got))
		}
	}
	b.Seal(s)
	return bytes.Join(b.AppendChunks(nil), nil), b
}

func TestBuilder_Seal_GoldenBytes(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		stamp      record.Stamp
		records    []record.Record
	}{
		{
			name:    "one record without producer id",
			want:    "000000000000000000000040ffffffff02db5e9cdd0000000000000000018bcfe568000000018bcfe56800ffffffffffffffffffffffffffff000000011c000000066b65790a76616c756500",
			stamp:   record.NoProducer(),
			records: []record.Record{{Timestamp: ts, Key: []byte("key"), Value: []byte("value")}},
		},
		{
			name:  "transactional, null and empty, headers, time going back",
			want:  "000000000000000000000054ffffffff0299ef9b330010000000020000018bcfe568000000018bcfe5680500000000000003e900030000002a0000000310000000010476300024000a02046b310104046831046876046832010c000d04000000",
			stamp: record.Stamp{ProducerID: 1001, ProducerEpoch: 3, BaseSequence: 42, Transactional: true},
			records: []record.Record{
				{Timestamp: ts, Value: []byte("v0")},
				{Timestamp: ts + 5, Key: []byte("k1"), Headers: []record.Header{{Key: "h1", Value: []byte("hv")}, {Key: "h2"}}},
				{Timestamp: ts - 7, Key: []byte{}, Value: []byte{}},
			},
		},
	} {
		for _, chunks := range [][]int{{4096}, {61, 1}, {64, 7}, {70, 3, 1}} {
			t.Run(fmt.Sprint(tc.name, chunks), func(t *testing.T) {
				got, _ := build(tc.stamp, chunks, tc.records...)
				assert.Equal(t, tc.want, hex.EncodeToString(got))
			})
		}
	}
}

func TestBuilder_Seal_AgainWithAnotherStamp(t *testing.T) {
	r := record.Record{Timestamp: ts, Value: []byte("v")}
	want, _ := build(record.Stamp{ProducerID: 7, ProducerEpoch: 1, BaseSequence: 0}, []int{512}, r)
	_, b := build(record.Stamp{ProducerID: 7, ProducerEpoch: 0, BaseSequence: 9}, []int{512}, r)
	b.Seal(record.Stamp{ProducerID: 7, ProducerEpoch: 1, BaseSequence: 0})
	assert.Equal(t, want, bytes.Join(b.AppendChunks(nil), nil))
}

func TestBuilder_Seal_TimestampsAndCounts(t *testing.T) {
	wire, _ := build(record.NoProducer(), []int{512},
		record.Record{Timestamp: 100}, record.Record{Timestamp: 300}, record.Record{Timestamp: 200})
	b, rest, err := record.ReadBatch(wire)
	require.NoError(t, err)
	assert.Empty(t, rest)
	assert.Equal(t, int64(100), b.BaseTimestamp)
	assert.Equal(t, int64(300), b.MaxTimestamp)
	assert.Equal(t, int32(2), b.LastOffsetDelta)
	assert.Equal(t, int32(3), b.Count)
	assert.Equal(t, int64(0), b.BaseOffset)
	assert.Equal(t, int32(-1), b.PartitionLeaderEpoch)
	var times []int64
	for r, err := range b.Records() {
		require.NoError(t, err)
		times = append(times, r.Timestamp)
	}
	assert.Equal(t, []int64{100, 300, 200}, times)
}

func TestBuilder_Replace_CompressedBatchReadsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, codec := range []record.Codec{record.CodecGzip, record.CodecSnappy, record.CodecLZ4, record.CodecZstd} {
		compressor, err := record.NewCompressor(codec, record.DefaultLevel)
		require.NoError(t, err)
		for range 50 {
			var in []record.Record
			for i := range rng.IntN(200) + 20 {
				in = append(in, record.Record{OffsetDelta: int32(i), Timestamp: ts + int64(i), Key: []byte("a key"), Value: bytes.Repeat([]byte{byte(i)}, rng.IntN(100))})
			}
			chunks := []int{61 + rng.IntN(300), 1 + rng.IntN(100)}
			_, b := build(record.NoProducer(), chunks, in...)
			uncompressed := b.Size()
			capacity := 0
			for _, c := range b.AppendChunks(nil) {
				capacity += cap(c)
			}
			compressed, err := compressor.Compress(nil, b.AppendRecords(nil))
			require.NoError(t, err)
			free := b.Replace(codec, compressed, nil)
			b.Seal(record.Stamp{ProducerID: 9, BaseSequence: 3})
			assert.Equal(t, record.HeaderSize+len(compressed), b.Size())
			assert.Less(t, b.Size(), uncompressed)
			batch, rest, err := record.ReadBatch(bytes.Join(b.AppendChunks(nil), nil))
			require.NoError(t, err)
			assert.Empty(t, rest)
			assert.Equal(t, codec, batch.Codec())
			var out []record.Record
			for r, err := range batch.Records() {
				require.NoError(t, err)
				out = append(out, r)
			}
			require.Equal(t, in, out)
			for _, c := range b.Close(free) {
				capacity -= len(c)
			}
			assert.Zero(t, capacity, "every chunk came back")
		}
	}
}

func TestBuilder_Close_ReturnsWholeChunks(t *testing.T) {
	_, b := build(record.NoProducer(), []int{64, 32, 128}, record.Record{Value: make([]byte, 90)}, record.Record{Value: make([]byte, 20)})
	var n int
	for _, c := range b.Close(nil) {
		n += len(c)
	}
	assert.GreaterOrEqual(t, n, 64+32+61)
	assert.Zero(t, b.Size())
	assert.Empty(t, b.Close(nil), "a chunk is given back once")
}

func randomBytes(rng *rand.Rand, limit int) []byte {
	switch rng.IntN(6) {
	case 0:
		return nil
	case 1:
		return []byte{}
	}
	b := make([]byte, rng.IntN(limit)+1)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func randomRecord(rng *rand.Rand) record.Record {
	r := record.Record{Timestamp: ts + rng.Int64N(1<<40) - 1<<39, Key: randomBytes(rng, 80), Value: randomBytes(rng, 400)}
	if rng.IntN(3) == 0 {
		for range rng.IntN(70) + 1 {
			r.Headers = append(r.Headers, record.Header{Key: string(randomBytes(rng, 90)), Value: randomBytes(rng, 90)})
		}
	}
	return r
}

func TestBuilder_ReadBatch_RoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var in []record.Record
		upper := record.HeaderSize
		for i := range rng.IntN(300) + 1 {
			r := randomRecord(rng)
			r.OffsetDelta = int32(i)
			upper += record.UpperBound(r.Key, r.Value, r.Headers) - record.HeaderSize
			in = append(in, r)
		}
		stamp := record.Stamp{ProducerID: rng.Int64(), ProducerEpoch: int16(rng.IntN(32768)), BaseSequence: rng.Int32()}
		wire, _ := build(stamp, []int{61 + rng.IntN(500), 1 + rng.IntN(300)}, in...)
		assert.LessOrEqual(t, len(wire), upper)
		b, rest, err := record.ReadBatch(append(wire, 1, 2, 3))
		require.NoError(t, err)
		assert.Equal(t, []byte{1, 2, 3}, rest)
		assert.Equal(t, stamp, record.Stamp{ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch, BaseSequence: b.BaseSequence})
		var out []record.Record
		for r, err := range b.Records() {
			require.NoError(t, err)
			out = append(out, r)
		}
		require.Equal(t, in, out)
	}
}

func TestBuilder_TryAppend_Limit(t *testing.T) {
	var b record.Builder
	b.Open(make([]byte, 512))
	size, ok := b.TryAppend(10, ts, nil, make([]byte, 100), nil)
	assert.True(t, ok, "the first record may outgrow the limit")
	_, ok = b.TryAppend(record.HeaderSize+2*size-1, ts, nil, make([]byte, 100), nil)
	assert.False(t, ok)
	assert.Equal(t, int32(1), b.Count())
	_, ok = b.TryAppend(record.HeaderSize+2*size, ts, nil, make([]byte, 100), nil)
	assert.True(t, ok)
}

func TestBuilder_Append_ExtremeVarints(t *testing.T) {
	for _, at := range []int64{0, 63, 64, -64, -65, 8191, 8192, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		wire, _ := build(record.NoProducer(), []int{512}, record.Record{}, record.Record{Timestamp: at, OffsetDelta: 1})
		b, _, err := record.ReadBatch(wire)
		require.NoError(t, err)
		for r, err := range b.Records() {
			require.NoError(t, err)
			if r.OffsetDelta == 1 {
				assert.Equal(t, at, r.Timestamp)
			}
		}
	}
}

func TestReadBatch_Malformed(t *testing.T) {
	good, _ := build(record.NoProducer(), []int{512}, record.Record{Timestamp: ts, Key: []byte("k"), Value: []byte("value")})
	for i := range good { // every single byte that matters is guarded by a check
		bad := bytes.Clone(good)
		bad[i] ^= 0x5a
		b, _, err := record.ReadBatch(bad)
		if i < 8 || i >= 12 && i < 16 {
			require.NoError(t, err, "the broker fills in byte %d", i)
			continue
		}
		assert.ErrorIs(t, err, record.ErrMalformed, "byte %d gave %+v", i, b)
	}
	for n := range good {
		_, _, err := record.ReadBatch(good[:n])
		assert.ErrorIs(t, err, record.ErrMalformed, "%d bytes", n)
	}
}

func TestBuilder_Append_AllocatesNothing(t *testing.T) {
	b := &record.Builder{}
	chunk, next := make([]byte, 1<<14), make([]byte, 1<<14)
	key, value := []byte("0123456789abcdef"), make([]byte, 100)
	headers := []record.Header{{Key: "trace", Value: value}}
	var chunks [][]byte
	got := testing.AllocsPerRun(20, func() {
		b.Open(chunk)
		for ok := true; ok; {
			_, ok = b.TryAppend(1<<20, ts, key, value, headers)
		}
		b.AppendAcross(next, nil, ts, key, value, headers)
		b.Seal(record.NoProducer())
		chunks = b.Close(chunks[:0])
	})
	assert.LessOrEqual(t, got, 0.0)
}

// FuzzReadBatch holds the reader to its promise: no panic, and what it accepts is written back the same.
func FuzzReadBatch(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		wire, _ := build(record.NoProducer(), []int{512}, randomRecord(rng), randomRecord(rng))
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		p = bytes.Clone(p)    // the fuzzer's own
		record.FixChecksum(p) // else nothing gets past it
		b, _, err := record.ReadBatch(p)
		if err != nil {
			return
		}
		n := 0
		for r, err := range b.Records() {
			if err != nil {
				return
			}
			n += len(r.Key) + len(r.Value) + len(r.Headers)
		}
		if n > len(p) {
			t.Fatalf("%d bytes of records out of %d", n, len(p))
		}
	})
}
