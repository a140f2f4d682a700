package producer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/protocol"
	"github.com/kafka-go-producer/producer/record"
)

var codecs = map[Compression]record.Codec{
	CompressionGzip: record.CodecGzip, CompressionSnappy: record.CodecSnappy,
	CompressionLZ4: record.CodecLZ4, CompressionZstd: record.CodecZstd,
}

// salad is n bytes of words that compress well.
func salad(rng *rand.Rand, n int) string {
	words := []string{"order", "price", "status", "pending", "region", "eu-west"}
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s=%d,", words[rng.IntN(len(words))], rng.IntN(1000))
	}
	return b.String()[:n]
}

func TestCompression_EachCodec(t *testing.T) {
	for name, codec := range codecs {
		t.Run(string(name), func(t *testing.T) {
			run(t, func(c *Config) { c.Compression = name }, func(t *testing.T, w *world) {
				rng := rand.New(rand.NewPCG(1, 2))
				var want []string
				for i := range 20_000 {
					if i%1000 == 0 {
						require.NoError(t, w.p.Flush(t.Context()))
					}
					v := salad(rng, 100)
					want = append(want, v)
					w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0), Value: v}, func(_ RecordMetadata, err error) { assert.NoError(t, err) })
				}
				require.NoError(t, w.p.Flush(t.Context()))
				assert.True(t, slices.Equal(want, w.values(0)))
				assert.Zero(t, w.p.core.acc.pool.inUse())
				bytes, batches := 0, w.cluster.Batches("t", 0)
				for _, b := range batches {
					if b.Count > 20 {
						assert.Equal(t, codec, b.Codec)
					}
					assert.LessOrEqual(t, b.Bytes, 17<<10)
					bytes += b.Bytes
				}
				assert.Less(t, bytes, 20_000*100*3/4)
				most := int32(0)
				for _, b := range batches {
					most = max(most, b.Count)
				}
				assert.Greater(t, most, int32(170), "a batch is closed by what it will shrink to: 148 records would fill it as they are")
			})
		})
	}
}

func TestCompression_WhatDoesNotShrinkGoesAsItIs(t *testing.T) {
	run(t, func(c *Config) { c.Compression = CompressionLZ4 }, func(t *testing.T, w *world) {
		rng := rand.New(rand.NewPCG(1, 2))
		b := make([]byte, 5000)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		w.delivered(w.sendTo(0, string(b)))
		assert.Equal(t, record.CodecNone, w.cluster.Batches("t", 0)[0].Codec)
	})
}

// What a worker compresses into is its own memory, beside BufferMemory.
func TestCompression_HugeRecordsDoNotKeepMemory(t *testing.T) {
	noise := make([]byte, 1<<20)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for name, value := range map[string][]byte{"noise": noise, "shrinks": append(noise[:500_000:500_000], make([]byte, 500_000)...)} {
		run(t, func(c *Config) { c.Compression = CompressionSnappy }, func(_ *testing.T, w *world) {
			acc := w.p.core.acc
			b := &batch{queue: newQueue(&topic{}, 0)}
			b.Open(make([]byte, 2<<20))
			_, ok := b.TryAppend(2<<20, 0, nil, value, nil)
			require.True(t, ok)
			var s scratch
			acc.compression.compress(b, &s)
			assert.Zero(t, cap(s.out), name)
		})
	}
}

func TestCompression_RetriesAndSplits(t *testing.T) {
	run(t, func(c *Config) { c.Compression, c.BatchSize = CompressionZstd, 64<<10 }, func(t *testing.T, w *world) {
		w.warmUp()
		limit, calls := limitTo(4<<10), 0
		w.cluster.On(protocol.Produce, func(c fakebroker.Call) fakebroker.Action {
			a := limit(c)
			if calls++; calls%3 == 0 && len(a.Codes) == 0 {
				a.HangUp = fakebroker.AfterApplying
			}
			return a
		})
		rng := rand.New(rand.NewPCG(3, 4))
		var want []string
		for i := range 3000 {
			v := fmt.Sprint(i, salad(rng, 200))
			want = append(want, v)
			w.p.Send(t.Context(), Record[string, string]{Topic: "t", Partition: ToPartition(0), Value: v}, func(_ RecordMetadata, err error) { assert.NoError(t, err) })
		}
		require.NoError(t, w.p.Flush(t.Context()))
		got := w.values(0)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i], "record %d", i)
		}
		assert.GreaterOrEqual(t, w.p.core.meta.known("t", -1).topic.ratio.load(), 0.5)
	})
}

func TestCompression_CloseWhileWorking(t *testing.T) {
	run(t, func(c *Config) {
		c.Compression, c.CompressionLevel = CompressionGzip, 9
		c.BatchSize, c.Linger = 1<<20, time.Minute
	}, func(t *testing.T, w *world) {
		w.warmUp()
		rng := rand.New(rand.NewPCG(1, 2))
		big := strings.Repeat("abcdefghijkl", 30_000)
		var fs []Future
		for i := range 60 {
			fs = append(fs, w.sendTo(int32(i%4), salad(rng, 1000)+big))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		err := w.p.Close(ended) // by force: run checks that all is given back
		assert.ErrorIs(t, err, ErrClosed)
		for _, f := range fs {
			assert.True(t, isClosed(f.Done()), "every record has its outcome")
		}
		w.p.core.sender.lost.Store(0)
	})
}

func TestCompression_ForcedCloseWhileOthersSend(t *testing.T) {
	for range 20 {
		run(t, func(c *Config) { c.Compression, c.BatchSize = CompressionSnappy, 200 }, func(t *testing.T, w *world) {
			w.warmUp()
			var senders sync.WaitGroup
			for g := range 6 {
				senders.Go(func() {
					for {
						f := w.p.Send(context.Background(), Record[string, string]{Topic: "t", Partition: ToPartition(int32(g % 4)), Value: "some value"}, nil)
						if isClosed(f.Done()) {
							if _, err := f.Get(context.Background()); errors.Is(err, ErrClosed) {
								return
							}
						}
					}
				})
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = w.p.Close(ended)
			senders.Wait()
			w.p.core.sender.lost.Store(0)
		})
	}
}

func TestCompression_ZstdNeedsANewBroker(t *testing.T) {
	run(t, func(c *Config) { c.Compression = CompressionZstd }, func(t *testing.T, w *world) {
		w.cluster.SetVersions(protocol.Produce, 3, 6)
		_, err := w.get(w.sendTo(0, strings.Repeat("x", 1000)))
		assert.ErrorIs(t, err, errcode.UnsupportedVersion)
		assert.NotErrorIs(t, err, ErrMaybeWritten)
		assert.Empty(t, w.cluster.Calls(protocol.Produce), "not a byte of it was sent")
		w.delivered(w.sendTo(0, "x")) // does not shrink, and goes as it is
	})
}

func TestCompression_FlushAndLinger(t *testing.T) {
	run(t, func(c *Config) { c.Compression, c.Linger = CompressionSnappy, 200*time.Millisecond }, func(t *testing.T, w *world) {
		w.warmUp()
		start := time.Now()
		w.delivered(w.sendTo(0, "v"))
		assert.InDelta(t, 200*time.Millisecond, time.Since(start), float64(5*time.Millisecond))
		start = time.Now()
		f := w.sendTo(0, "w")
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Less(t, time.Since(start), 5*time.Millisecond)
		w.delivered(f)
	})
}

func TestRatio_StaysPositiveAndRecovers(t *testing.T) {
	var r ratio
	assert.Equal(t, 1.0, r.load())
	for range 10_000 {
		r.observe(0.000001)
	}
	assert.Greater(t, r.load(), 0.0)
	assert.Less(t, r.load(), 0.01)
	r.observe(0.5)
	assert.Equal(t, 0.5, r.load())
	r.observe(0.51)
	assert.InDelta(t, 0.55, r.load(), 1e-9)
	r.reset()
	assert.Equal(t, 1.0, r.load())
	r.observe(math.SmallestNonzeroFloat64)
	assert.InDelta(t, 0.995, r.load(), 1e-9)
}
