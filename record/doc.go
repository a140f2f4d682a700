// Package record writes and reads record batches of Kafka's message format v2, byte for byte.
//
// It knows no topics, brokers or requests. It is importable, but not covered by the compatibility
// promise before v1.
//
// A batch is a header of 61 bytes and its records. All numbers are big-endian.
//
//	 0  baseOffset            int64   0 from a producer; the broker sets it
//	 8  batchLength           int32   bytes after this field
//	12  partitionLeaderEpoch  int32   -1 from a producer
//	16  magic                 int8    2
//	17  crc                   uint32  CRC-32C of all that follows it
//	21  attributes            int16   bits 0-2 codec, 3 timestamp type, 4 transactional, 5 control
//	23  lastOffsetDelta       int32   count - 1
//	27  baseTimestamp         int64   ms; the first record's
//	35  maxTimestamp          int64   ms
//	43  producerId            int64   -1 without idempotence
//	51  producerEpoch         int16   -1 without idempotence
//	53  baseSequence          int32   -1 without idempotence
//	57  count                 int32
//	61  records               with a codec: compressed as one stream
//
// The checksum leaves out the first four fields so that a broker can fill them in. A change of
// producer id, epoch or sequence needs a new checksum: that is what [Builder.Seal] is for.
//
// A record is a sequence of varints (zig-zag, as in Protocol Buffers' sint32 and sint64) and bytes;
// a length of -1 is null:
//
//	length  attributes(int8 0)  timestampDelta  offsetDelta  keyLength key  valueLength value
//	headerCount  {keyLength key  valueLength value}...
package record
