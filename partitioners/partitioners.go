// Package partitioners holds partitioners for producer.Config beside Java's built-in one: round robin,
// and those that keep keys where other clients put them, for topics that are shared with them or were
// filled by them.
//
// The hashes are not Java's: consumers that join topics by key need all of a topic's producers to agree.
package partitioners

import (
	"hash/crc32"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/kafka-go-producer/producer"
)

// RoundRobin deals records out in turn over the partitions that have a leader, whatever their keys
// (Java's RoundRobinPartitioner, without its skew, KAFKA-9965). Each topic has its own turn.
func RoundRobin() producer.Partitioner { return &roundRobin{} }

type roundRobin struct{ turns sync.Map } // topic name → *atomic.Uint32

// Partition implements producer.Partitioner.
func (r *roundRobin) Partition(topic string, _, _ []byte, partitions []producer.PartitionInfo) int32 {
	turn, ok := r.turns.Load(topic)
	if !ok {
		turn, _ = r.turns.LoadOrStore(topic, new(atomic.Uint32))
	}
	return available(partitions, turn.(*atomic.Uint32).Add(1)-1)
}

// available is the n-th partition with a leader, counted round; of all where none has one.
func available(partitions []producer.PartitionInfo, n uint32) int32 {
	led := uint32(0)
	for i := range partitions {
		if partitions[i].Leader >= 0 {
			led++
		}
	}
	if led == 0 {
		return int32(n % uint32(len(partitions)))
	}
	n %= led
	for i := range partitions {
		if partitions[i].Leader >= 0 {
			if n == 0 {
				return int32(i)
			}
			n--
		}
	}
	return 0 // not reached
}

// keyed puts a key where its hash says, among all partitions, and records without one anywhere.
type keyed struct {
	hash    func(key []byte, n uint32) uint32
	noEmpty bool // an empty key is none
}

// Partition implements producer.Partitioner.
func (k keyed) Partition(_ string, key, _ []byte, partitions []producer.PartitionInfo) int32 {
	if key == nil || k.noEmpty && len(key) == 0 {
		return available(partitions, rand.Uint32())
	}
	return int32(k.hash(key, uint32(len(partitions))))
}

// Sarama is the default of Sarama's hash partitioner, kafka-go's Hash balancer and librdkafka's "fnv1a_random": FNV-1a, the
// remainder of the signed hash, its absolute value. Records without a key go anywhere.
func Sarama() producer.Partitioner {
	return keyed{hash: func(key []byte, n uint32) uint32 {
		p := int32(fnv1a(key)) % int32(n)
		return uint32(max(p, -p))
	}}
}

// SaramaReference is Sarama's reference hash partitioner: FNV-1a with the sign bit cleared.
func SaramaReference() producer.Partitioner {
	return keyed{hash: func(key []byte, n uint32) uint32 { return fnv1a(key) & 0x7fffffff % n }}
}

// SaramaUnsigned is Sarama's hash partitioner with an unsigned hash: FNV-1a, unsigned remainder.
func SaramaUnsigned() producer.Partitioner {
	return keyed{hash: func(key []byte, n uint32) uint32 { return fnv1a(key) % n }}
}

// ConsistentRandom is librdkafka's default, which all clients built on it have, and kafka-go's
// CRC32Balancer: CRC-32, unsigned remainder. Records without a key, and those with an empty one, go anywhere.
func ConsistentRandom() producer.Partitioner {
	return keyed{hash: func(key []byte, n uint32) uint32 { return crc32.ChecksumIEEE(key) % n }, noEmpty: true}
}

// Consistent is librdkafka's "consistent": like ConsistentRandom, but records without a key and those
// with an empty one all go to the partition that the hash of nothing says.
func Consistent() producer.Partitioner { return consistent{} }

type consistent struct{}

// Partition implements producer.Partitioner.
func (consistent) Partition(_ string, key, _ []byte, partitions []producer.PartitionInfo) int32 {
	return int32(crc32.ChecksumIEEE(key) % uint32(len(partitions)))
}

// ConsistentSigned is CRC-32 with the remainder of the signed hash, its absolute value, as clients that
// have no unsigned numbers compute it.
func ConsistentSigned() producer.Partitioner {
	return keyed{hash: func(key []byte, n uint32) uint32 {
		p := int32(crc32.ChecksumIEEE(key)) % int32(n)
		return uint32(max(p, -p))
	}, noEmpty: true}
}

func fnv1a(key []byte) uint32 {
	h := fnv.New32a()
	_, _ = h.Write(key) // never fails
	return h.Sum32()
}
