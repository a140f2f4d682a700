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
	defer close(c.done)
	id := goroutineID()
	var mine []*acknowledgements
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.ending {
			c.wake.Wait()
		}
		if len(c.queue) == 0 {
			c.mu.Unlock()
			return
		}
		mine, c.queue = c.queue, mine[:0]
		c.mu.Unlock()
		for i, k := range mine {
			c.running.Store(id)
			c.callbacks(k)
			c.running.Store(0)
			c.acc.over(k)
			mine[i] = nil
		}
	}
}

// callbacks runs those of one batch, in order, and outlives their panics.
func (c *completions) callbacks(k *acknowledgements) {
	for i := 0; i < len(k.entries); {
		i = c.callbacksFrom(k, i)
	}
}

// callbacksFrom runs callbacks from entry i on and returns where to go on: behind the last, or behind
// one that panicked.
func (c *completions) callbacksFrom(k *acknowledgements, i int) (next int) {
	o := k.outcome
	m := o.unknown()
	defer func() {
		if p := recover(); p != nil {
			next = i + 1
			c.panicked(p, m)
		}
	}()
	if o.err != nil {
		for ; i < len(k.entries); i++ {
			if cb := k.entries[i].callback; cb != nil {
				cb(m, o.errorOf(int32(i)))
			}
		}
		return i
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
	return i
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

func (c *completions) panicked(p any, m RecordMetadata) {
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
