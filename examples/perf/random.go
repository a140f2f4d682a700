package main

// random.go owns the random numbers: those of Java's SplittableRandom (Steele, Lea and Flood: Fast
// Splittable Pseudorandom Number Generators, 2014), so that a seed gives the records it gives with Kafka's
// tool.

// random is a sequence of numbers that follows from its first value, the seed. One goroutine may use it.
type random uint64

// next is 32 random bits.
func (r *random) next() uint32 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>33) * 0x62a9d9ed799705f5
	return uint32((z ^ z>>28) * 0xcb24d0a5c88c35b3 >> 32)
}

// below is a number from 0 to less than n, all of them equally likely; n must be positive.
func (r *random) below(n int32) int32 {
	if n&(n-1) == 0 {
		return int32(r.next()) & (n - 1)
	}
	for {
		// The last, incomplete run of n numbers below 1<<31 would favour its own.
		u := int32(r.next() >> 1)
		if rest := u % n; u-rest <= 1<<31-1-(n-1) {
			return rest
		}
	}
}
