package murmur2_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer/internal/murmur2"
)

// The values are those of Java's Utils.murmur2.
func TestSum_JavaVectors(t *testing.T) {
	for _, tc := range []struct {
		in        string
		hash      int32
		by3, by10 int32
		by16      int32
	}{
		{"21", -973932308, 0, 0, 12},
		{"foobar", -790332482, 0, 6, 14},
		{"a-little-bit-long-string", -985981536, 2, 2, 0},
		{"a-little-bit-longer-string", -1486304829, 2, 9, 3},
		{"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971, 2, 7, 13},
		{"abc", 479470107, 0, 7, 11},
		{"", 275646681, 0, 1, 9},
		{"a", -1563381124, 1, 4, 12},
		{"ab", 316155434, 2, 4, 10},
		{"abcd", -1323649548, 2, 0, 4},
		{"key", -1079937367, 1, 1, 9},
		{"kafka", -798503068, 1, 0, 4},
		{"hello", 2132663229, 0, 9, 13},
		{"user-42", 1459644460, 1, 0, 12},
		{"日本語", 1431860170, 1, 0, 10},
		{"\xff\xfe\x80\x00\x01", -112508915, 0, 3, 13},
		{"\x00", 375494588, 2, 8, 12},
		{"ключ", 2122343024, 2, 4, 0},
	} {
		assert.Equal(t, tc.hash, int32(murmur2.Sum([]byte(tc.in))), "%q", tc.in)
		assert.Equal(t, tc.by3, murmur2.Partition([]byte(tc.in), 3), "%q", tc.in)
		assert.Equal(t, tc.by10, murmur2.Partition([]byte(tc.in), 10), "%q", tc.in)
		assert.Equal(t, tc.by16, murmur2.Partition([]byte(tc.in), 16), "%q", tc.in)
	}
	for key, want := range map[string]int32{"foo": 8, "foobar": 6, "kafka": 4, "21": 0, "1234": 0, "abc": 3, "": 9} {
		assert.Equal(t, want, murmur2.Partition([]byte(key), 12), "%q", key)
	}
}
