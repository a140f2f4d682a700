package producer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kafka-go-producer/producer/network"
	"github.com/kafka-go-producer/producer/record"
)

// core.go owns the producer of bytes behind KafkaProducer's types: it wires the rooms together and
// leads a record from the caller into its queue. Any goroutine may call it.

// core is what all instances of KafkaProducer share.
type core struct {
	cfg    Config
	acc    *accumulator
	meta   *metadata
	comp   *completions
	sender *sender
	inputs sync.Pool // of *input
	closed atomic.Bool
}

// softwareVersion is what brokers are told in ApiVersions.
const softwareVersion = "0.1.0"

func newCore(cfg Config) (*core, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	cfg.report()
	p := &core{cfg: cfg}
	clock := newClock()
	var s *sender // made last; nothing wakes it before
	poke := func() { s.poke() }
	p.acc = &accumulator{
		batchSize:  cfg.BatchSize,
		ignoreKeys: cfg.PartitionerIgnoreKeys, adaptive: cfg.PartitionerAdaptive, availability: cfg.PartitionerAvailability,
		pool:    newBufferPool(cfg.BufferMemory, cfg.MaxBlock, poke, func() bool { return p.comp.inCallback() }),
		pending: newPending(),
		clock:   clock,
		wake:    func(urgent bool) { s.wake(urgent) },
		pick:    rand.IntN,
	}
	if codec, _ := cfg.Compression.codec(); codec != record.CodecNone {
		p.acc.maxBatch = int(min(maxUncompressed*int64(cfg.BatchSize), cfg.BufferMemory/maxUncompressed))
		if p.acc.compression, err = newCompression(codec, cfg.CompressionLevel, p.acc, cfg.Logger); err != nil {
			return nil, failed(ErrConfig, "Compression").because(err)
		}
	}
	p.meta = newMetadata(clock.now, poke)
	p.comp = newCompletions(p.acc, cfg.Logger)
	client := network.NewClient(network.Config{
		ClientID: cfg.ClientID, SoftwareVersion: softwareVersion,
		MaxInFlight: cfg.MaxInFlight, RequestTimeout: cfg.RequestTimeout,
		ConnectionSetup: cfg.ConnectionSetup, ConnectionSetupMax: cfg.ConnectionSetupMax,
		ReconnectBackoff: cfg.ReconnectBackoff, ReconnectBackoffMax: cfg.ReconnectBackoffMax,
		MaxIdle: cfg.ConnectionsMaxIdle, SendBuffer: cfg.SendBuffer, ReceiveBuffer: cfg.ReceiveBuffer,
		TLS: cfg.TLS, Dial: cfg.Dial, Logger: cfg.Logger,
	})
	s = newSender(&p.cfg, p.acc, p.meta, p.comp, clock, client)
	p.sender = s
	if cfg.BootstrapResolveTimeout > 0 && cfg.Dial == nil {
		s.resolving = newResolution(&p.cfg, p.meta, net.DefaultResolver.LookupHost)
	}
	go s.run()
	return p, nil
}

// input is a cleared one from the pool.
func (p *core) input() *input {
	in, _ := p.inputs.Get().(*input)
	if in == nil {
		in = &input{}
	}
	return in
}

// giveBack returns an input that nothing refers to any more, with buffers that would have held its key
// and value.
func (p *core) giveBack(in *input) {
	key, value := grown(in.keyBuf, len(in.key)), grown(in.valueBuf, len(in.value))
	*in = input{}
	in.keyBuf, in.valueBuf = key, value
	p.inputs.Put(in)
}

// maxScratch is the largest key or value that serializers get memory for; beyond it they make their own.
const maxScratch = 4 << 10

// grown is buf, or a larger one if n bytes do not fit. What a serializer returned is never kept: it may
// be the user's.
func grown(buf []byte, n int) []byte {
	if n <= cap(buf) || n > maxScratch {
		return buf
	}
	return make([]byte, 0, max(2*n, 64))
}

// admit checks what can be checked before a record is serialized, and waits for its topic's metadata.
func (p *core) admit(ctx context.Context, in *input) error {
	if p.closed.Load() {
		return failed(ErrClosed, "topic %s", in.topic)
	}
	if err := ctx.Err(); err != nil {
		return failed(nil, "topic %s", in.topic).because(err)
	}
	if in.pinned < -1 {
		return failed(ErrInvalidRecord, "topic %s: negative partition", in.topic)
	}
	if in.info = p.meta.known(in.topic, in.pinned); in.info != nil {
		return nil
	}
	in.deadline = time.Now().Add(p.cfg.MaxBlock)
	info, err := p.meta.await(ctx, in.topic, in.pinned, in.deadline)
	in.info = info
	return err
}

// append checks a serialized record and puts it into its queue.
func (p *core) append(ctx context.Context, in *input) (Future, error) {
	if p.cfg.Partitioner != nil && in.pinned < 0 {
		if err := ask(p.cfg.Partitioner, in); err != nil {
			return Future{}, err
		}
	}
	if size := record.UpperBound(in.key, in.value, in.headers); size > p.cfg.MaxRequestSize {
		return Future{}, failed(ErrRecordTooLarge, "topic %s: %d bytes are more than MaxRequestSize, %d", in.topic, size, p.cfg.MaxRequestSize)
	} else if int64(size) > p.cfg.BufferMemory {
		return Future{}, failed(ErrRecordTooLarge, "topic %s: %d bytes are more than BufferMemory, %d", in.topic, size, p.cfg.BufferMemory)
	}
	return p.acc.append(ctx, in)
}

// refuse is the end of a record that was not accepted: its callback runs here and now.
func (p *core) refuse(in *input, err error) Future {
	o := &outcome{topic: in.topic, partition: in.partition}
	o.publish(-1, -1, err)
	f := Future{outcome: o, keySize: -1, valueSize: -1}
	if in.callback != nil {
		p.comp.call(in.callback, o.metadata(&f), err)
	}
	return f
}

func (p *core) flush(ctx context.Context) error {
	if p.comp.inCallback() {
		return failed(ErrInvalidState, "Flush in a callback would wait for itself")
	}
	if err := ctx.Err(); err != nil {
		return failed(nil, "Flush").because(err)
	}
	p.sender.flushing.Add(1)
	defer p.sender.flushing.Add(-1)
	flight, over := p.acc.pending.flush()
	for { // several may flush at once
		f := p.sender.flush.Load()
		if f >= flight || p.sender.flush.CompareAndSwap(f, flight) {
			break
		}
	}
	p.sender.poke()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return failed(nil, "Flush: records go on being delivered").because(ctx.Err())
	}
}

// partitionsFor waits for a topic like admit does.
func (p *core) partitionsFor(ctx context.Context, topic string) ([]PartitionInfo, error) {
	in := &input{topic: topic, pinned: -1}
	if err := p.admit(ctx, in); err != nil {
		return nil, err
	}
	return in.info.describe(), nil
}

// closeGrace is how long past the end of its context Close waits for callbacks that still run.
const closeGrace = 50 * time.Millisecond

func (p *core) close(ctx context.Context) error {
	if p.comp.inCallback() {
		return failed(ErrInvalidState, "Close in a callback would wait for itself")
	}
	p.closed.Store(true)
	p.acc.pending.close() // no batch opens from here on
	p.acc.pool.close()
	p.meta.close()
	p.sender.stop.Store(true)
	p.sender.poke()
	select {
	case <-p.sender.done:
	case <-ctx.Done():
		p.sender.force.Store(true)
		p.sender.poke()
		<-p.sender.done
	}
	select {
	case <-p.comp.done:
	case <-ctx.Done():
		select {
		case <-p.comp.done:
		case <-time.After(closeGrace):
			return failed(nil, "Close: callbacks still run").because(ctx.Err())
		}
	}
	if n := p.sender.lost.Load(); n > 0 {
		return failed(ErrClosed, "%d records were not delivered", n).because(ctx.Err())
	}
	return nil
}

// serialize runs a user's serializer and outlives its panic.
func serialize[T any](s Serializer[T], dst []byte, c *SerializeContext, v T) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return s(dst, c, v)
}
