package record_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/record"
)

// compress_pool_test.go owns the tests of how many encoders there are, and what they cost.

// Scenario B12: a thousand partitions do not make a thousand encoders.
func TestCompressor_Compress_EncodersAreBounded(t *testing.T) {
	for _, codec := range compressing() {
		c := newCompressor(t, codec, record.DefaultLevel)
		require.Equal(t, runtime.GOMAXPROCS(0)+2, c.Limit())
		want := prose(500)
		rounds := 10
		if invariants.Enabled {
			rounds = 2 // a round takes a second then
		}
		var most atomic.Int64
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				var packed []byte
				for range rounds {
					var err error
					packed, err = c.Compress(packed[:0], [][]byte{want})
					assert.NoError(t, err)
					for live := int64(c.Live()); ; {
						if old := most.Load(); live <= old || most.CompareAndSwap(old, live) {
							break
						}
					}
				}
				got, err := record.Decompress(nil, codec, packed, len(want))
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			})
		}
		wg.Wait()
		assert.LessOrEqual(t, most.Load(), int64(c.Limit()), codec)
	}
}

func TestCompressor_Compress_WaitsBeyondTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCompressor(t, record.CodecLZ4, record.DefaultLevel)
		var held []func()
		for range c.Limit() {
			held = append(held, c.Hold())
		}
		var done atomic.Int64
		for range 3 {
			go func() {
				_, err := c.Compress(nil, [][]byte{prose(100)})
				assert.NoError(t, err)
				done.Add(1)
			}()
		}
		synctest.Wait()
		assert.Zero(t, done.Load(), "all encoders are in use")
		assert.Equal(t, c.Limit(), c.Live())
		held[0]()
		synctest.Wait()
		assert.Equal(t, int64(3), done.Load(), "they take turns with the one that came back")
		assert.Equal(t, c.Limit(), c.Live())
	})
}

func TestCompressor_Compress_OneAfterAnotherNeedsOneEncoder(t *testing.T) {
	for _, codec := range compressing() {
		c := newCompressor(t, codec, record.DefaultLevel)
		require.Zero(t, c.Live(), "nothing is made before it is needed")
		for range 5 {
			_, err := c.Compress(nil, [][]byte{prose(1000)})
			require.NoError(t, err)
		}
		assert.Equal(t, 1, c.Live(), codec)
	}
}

// A bubble does not end before its goroutines have.
func TestCompressor_LeavesNoGoroutines(t *testing.T) {
	for _, codec := range compressing() {
		lowest, highest, standard := codec.Levels()
		for _, level := range []int{lowest, standard, highest} {
			synctest.Test(t, func(t *testing.T) {
				c := newCompressor(t, codec, level)
				want := prose(200_000)
				packed, err := c.Compress(nil, [][]byte{want})
				require.NoError(t, err)
				_, err = record.Decompress(nil, codec, packed, len(want))
				require.NoError(t, err)
			})
		}
	}
}

func TestCompressor_Compress_Allocations(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, codec := range compressing() {
		c := newCompressor(t, codec, record.DefaultLevel)
		for _, n := range []int{1000, 16 << 10, 64 << 10, 1 << 20} {
			chunks := shred(prose(n), 1)
			dst := make([]byte, 0, 2*n)
			got := testing.AllocsPerRun(20, func() {
				_, err := c.Compress(dst, chunks)
				require.NoError(t, err)
			})
			forced := 0.0
			if codec == record.CodecZstd && n >= 64<<10 {
				forced = 1 // the library's frame header of 16 bytes
			}
			assert.LessOrEqual(t, got, forced, "%s, %d bytes", codec, n)
		}
	}
}

func TestDecompressor_Decompress_Allocations(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, codec := range compressing() {
		var d record.Decompressor
		for _, n := range []int{1000, 16 << 10, 1 << 20} {
			packed, err := newCompressor(t, codec, record.DefaultLevel).Compress(nil, [][]byte{prose(n)})
			require.NoError(t, err)
			dst := make([]byte, 0, 2*n+1<<18)
			got := testing.AllocsPerRun(20, func() {
				_, err := d.Decompress(dst, codec, packed, n)
				require.NoError(t, err)
			})
			assert.LessOrEqual(t, got, 0.0, "%s, %d bytes", codec, n)
		}
	}
}

// Noise grows by little, so that room can be planned.
func TestCompressor_Compress_NoiseHardlyGrows(t *testing.T) {
	for _, codec := range compressing() {
		for _, level := range levels(codec) {
			c := newCompressor(t, codec, level)
			n := 100_000
			packed, err := c.Compress(nil, [][]byte{noise(n)})
			require.NoError(t, err)
			assert.LessOrEqual(t, len(packed), n+n/1000+64, "%s %d", codec, level)
		}
	}
}

func BenchmarkCompressor_Compress(b *testing.B) {
	for _, codec := range compressing() {
		c := newCompressor(b, codec, record.DefaultLevel)
		for _, n := range []int{16 << 10, 1 << 20} {
			chunks, dst := shred(prose(n), 2), make([]byte, 0, 2*n)
			b.Run(fmt.Sprint(codec, "/", n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Compress(dst, chunks); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
