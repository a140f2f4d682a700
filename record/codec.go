package record

import (
	"fmt"
	"math"
)

// codec.go owns the names of the compression codecs, as the attributes of a batch carry them, and
// the levels each of them has in Java's configuration. Pure functions.

// Codec is the compression of a batch's records: bits 0 to 2 of its attributes.
type Codec int8

// The codecs of message format v2.
const (
	CodecNone   Codec = 0
	CodecGzip   Codec = 1
	CodecSnappy Codec = 2
	CodecLZ4    Codec = 3
	CodecZstd   Codec = 4
)

// String is Java's name of the codec, as in compression.type.
func (c Codec) String() string {
	switch c {
	case CodecNone:
		return "none"
	case CodecGzip:
		return "gzip"
	case CodecSnappy:
		return "snappy"
	case CodecLZ4:
		return "lz4"
	case CodecZstd:
		return "zstd"
	}
	return "unknown"
}

// DefaultLevel stands for a codec's own default level. No codec has a level of that value.
const DefaultLevel = math.MinInt32

// Levels are the lowest and the highest level that Java accepts for the codec, and the one it takes
// if none is configured. Between those of gzip, 0 is none. A codec without levels answers with
// DefaultLevel each time.
func (c Codec) Levels() (lowest, highest, standard int) {
	switch c {
	case CodecGzip:
		return -1, 9, -1
	case CodecLZ4:
		return 1, 17, 9
	case CodecZstd:
		return -1 << 17, 22, 3
	}
	return DefaultLevel, DefaultLevel, DefaultLevel
}

// CheckLevel says what is wrong with a level for the codec. Nothing is with DefaultLevel.
func (c Codec) CheckLevel(level int) error {
	lowest, highest, _ := c.Levels()
	switch {
	case c < CodecNone || c > CodecZstd:
		return fmt.Errorf("compression codec %d is not known", int8(c))
	case level == DefaultLevel:
		return nil
	case lowest == DefaultLevel:
		return fmt.Errorf("compression level %d: %s has no levels", level, c)
	case c == CodecGzip && (level == 0 || level < lowest || level > highest):
		return fmt.Errorf("compression level %d: %s has -1 (its default) and 1 to %d", level, c, highest)
	case level < lowest || level > highest:
		return fmt.Errorf("compression level %d: %s has %d to %d", level, c, lowest, highest)
	}
	return nil
}
