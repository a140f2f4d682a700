package producer

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/fakebroker"
)

// loadsOf is a topic whose queues hold so many batches, led by the given nodes.
func loadsOf(lengths []int32, nodes ...*nodeQueue) *topicInfo {
	info := &topicInfo{topic: &topic{name: "t"}}
	for i, n := range lengths {
		q := newQueue(info.topic, int32(i))
		q.waiting.Store(n)
		info.queues = append(info.queues, q)
		p := partitionInfo{leader: -1}
		if len(nodes) > 0 {
			p.node = nodes[i%len(nodes)]
		}
		info.partitions = append(info.partitions, p)
		info.available = append(info.available, int32(i))
	}
	return info
}

func adaptiveAccumulator() *accumulator {
	return &accumulator{adaptive: true, clock: newClock(), pick: rand.New(rand.NewPCG(1, 2)).IntN}
}

func TestLoadTable_WeighsByQueueLength(t *testing.T) {
	l := adaptiveAccumulator().loads(loadsOf([]int32{0, 3, 1}))
	assert.Equal(t, []int{4, 5, 8}, l.cumulative)
	var order []int32
	for r := range 8 {
		order = append(order, l.draw(func(int) int { return r }))
	}
	assert.Equal(t, []int32{0, 0, 0, 0, 1, 2, 2, 2}, order)
}

func TestLoadTable_EqualQueues(t *testing.T) {
	for _, lengths := range [][]int32{{0, 0, 0}, {2, 2}, {5}} {
		assert.Nil(t, adaptiveAccumulator().loads(loadsOf(lengths)).cumulative)
	}
	a := adaptiveAccumulator()
	a.adaptive = false
	assert.Nil(t, a.loads(loadsOf([]int32{0, 9})).cumulative)
}

func TestLoadTable_Candidates(t *testing.T) {
	info := loadsOf([]int32{0, 0, 0, 0})
	info.available = []int32{0, 2, 3}
	assert.Equal(t, []int32{0, 2, 3}, adaptiveAccumulator().loads(info).partitions)
	info.inRack = []int32{2}
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{2}, adaptiveAccumulator().loads(info).partitions)
	info.inRack, info.available = nil, nil
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{0, 1, 2, 3}, adaptiveAccumulator().loads(info).partitions, "no leader anywhere")
}

func TestLoadTable_BlockedBrokerIsAvoided(t *testing.T) {
	stuck, fine := &nodeQueue{}, &nodeQueue{}
	info := loadsOf([]int32{0, 0, 0, 0}, stuck, fine)
	a := adaptiveAccumulator()
	a.clock.start = time.Now().Add(-time.Minute)
	a.availability = time.Second
	stuck.blocked.Store(a.clock.now() - int64(2*time.Second))
	assert.Equal(t, []int32{1, 3}, a.loads(info).partitions)
	fine.blocked.Store(1)
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{0, 1, 2, 3}, a.loads(info).partitions, "all are: then any will do")
	stuck.blocked.Store(0)
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{0, 2}, a.loads(info).partitions)
	a.adaptive = false
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{0, 1, 2, 3}, a.loads(info).partitions, "it is a part of adaptive partitioning")
}

func TestLoadTable_BlockedBrokersOfARack(t *testing.T) {
	near, far := &nodeQueue{}, &nodeQueue{}
	info := loadsOf([]int32{0, 0, 0, 0}, near, far)
	info.inRack = []int32{0, 2}
	a := adaptiveAccumulator()
	a.clock.start = time.Now().Add(-time.Minute)
	a.availability = time.Second
	assert.Equal(t, []int32{0, 2}, a.loads(info).partitions)
	near.blocked.Store(1)
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{1, 3}, a.loads(info).partitions, "better another rack than a broker that takes nothing")
	far.blocked.Store(1)
	info.topic.loads.Store(nil)
	assert.Equal(t, []int32{0, 2}, a.loads(info).partitions, "none takes anything: the rack decides")
}

func TestLoadTable_IsKeptForAWhile(t *testing.T) {
	a, info := adaptiveAccumulator(), loadsOf([]int32{0, 0})
	l := a.loads(info)
	assert.Same(t, l, a.loads(info))
	a.clock.start = a.clock.start.Add(-time.Second)
	assert.NotSame(t, l, a.loads(info))
	other := *info
	assert.Same(t, &other, a.loads(&other).of, "new metadata, new table")
}

// chooser is a Partitioner that does as it is told.
type chooser struct {
	choose func(key, value []byte, partitions []PartitionInfo) int32
	calls  int
}

func (c *chooser) Partition(_ string, key, value []byte, partitions []PartitionInfo) int32 {
	c.calls++
	return c.choose(key, value, partitions)
}

func TestPartitioner_Users(t *testing.T) {
	c := &chooser{choose: func(key, value []byte, partitions []PartitionInfo) int32 {
		switch string(value) {
		case "out of range":
			return int32(len(partitions))
		case "negative":
			return -1
		case "panic":
			panic("partitioner")
		}
		assert.Nil(t, key)
		assert.NotEmpty(t, partitions[0].Replicas)
		return 3
	}}
	run(t, func(cfg *Config) { cfg.Partitioner, cfg.BatchSize = c, 0 }, func(t *testing.T, w *world) {
		for _, bad := range []string{"out of range", "negative", "panic"} {
			_, err := w.get(w.send("", bad))
			assert.ErrorIs(t, err, ErrInvalidRecord, bad)
		}
		c.calls = 0
		for range 100 {
			w.send("", "v")
		}
		require.NoError(t, w.p.Flush(t.Context()))
		assert.Equal(t, 100, c.calls, "once per record")
		assert.Len(t, w.cluster.Log("t", 3), 100)
		assert.Equal(t, int32(1), w.delivered(w.sendTo(1, "pinned")).Partition)
		assert.Equal(t, 100, c.calls)
	})
}

func TestPartitioner_IgnoreKeys(t *testing.T) {
	run(t, func(c *Config) { c.PartitionerIgnoreKeys = true }, func(t *testing.T, w *world) {
		seen := map[int32]bool{}
		for range 2000 {
			f := w.send("one key", "a value of some length, so that batches fill")
			seen[f.outcome.partition] = true
		}
		assert.Greater(t, len(seen), 1)
	})
}

// A broker hangs, loses its partitions, and gets them back: records without a key go there again.
func TestAdaptive_Availability_EndsWhenLeadersComeBack(t *testing.T) {
	run(t, func(c *Config) {
		c.PartitionerAvailability, c.DeliveryTimeout, c.RequestTimeout = time.Second, 40*time.Second, 10*time.Second
	}, func(t *testing.T, w *world) {
		send := func() (to [3]int) {
			done := make(chan int, 500)
			for range 500 {
				w.p.Send(context.Background(), Record[string, string]{Topic: "t", Value: string(make([]byte, 9000))}, func(m RecordMetadata, err error) {
					if err != nil {
						m.Partition = 0
					}
					done <- int(w.cluster.Leader("t", m.Partition))
				})
				time.Sleep(10 * time.Millisecond)
			}
			for range 500 {
				to[<-done]++
			}
			return to
		}
		send()
		w.cluster.Freeze(2, 0)
		go func() {
			time.Sleep(9 * time.Second)
			for p := range int32(4) {
				w.cluster.SetLeader("t", p, 1, 5)
			}
		}()
		send()
		w.cluster.Thaw(2)
		time.Sleep(2 * time.Minute)
		w.cluster.SetLeader("t", 1, 2, 6)
		w.cluster.SetLeader("t", 3, 2, 6)
		time.Sleep(10 * time.Minute)
		assert.NotZero(t, send()[2], "records to broker 2")
	}, fakebroker.Nodes(2), fakebroker.Topic("t", 4))
}
