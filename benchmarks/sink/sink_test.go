package sink

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/benchmarks/wire"
)

const patience = 10 * time.Second

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	if cfg.Partitions == 0 {
		cfg.Partitions = 3
	}
	s, err := Listen("127.0.0.1:0", cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func connect(t *testing.T, s *Server, change func(*producer.Config)) *producer.KafkaProducer[[]byte, []byte] {
	t.Helper()
	cfg := producer.NewConfig(s.Addr())
	if change != nil {
		change(&cfg)
	}
	p, err := producer.New(cfg, producer.BytesSerializer, producer.BytesSerializer)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close(context.Background())) })
	return p
}

// The producer's own account of what it sent is the sink's, to the byte and to the offset.
func TestServer_Stats_CountWhatAProducerSent(t *testing.T) {
	s := start(t, Config{Verify: true, Logf: t.Logf})
	p := connect(t, s, func(c *producer.Config) { c.BatchSize = 1000 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	const records = 3000
	var acked, keyBytes, valueBytes atomic.Int64
	seen := make(map[string]bool) // on the completion goroutine only
	for i := range records {
		r := producer.Record[[]byte, []byte]{Topic: []string{"a", "b"}[i%2], Value: bytes.Repeat([]byte{'v'}, i%200)}
		switch i % 4 {
		case 1:
			r.Key = bytes.Repeat([]byte{'k'}, i%50)
		case 2:
			r.Tombstone, r.Key = true, []byte("key")
		case 3:
			r.Headers = r.Headers.With("name", []byte("header")).With("null", nil)
			r.Partition = producer.ToPartition(int32(i % 3))
		}
		p.Send(ctx, r, func(m producer.RecordMetadata, err error) {
			if !assert.NoError(t, err) {
				return
			}
			acked.Add(1)
			keyBytes.Add(int64(max(m.KeySize, 0)))
			valueBytes.Add(int64(max(m.ValueSize, 0)))
			seen[m.String()] = true
		})
	}
	require.NoError(t, p.Flush(ctx))

	got := s.Stats()
	assert.EqualValues(t, records, acked.Load())
	assert.EqualValues(t, records, got.Records)
	assert.Len(t, seen, records, "every record has a place of its own")
	assert.Equal(t, keyBytes.Load(), got.KeyBytes)
	assert.Equal(t, valueBytes.Load(), got.ValueBytes)
	assert.Greater(t, got.Batches, int64(records*100/1000/2))
	assert.Zero(t, got.Bad(), "%+v", got)
	var ends int64
	for _, topic := range []string{"a", "b"} {
		for _, end := range s.EndOffsets(topic) {
			ends += end
		}
	}
	assert.EqualValues(t, records, ends)
	assert.Nil(t, s.EndOffsets("c"))
}

func TestServer_TakesARequestLargerThanItsBuffer(t *testing.T) {
	s := start(t, Config{Verify: true, Logf: t.Logf})
	p := connect(t, s, func(c *producer.Config) { c.MaxRequestSize = 3 * readBuffer })
	for range 2 {
		_, err := p.Send(t.Context(), producer.Record[[]byte, []byte]{Topic: "t", Value: make([]byte, 2*readBuffer)}, nil).Get(t.Context())
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2*2*readBuffer, s.Stats().ValueBytes)
	assert.Zero(t, s.Stats().Bad())
}

func TestServer_Delay(t *testing.T) {
	const delay = 30 * time.Millisecond
	s := start(t, Config{Delay: delay})
	p := connect(t, s, func(c *producer.Config) { c.Linger = 0 })
	send := func() {
		_, err := p.Send(t.Context(), producer.Record[[]byte, []byte]{Topic: "t"}, nil).Get(t.Context())
		require.NoError(t, err)
	}
	send() // with metadata and all
	begin := time.Now()
	send()
	assert.GreaterOrEqual(t, time.Since(begin), delay)
}

// batch makes a batch of n records for one partition, as a producer would.
func batch(n, sequence int32) []byte {
	b := make([]byte, 4096)
	end := wire.HeaderLen
	for i := range n {
		end = wire.PutRecord(b, end, 0, i, []byte("key"), []byte("value"))
	}
	b = b[:end]
	wire.PutHeader(b, wire.Batch{Size: end, Records: n, ProducerID: 7, Sequence: sequence})
	wire.PutCRC(b, nil)
	return b
}

// exchange sends batches for a partition, and returns the response's error code; -1: the sink hung up.
func exchange(t *testing.T, s *Server, partition int32, b []byte) int {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	q := wire.ProduceHead(nil, 1, "test", "t", 1, 8+len(b))
	q = binary.BigEndian.AppendUint32(q, uint32(partition))
	q = binary.BigEndian.AppendUint32(q, uint32(len(b)))
	_, err = c.Write(append(q, b...))
	require.NoError(t, err)
	r, err := wire.ReadFrame(c, nil)
	if err != nil {
		return -1
	}
	at := wire.ProducePartitions(r)
	return int(binary.BigEndian.Uint16(r[at+8:]))
}

func TestServer_Verify_FindsFaults(t *testing.T) {
	crc := func(b []byte) []byte { wire.PutCRC(b, nil); return b }
	set := func(b []byte, at int, x ...byte) []byte { copy(b[at:], x); return b }
	first := wire.HeaderLen // the length of the first record
	for name, c := range map[string]struct {
		batches []byte
		want    Stats
	}{
		"none":                  {bytes.Join([][]byte{batch(3, 0), batch(2, 3)}, nil), Stats{Batches: 2, Records: 5}},
		"checksum":              {set(batch(3, 0), batchCRCAt, 1, 2, 3, 4), Stats{Batches: 1, Records: 3, BadCRC: 1}},
		"bytes after checksum":  {set(batch(3, 0), first+9, 'X'), Stats{Batches: 1, Records: 3, BadCRC: 1}},
		"first sequence":        {batch(3, 1), Stats{Batches: 1, Records: 3, BadSequence: 1}},
		"gap":                   {bytes.Join([][]byte{batch(3, 0), batch(2, 4)}, nil), Stats{Batches: 2, Records: 5, BadSequence: 1}},
		"duplicate":             {bytes.Join([][]byte{batch(3, 0), batch(3, 0)}, nil), Stats{Batches: 2, Records: 6, BadSequence: 1}},
		"last offset":           {crc(set(batch(3, 0), batchLastOffsetAt, 0, 0, 0, 3)), Stats{Batches: 1, Records: 3, BadRecords: 1}},
		"more records":          {crc(set(set(batch(3, 0), batchLastOffsetAt+3, 3), batchRecordsAt+3, 4)), Stats{Batches: 1, Records: 4, BadRecords: 1}},
		"fewer records":         {crc(set(set(batch(3, 0), batchLastOffsetAt+3, 1), batchRecordsAt+3, 2)), Stats{Batches: 1, Records: 2, BadRecords: 1}},
		"offset of a record":    {crc(set(batch(3, 0), first+3, 2)), Stats{Batches: 1, Records: 3, BadRecords: 1}},
		"length of a record":    {crc(set(batch(3, 0), first, 2)), Stats{Batches: 1, Records: 3, BadRecords: 1}},
		"length of a key":       {crc(set(batch(3, 0), first+4, 40)), Stats{Batches: 1, Records: 3, BadRecords: 1}},
		"old magic":             {set(batch(3, 0), batchMagicAt, 1), Stats{BadRecords: 1}},
		"length of a batch":     {set(batch(3, 0), batchLengthAt, 0x7f), Stats{BadRecords: 1}},
		"negative batch length": {set(batch(3, 0), batchLengthAt, 0xff), Stats{BadRecords: 1}},
		"half a header":         {batch(3, 0)[:40], Stats{BadRecords: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Config{Verify: true})
			assert.Zero(t, exchange(t, s, 1, c.batches))
			got := s.Stats()
			assert.Positive(t, got.Bytes)
			got.Conns, got.Requests, got.Bytes, got.KeyBytes, got.ValueBytes = 0, 0, 0, 0, 0
			assert.Equal(t, c.want, got)
		})
	}
}

func TestServer_RefusesAPartitionItDoesNotHave(t *testing.T) {
	s := start(t, Config{})
	assert.Equal(t, errorUnknownPartition, exchange(t, s, 3, batch(3, 0)))
	assert.Equal(t, errorUnknownPartition, exchange(t, s, -1, batch(3, 0)))
	assert.Zero(t, s.Stats().Records)
}

// A request that is not understood ends the connection and is counted, whatever it is.
func TestServer_HangsUpOnNonsense(t *testing.T) {
	head := func(key, version byte) []byte { return []byte{0, key, 0, version, 0, 0, 0, 1, 0xff, 0xff} }
	for name, frame := range map[string][]byte{
		"empty":              {},
		"short header":       {0, 0, 0},
		"unknown API":        head(99, 0),
		"version not known":  head(keyProduce, 12),
		"short produce":      head(keyProduce, 8),
		"produce, many tags": append(head(keyProduce, 9), 0xff, 0xff, 0xff, 0xff, 0x07),
		"endless partitions": append(head(keyProduce, 8), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 't', 0x7f, 0xff, 0xff, 0xff),
		"short metadata":     append(head(keyMetadata, 1), 0, 0, 0, 9),
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Config{})
			c, err := net.Dial("tcp", s.Addr())
			require.NoError(t, err)
			defer func() { _ = c.Close() }()
			require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
			_, err = c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
			require.NoError(t, err)
			_, err = c.Read(make([]byte, 1))
			assert.Error(t, err)
			assert.NotErrorIs(t, err, net.ErrClosed)
			assert.EqualValues(t, 1, s.Stats().BadRequests)
		})
	}
}
