package record

import (
	"encoding/binary"
	"hash/crc32"
)

// FixChecksum makes the checksum of the batch in p right.
func FixChecksum(p []byte) {
	if len(p) >= HeaderSize {
		n := int64(int32(binary.BigEndian.Uint32(p[offLength:]))) + offEpoch
		if n >= HeaderSize && n <= int64(len(p)) {
			binary.BigEndian.PutUint32(p[offCRC:], crc32.Checksum(p[offAttrs:n], castagnoli))
		}
	}
}
