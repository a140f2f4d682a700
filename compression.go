package producer

import (
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kafka-go-producer/producer/record"
)

// compression.go owns the workers that compress closed batches, off every lock and off the Sender. A
// batch is its worker's from when it is closed until its ready flag is set; then the queue is put on
// the ready list. A worker never waits for pool memory: the compressed bytes go into the batch's own.

// maxUncompressed bounds a batch before it is compressed, however well its topic shrinks: to that many
// times BatchSize, and to that part of BufferMemory.
const maxUncompressed = 4

// compression is the workers and their queue.
type compression struct {
	codec      record.Codec
	compressor *record.Compressor
	acc        *accumulator
	logger     *slog.Logger
	workers    sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	queue  []*batch
	ending bool
	wake   *sync.Cond // somebody put in, or ending was set
}

// newCompression starts as many workers as can run at a time.
func newCompression(codec record.Codec, level int, acc *accumulator, logger *slog.Logger) (*compression, error) {
	compressor, err := record.NewCompressor(codec, level)
	if err != nil {
		return nil, err
	}
	c := &compression{codec: codec, compressor: compressor, acc: acc, logger: logger}
	c.wake = sync.NewCond(&c.mu)
	for range runtime.GOMAXPROCS(0) {
		c.workers.Go(c.work)
	}
	return c, nil
}

// push gives a closed batch to the workers; false: they are gone. It may be called under the lock of the
// batch's queue.
func (c *compression) push(b *batch) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.queue = append(c.queue, b)
	c.wake.Signal()
	return true
}

// end makes the workers end without compressing what is left, and waits for them; nil has none. All
// batches are the Sender's then.
func (c *compression) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.wake.Broadcast()
	c.workers.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.queue {
		b.ready.Store(true)
	}
	c.queue = nil
}

// next waits for a batch; nil: the workers end.
func (c *compression) next() *batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && !c.ending {
		c.wake.Wait()
	}
	if c.ending {
		return nil
	}
	b := c.queue[0]
	c.queue[0] = nil
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	return b
}

func (c *compression) work() {
	var s scratch
	for b := c.next(); b != nil; b = c.next() {
		c.compress(b, &s)
		c.acc.readied(b)
	}
}

// scratch is memory of whoever compresses, used again and again.
type scratch struct {
	chunks [][]byte
	out    []byte
}

// compress replaces the batch's records by their compressed form, if that is smaller.
func (c *compression) compress(b *batch, s *scratch) {
	uncompressed := b.Size() - record.HeaderSize
	s.chunks = b.AppendRecords(s.chunks[:0])
	out, err := c.compressor.Compress(s.out[:0], s.chunks)
	clear(s.chunks)
	if err != nil {
		c.logger.Error("batch goes uncompressed", "codec", c.codec.String(), "error", err)
		return
	}
	if s.out = out; cap(out) > 4*c.acc.batchSize+maxChunk { // one huge record does not keep its memory
		s.out = nil
	}
	b.queue.topic.ratio.observe(float64(len(out)) / float64(uncompressed))
	if len(out) >= uncompressed {
		return
	}
	s.chunks = b.Replace(c.codec, out, s.chunks[:0])
	if len(s.chunks) > 0 {
		c.acc.pool.put(s.chunks, 0)
		clear(s.chunks)
	}
}

// ratio estimates what a topic's batches shrink to: compressed by uncompressed bytes. A batch is closed
// by this estimate, so it rises quickly and falls slowly, and starts at one.
type ratio struct{ bits atomic.Uint64 }

// The steps of the estimate, and the margin it is used with.
const (
	ratioRise   = 0.05
	ratioFall   = 0.005
	ratioMargin = 1.05
)

func (r *ratio) load() float64 {
	if b := r.bits.Load(); b != 0 {
		return math.Float64frombits(b)
	}
	return 1
}

// observe takes in what a batch shrank to. Two at a time may lose one: it is an estimate.
func (r *ratio) observe(seen float64) {
	last := r.load()
	if seen > last {
		seen = max(last+ratioRise, seen)
	} else {
		seen = max(last-ratioFall, seen)
	}
	r.bits.Store(math.Float64bits(max(seen, math.SmallestNonzeroFloat64)))
}

// reset is for a topic one of whose batches turned out too large.
func (r *ratio) reset() { r.bits.Store(math.Float64bits(max(1, r.load()))) }
