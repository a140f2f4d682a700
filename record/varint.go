package record

import "math/bits"

// varint.go owns the zig-zag varints of the record format. Pure functions.

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// varintLen is the number of bytes of v as a varint, 1 to 10.
func varintLen(v int64) int { return (bits.Len64(zigzag(v)|1) + 6) / 7 }

// putVarint writes v at b[i:] and returns the index after it. b must have room.
func putVarint(b []byte, i int, v int64) int {
	u := zigzag(v)
	for u >= 0x80 {
		b[i] = byte(u) | 0x80
		u >>= 7
		i++
	}
	b[i] = byte(u)
	return i + 1
}

// readVarint reads a varint of at most limit bytes (5 for an int32, 10 for an int64) from b.
// n is the number of bytes read; 0 means b ends too early or the varint is too long.
func readVarint(b []byte, limit int) (v int64, n int) {
	var u uint64
	for n < len(b) && n < limit {
		c := b[n]
		if n == 9 && c > 1 {
			return 0, 0 // more than 64 bits
		}
		u |= uint64(c&0x7f) << (7 * n)
		n++
		if c < 0x80 {
			return unzigzag(u), n
		}
	}
	return 0, 0
}
