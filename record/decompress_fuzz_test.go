package record_test

import (
	"bytes"
	"testing"

	"github.com/kafka-go-producer/producer/record"
)

// decompress_fuzz_test.go owns the fuzzing of Decompress, a target per codec.

func FuzzDecompress_Gzip(f *testing.F)   { fuzzDecompress(f, record.CodecGzip) }
func FuzzDecompress_Snappy(f *testing.F) { fuzzDecompress(f, record.CodecSnappy) }
func FuzzDecompress_LZ4(f *testing.F)    { fuzzDecompress(f, record.CodecLZ4) }
func FuzzDecompress_Zstd(f *testing.F)   { fuzzDecompress(f, record.CodecZstd) }

// fuzzDecompress holds Decompress to its promise: no panic; an error of ours and dst as it was, or an
// outcome within the limit that survives compression; and the same with used decoders.
func fuzzDecompress(f *testing.F, codec record.Codec) {
	for _, want := range [][]byte{nil, {0}, prose(14), prose(300), noise(50), make([]byte, 5000)} {
		for _, p := range foreign(f, want) {
			if p.codec == codec {
				f.Add(p.bytes, uint16(len(want)))
			}
		}
		p, err := newCompressor(f, codec, record.DefaultLevel).Compress(nil, shred(want, 1))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(p, uint16(len(want)))
	}
	c := newCompressor(f, codec, record.DefaultLevel)
	var d record.Decompressor
	f.Fuzz(func(t *testing.T, p []byte, limit uint16) {
		got, err := d.Decompress([]byte("dst"), codec, p, int(limit))
		if !bytes.HasPrefix(got, []byte("dst")) {
			t.Fatalf("dst is gone: %q", got)
		}
		again, err2 := record.Decompress([]byte("dst"), codec, p, int(limit))
		if !bytes.Equal(got, again) || (err == nil) != (err2 == nil) {
			t.Fatalf("%q and %v, then %q and %v", got, err, again, err2)
		}
		got = got[len("dst"):]
		if err != nil {
			if !isOurs(err) || len(got) > 0 {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			return
		}
		if len(got) > int(limit) {
			t.Fatalf("%d bytes, %d are allowed", len(got), limit)
		}
		packed, err := c.Compress(nil, [][]byte{got})
		if err != nil {
			t.Fatal(err)
		}
		again, err = d.Decompress(nil, codec, packed, len(got))
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("compressed and decompressed: %q for %q, %v", again, got, err)
		}
	})
}
