package producer

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
)

// completion.go owns the completion goroutine: the callbacks of accepted records run on it, in the
// order in which outcomes were published. The Sender puts in and never waits; the goroutine takes out.

// completions is its queue.
type completions struct {
	acc     *accumulator
	logger  *slog.Logger
	done    chan struct{} // closed when the goroutine has ended
	running atomic.Int64  // the goroutine's id while a callback runs, else zero

	mu     sync.Mutex // guards the fields up to the blank line
	queue  []*acknowledgements
	ending bool
	wake   *sync.Cond // somebody put in, or ending was set

	// The goroutine's, kept here because a callback can end it with runtime.Goexit, as a test's FailNow
	// does: then another one goes on where it was.
	id    int64
	mine  []*acknowledgements
	batch int // of mine: whose callbacks run
	entry int // of that batch: whose callback runs next
}

func newCompletions(acc *accumulator, logger *slog.Logger) *completions {
	c := &completions{acc: acc, logger: logger, done: make(chan struct{})}
	c.wake = sync.NewCond(&c.mu)
	go c.run()
	return c
}

// push takes over acknowledgements whose outcome is published.
func (c *completions) push(k *acknowledgements) {
	c.mu.Lock()
	c.queue = append(c.queue, k)
	c.mu.Unlock()
	c.wake.Signal()
}

// end makes the goroutine end once it has run what was pushed.
func (c *completions) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.wake.Signal()
}

func (c *completions) run() {
	ended := false
	defer func() {
		if !ended {
			go c.run() // this one is gone with a callback
			return
		}
		close(c.done)
	}()
	c.id = goroutineID()
	for c.batch < len(c.mine) || c.take() {
		k := c.mine[c.batch]
		for c.entry < len(k.entries) {
			c.callbacks(k)
		}
		c.mine[c.batch] = nil
		c.batch, c.entry = c.batch+1, 0
		c.acc.over(k)
	}
	ended = true
}

// take waits for batches to be pushed; false: none will be.
func (c *completions) take() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && !c.ending {
		c.wake.Wait()
	}
	c.mine, c.queue, c.batch = c.queue, c.mine[:0], 0
	return len(c.mine) > 0
}

// callbacks runs those of one batch, in order, from entry on. If one panics or ends the goroutine, entry
// is behind it.
func (c *completions) callbacks(k *acknowledgements) {
	o := k.outcome
	m := o.unknown()
	i := c.entry
	c.running.Store(c.id)
	defer func() {
		c.running.Store(0)
		if c.entry = i; i < len(k.entries) {
			c.entry++
			c.panicked(recover(), m)
		}
	}()
	if o.err != nil {
		for ; i < len(k.entries); i++ {
			if cb := k.entries[i].callback; cb != nil {
				cb(m, o.errorOf(int32(i)))
			}
		}
		return
	}
	last := int64(-1) // timestamp that m has
	for ; i < len(k.entries); i++ {
		e := &k.entries[i]
		if e.callback == nil {
			continue
		}
		if m.KeySize, m.ValueSize = int(e.keySize), int(e.valueSize); o.baseOffset >= 0 {
			m.Offset = o.baseOffset + int64(i)
		}
		if e.timestamp != last {
			m.Timestamp, last = o.timeOf(e.timestamp), e.timestamp
		}
		e.callback(m, nil)
	}
}

// call runs one callback and outlives its panic.
func (c *completions) call(cb Callback, m RecordMetadata, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(p, m)
		}
	}()
	cb(m, err)
}

// panicked logs what a callback did; a nil p stands for runtime.Goexit.
func (c *completions) panicked(p any, m RecordMetadata) {
	if p == nil {
		p = "it ended its goroutine"
	}
	c.logger.Error("callback panicked", "panic", p, "record", m.String())
}

// inCallback says whether the caller is a callback running on the completion goroutine.
func (c *completions) inCallback() bool {
	id := c.running.Load()
	return id != 0 && id == goroutineID()
}

// goroutineID reads the caller's id off the first line of its stack trace, "goroutine 12 [running]:".
// It is asked once, and by Flush and Close while a callback runs: never on the way of a record.
func goroutineID() int64 {
	var buf [64]byte
	var id int64
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + int64(c-'0')
	}
	return id
}
