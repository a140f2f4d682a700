package producer

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/internal/invariants"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

// alloc_test.go holds the way of a record to its promise: nothing allocated per record, at most three
// allocations per batch. The broker is a connection in memory that allocates nothing itself.

// instant is a net.Conn to a broker that answers every request at once: one goroutine writes to it,
// another reads from it.
type instant struct {
	net.Conn // nil: what is not below is not used
	mu       sync.Mutex
	more     *sync.Cond
	in       []byte // requests not yet whole
	out      []byte // answers not yet read
	closed   bool

	produce  protocol.ProduceRequest
	answer   protocol.ProduceResponse
	offsets  int64
	metadata protocol.MetadataResponse
}

func newInstant(partitions int) *instant {
	c := &instant{}
	c.more = sync.NewCond(&c.mu)
	topic := protocol.MetadataTopic{Name: protocol.Some("t")}
	for i := range partitions {
		topic.Partitions = append(topic.Partitions, protocol.MetadataPartition{Index: int32(i), LeaderID: 1, LeaderEpoch: 1})
	}
	c.metadata = protocol.MetadataResponse{
		Brokers: []protocol.MetadataBroker{{NodeID: 1, Host: "b1", Port: 9092}}, Topics: []protocol.MetadataTopic{topic},
	}
	return c
}

func (c *instant) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) == 0 && !c.closed {
		c.more.Wait()
	}
	if len(c.out) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.out)
	c.out = c.out[:copy(c.out, c.out[n:])]
	return n, nil
}

func (c *instant) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = append(c.in, p...)
	for len(c.in) >= 4 {
		n := 4 + int(binary.BigEndian.Uint32(c.in))
		if len(c.in) < n {
			break
		}
		c.serve(c.in[4:n])
		c.in = c.in[:copy(c.in, c.in[n:])]
	}
	c.more.Signal()
	return len(p), nil
}

func (c *instant) serve(frame []byte) {
	key, version, correlation, _, body, err := protocol.ReadRequestHeader(frame)
	if err != nil {
		panic(err)
	}
	var m protocol.Message
	switch key {
	case protocol.ApiVersions:
		r := &protocol.ApiVersionsResponse{FinalizedFeaturesEpoch: -1}
		for _, k := range []protocol.Key{protocol.Produce, protocol.Metadata, protocol.ApiVersions, protocol.InitProducerID} {
			low, high := k.Versions()
			if k == protocol.Produce {
				high = 12 // no topic ids here
			}
			r.APIKeys = append(r.APIKeys, protocol.APIVersionRange{Key: k, MinVersion: low, MaxVersion: high})
		}
		m = r
	case protocol.Metadata:
		m = &c.metadata
	case protocol.InitProducerID:
		m = &protocol.InitProducerIDResponse{ProducerID: 7}
	case protocol.Produce:
		m = c.produced(body, version)
	}
	at := len(c.out)
	c.out = append(c.out, 0, 0, 0, 0)
	c.out = protocol.AppendResponseHeader(c.out, key, version, correlation)
	c.out = protocol.Append(c.out, m, version)
	binary.BigEndian.PutUint32(c.out[at:], uint32(len(c.out)-at-4))
}

func (c *instant) produced(body []byte, version int16) protocol.Message {
	if err := protocol.Decode(body, &c.produce, version); err != nil {
		panic(err)
	}
	c.answer.Topics = c.answer.Topics[:0]
	for i := range c.produce.Topics {
		c.answer.Topics = extend(c.answer.Topics)
		t := &c.answer.Topics[i]
		t.Name, t.Partitions = c.produce.Topics[i].Name, t.Partitions[:0]
		for j := range c.produce.Topics[i].Partitions {
			c.offsets += 1000
			t.Partitions = append(t.Partitions, protocol.ProduceResponsePartition{
				Index: c.produce.Topics[i].Partitions[j].Index, BaseOffset: c.offsets, LogAppendTimeMs: -1,
				CurrentLeader: protocol.LeaderIDAndEpoch{LeaderID: -1, LeaderEpoch: -1},
			})
		}
	}
	return &c.answer
}

func (c *instant) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.more.Broadcast()
	return nil
}

func (c *instant) SetDeadline(time.Time) error      { return nil }
func (c *instant) SetReadDeadline(time.Time) error  { return nil }
func (c *instant) SetWriteDeadline(time.Time) error { return nil }

func allocConfig() Config {
	cfg := NewConfig("b1:9092")
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) { return newInstant(12), nil }
	return cfg
}

// perRecord is how much sending n records with send and a flush allocates, per record, in the long run.
func perRecord[K, V any](t *testing.T, p *KafkaProducer[K, V], n int, send func()) float64 {
	t.Helper()
	all := func() {
		for range n {
			send()
		}
		require.NoError(t, p.Flush(t.Context()))
	}
	for range 20 {
		all() // pools fill
	}
	allocs := testing.AllocsPerRun(20, all) / float64(n)
	t.Logf("%.4f allocations per record", allocs)
	return allocs
}

func TestKafkaProducer_Send_Allocations(t *testing.T) {
	if invariants.Enabled {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	const n, limit = 10_000, 0.03 // 148 records of 100 bytes are a batch of 16 KiB
	value := make([]byte, 100)
	key := []byte("0123456789abcdef")
	headers := Headers{{Key: "trace", Value: key}}
	cb := func(_ RecordMetadata, err error) {
		if err != nil {
			t.Error(err)
		}
	}
	ctx := t.Context()
	bytesProducer, err := New(allocConfig(), BytesSerializer, BytesSerializer)
	require.NoError(t, err)
	stringProducer, err := New(allocConfig(), StringSerializer, StringSerializer)
	require.NoError(t, err)
	for name, send := range map[string]func(){
		"no key":           func() { bytesProducer.Send(ctx, Record[[]byte, []byte]{Topic: "t", Value: value}, nil) },
		"no key, callback": func() { bytesProducer.Send(ctx, Record[[]byte, []byte]{Topic: "t", Value: value}, cb) },
		"key, callback":    func() { bytesProducer.Send(ctx, Record[[]byte, []byte]{Topic: "t", Key: key, Value: value}, cb) },
		"headers": func() {
			bytesProducer.Send(ctx, Record[[]byte, []byte]{Topic: "t", Value: value, Headers: headers}, cb)
		},
	} {
		assert.Less(t, perRecord(t, bytesProducer, n, send), limit, name)
	}
	text := string(value)
	assert.Less(t, perRecord(t, stringProducer, n, func() {
		stringProducer.Send(ctx, Record[string, string]{Topic: "t", Key: "0123456789abcdef", Value: text}, cb)
	}), limit, "strings")
	numbers, err := New(allocConfig(), NumberSerializer[int64], UUIDSerializer)
	require.NoError(t, err)
	assert.Less(t, perRecord(t, numbers, n, func() {
		numbers.Send(ctx, Record[int64, [16]byte]{Topic: "t", Key: 42}, cb)
	}), limit, "serializers that append")
	assert.NoError(t, numbers.Close(ctx))
	assert.NoError(t, bytesProducer.Close(ctx))
	assert.NoError(t, stringProducer.Close(ctx))
}

func TestKafkaProducer_Send_UsesMemoryAgain(t *testing.T) {
	if invariants.Enabled {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	for name, tc := range map[string]struct {
		size   int // bytes of a value; less than that may be allocated
		change func(*Config)
	}{
		"batches of several chunks": {100, func(c *Config) { c.BatchSize = 100_000 }},
		"compressed batches":        {100, func(c *Config) { c.Compression = CompressionLZ4 }},
		"large compressed batches":  {100, func(c *Config) { c.Compression, c.BatchSize = CompressionSnappy, 100_000 }},
		"records of several chunks": {60_000, func(*Config) {}},
	} {
		cfg := allocConfig()
		tc.change(&cfg)
		p, err := New(cfg, BytesSerializer, BytesSerializer)
		require.NoError(t, err)
		value := make([]byte, tc.size)
		for i := range value {
			value[i] = byte(i * i) // shrinks, but not to nothing
		}
		const runs, warm, bytes = 40, 20, 1 << 20
		n := bytes / tc.size
		var before, after runtime.MemStats
		for run := range runs {
			if run == warm {
				runtime.ReadMemStats(&before)
			}
			for range n {
				p.Send(t.Context(), Record[[]byte, []byte]{Topic: "t", Value: value}, nil)
			}
			require.NoError(t, p.Flush(t.Context()))
		}
		runtime.ReadMemStats(&after)
		allocated := float64(after.TotalAlloc-before.TotalAlloc) / (runs - warm) / float64(n)
		t.Logf("%s: %.1f bytes per record", name, allocated)
		assert.Less(t, allocated, float64(tc.size), name)
		assert.NoError(t, p.Close(t.Context()))
	}
}
