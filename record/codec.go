package record

// codec.go owns the names of the compression codecs as the attributes of a batch carry them.

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
