package partitioners_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/partitioners"
)

// led is a topic of n partitions, all with a leader but those named.
func led(n int, without ...int32) []producer.PartitionInfo {
	infos := make([]producer.PartitionInfo, n)
	for i := range infos {
		infos[i] = producer.PartitionInfo{TopicPartition: producer.TopicPartition{Topic: "t", Partition: int32(i)}, Leader: 1}
	}
	for _, p := range without {
		infos[p].Leader = -1
	}
	return infos
}

// The values are what the named clients compute for 12 partitions.
func TestPresets_PutKeysWhereOtherClientsDo(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    producer.Partitioner
		want map[string]int32
	}{
		{"sarama", partitioners.Sarama(), map[string]int32{"foo": 1, "foobar": 0, "kafka": 5, "21": 0, "1234": 3, "abc": 11, "": 3}},
		{"sarama reference", partitioners.SaramaReference(), map[string]int32{"foo": 7, "foobar": 8, "kafka": 5, "21": 8, "1234": 5, "abc": 11, "": 5}},
		{"sarama unsigned", partitioners.SaramaUnsigned(), map[string]int32{"foo": 3, "foobar": 4, "kafka": 5, "21": 4, "1234": 1, "abc": 11, "": 1}},
		{"consistent random", partitioners.ConsistentRandom(), map[string]int32{"foo": 5, "foobar": 5, "kafka": 11, "21": 4, "1234": 7, "abc": 6}},
		{"consistent", partitioners.Consistent(), map[string]int32{"foo": 5, "1234": 7, "": 0}},
		{"consistent signed", partitioners.ConsistentSigned(), map[string]int32{"foo": 11, "foobar": 11, "kafka": 11, "21": 0, "1234": 9, "abc": 6}},
	} {
		for key, want := range tc.want {
			assert.Equal(t, want, tc.p.Partition("t", []byte(key), nil, led(12, want)), "%s: %q", tc.name, key)
		}
	}
}

func TestPresets_NoKey(t *testing.T) {
	spread := func(p producer.Partitioner, key []byte) map[int32]bool {
		seen := map[int32]bool{}
		for range 500 {
			seen[p.Partition("t", key, nil, led(4, 2))] = true
		}
		return seen
	}
	anywhere := map[int32]bool{0: true, 1: true, 3: true}
	assert.Equal(t, anywhere, spread(partitioners.Sarama(), nil))
	assert.Equal(t, anywhere, spread(partitioners.ConsistentRandom(), nil))
	assert.Equal(t, anywhere, spread(partitioners.ConsistentRandom(), []byte{}))
	assert.Len(t, spread(partitioners.Sarama(), []byte{}), 1, "an empty key is a key")
	assert.Equal(t, map[int32]bool{0: true}, spread(partitioners.Consistent(), nil))
}

func TestRoundRobin_NoSkew(t *testing.T) {
	p := partitioners.RoundRobin()
	var mu sync.Mutex
	counts := map[string]map[int32]int{"t": {}, "u": {}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				for topic, counted := range counts {
					n := p.Partition(topic, []byte("one key"), nil, led(5, 3))
					mu.Lock()
					counted[n]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for _, counted := range counts {
		assert.Equal(t, map[int32]int{0: 1000, 1: 1000, 2: 1000, 4: 1000}, counted)
	}
	assert.Contains(t, []int32{0, 1}, p.Partition("none", nil, nil, led(2, 0, 1)), "no leader anywhere")
}
