package producer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
	"github.com/kafka-go-producer/producer/internal/murmur2"
)

func TestPartitioner_Key_AmongAllPartitions(t *testing.T) {
	run(t, nil, func(t *testing.T, w *world) {
		w.cluster.SetLeader("t", 1, -1, 3) // a partition without leader counts all the same
		for i := range 100 {
			key := fmt.Sprint("key-", i)
			f := w.send(key, "v")
			assert.Equal(t, murmur2.Partition([]byte(key), 4), f.outcome.partition)
		}
		w.cluster.SetLeader("t", 1, 1, 4)
	})
}

func TestPartitioner_NoKey_SticksForABatchThenMovesOn(t *testing.T) {
	const n, size = 12, 100
	run(t, func(c *Config) { c.BatchSize = 2 << 10 }, func(t *testing.T, w *world) {
		rng := rand.New(rand.NewPCG(1, 1))
		w.p.core.acc.pick = rng.IntN
		perPartition := map[int32]int{}
		runs, last, records := 0, int32(-1), 0
		for records = range 20_000 {
			f := w.send("", strings.Repeat("x", size))
			p := f.outcome.partition
			perPartition[p] += size
			if p != last {
				runs++
				last = p
			}
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Len(t, perPartition, n)
		for p, bytes := range perPartition {
			assert.InDelta(t, records*size/n, bytes, float64(records*size/n)*0.35, "partition %d", p)
		}
		batches, filled := 0, 0
		for p := range int32(n) {
			for _, b := range w.cluster.Batches("t", p) {
				batches++
				filled += b.Bytes
			}
		}
		assert.Greater(t, float64(filled)/float64(batches), 0.8*float64(2<<10), "batches are filled")
		assert.InDelta(t, batches, runs, 0.2*float64(batches), "about a batch each time")
	}, fakebroker.Topic("t", n))
}

func TestPartitioner_NoKey_OnlyPartitionsWithLeader(t *testing.T) {
	run(t, func(c *Config) { c.BatchSize = 0 }, func(t *testing.T, w *world) {
		w.cluster.SetLeader("t", 2, -1, 3)
		for range 200 {
			w.send("", "v")
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Empty(t, w.cluster.Log("t", 2))
		for _, p := range []int32{0, 1, 3} {
			assert.NotEmpty(t, w.cluster.Log("t", p))
		}
		w.cluster.SetLeader("t", 2, 1, 4)
	})
}

func TestPartitioner_PartitionsAdded(t *testing.T) {
	run(t, func(c *Config) { c.MaxBlock = 5 * time.Second }, func(t *testing.T, w *world) {
		w.warmUp()
		time.AfterFunc(time.Second, func() { w.cluster.AddPartitions("t", 3) })
		assert.Equal(t, int32(6), w.delivered(w.sendTo(6, "v")).Partition)
		f := w.send("some key", "v")
		assert.Equal(t, murmur2.Partition([]byte("some key"), 7), w.delivered(f).Partition)
	})
}
