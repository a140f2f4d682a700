package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// outcome.go owns what became of a batch, and how a record's sender learns it.

// callback runs once a record is acknowledged or lost.
type callback func(metadata, error)

// metadata says where a record is.
type metadata struct {
	topic     string
	partition int32
	offset    int64
}

// outcome is shared by the records of one batch. What is above done is written before it is set.
type outcome struct {
	base int64
	err  error
	done atomic.Bool
	mu   sync.Mutex // guards wait
	wait chan struct{}
}

func (o *outcome) publish(base int64, err error) {
	o.base, o.err = base, err
	o.done.Store(true)
	o.mu.Lock()
	if o.wait != nil {
		close(o.wait)
	}
	o.mu.Unlock()
}

// doneCh is made by the first who has to wait; nil if the outcome is known.
func (o *outcome) doneCh() chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done.Load() {
		return nil
	}
	if o.wait == nil {
		o.wait = make(chan struct{})
	}
	return o.wait
}

// future is a value: it costs no allocation.
type future struct {
	outcome *outcome
	index   int32
}

func (f future) get(ctx context.Context) (offset int64, err error) {
	if !f.outcome.done.Load() {
		if wait := f.outcome.doneCh(); wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
	}
	return f.outcome.base + int64(f.index), f.outcome.err
}

func refused(err error, cb callback) future {
	o := &outcome{}
	o.publish(-1, err)
	if cb != nil {
		cb(metadata{offset: -1}, err)
	}
	return future{outcome: o}
}
