// Package murmur2 is the 32-bit MurmurHash2 of Kafka's clients: seed 0x9747b28c, signed result.
package murmur2

import "encoding/binary"

const (
	seed = 0x9747b28c
	mul  = 0x5bd1e995
)

// Sum hashes b. Kafka takes the result for a signed number and clears its sign bit (not: abs)
// before it takes the remainder by the number of partitions.
func Sum(b []byte) uint32 {
	h := uint32(seed) ^ uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := binary.LittleEndian.Uint32(b) * mul
		k ^= k >> 24
		h = h*mul ^ k*mul
	}
	switch len(b) {
	case 3:
		h ^= uint32(b[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(b[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(b[0])) * mul
	}
	h = (h ^ h>>13) * mul
	return h ^ h>>15
}

// Partition is the partition of n that Java's default partitioner puts key into. n must be positive.
func Partition(key []byte, n int) int32 {
	return int32(Sum(key)&0x7fffffff) % int32(n)
}
