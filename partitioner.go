package producer

import "github.com/kafka-go-producer/producer/internal/murmur2"

// partitioner.go owns the choice of a partition, as Java's built-in partitioner makes it: a record
// with a key goes where the key's murmur2 hash says, among all partitions of the topic; one without
// sticks to a partition for about a batch's worth of bytes, then to another one with a leader, chosen
// at random (KIP-794).

// stickyChoice is the partition that records without a key go to for now. Each queue has one per slot
// of its topic; the queue's lock guards produced.
type stickyChoice struct {
	queue    *queue
	produced int // bytes, since it was chosen
}

// placement is where a record goes: a queue that its append has locked.
type placement struct {
	queue  *queue
	sticky *stickyChoice // nil: the record could not have gone elsewhere
	slot   int           // of sticky

	spare          []byte // a chunk fetched for this record and not used yet
	opened, urgent bool   // this append opened a batch, or closed one: the Sender must know
}

// lock chooses the record's queue and locks it.
func (a *accumulator) lock(in *input) placement {
	queues := in.info.queues
	switch {
	case in.pinned >= 0:
		q := queues[in.pinned]
		q.mu.Lock()
		return placement{queue: q}
	case in.key != nil:
		q := queues[murmur2.Partition(in.key, len(queues))]
		q.mu.Lock()
		return placement{queue: q}
	}
	return a.lockSticky(in)
}

// lockSticky locks the queue of the topic's current choice. There are two choices: while one's queue
// is locked by somebody else, the other serves, so that callers do not stand in line.
func (a *accumulator) lockSticky(in *input) placement {
	t := in.info.topic
	for slot := 0; ; slot ^= 1 {
		c := t.sticky[slot].Load()
		if c == nil || int(c.queue.partition) >= len(in.info.queues) {
			a.choose(in, slot, c)
			slot ^= 1
			continue
		}
		if slot == 0 {
			if !c.queue.mu.TryLock() {
				continue
			}
		} else {
			c.queue.mu.Lock()
		}
		if t.sticky[slot].Load() == c {
			return placement{queue: c.queue, slot: slot, sticky: c}
		}
		c.queue.mu.Unlock() // somebody moved on meanwhile
		slot ^= 1
	}
}

// choose replaces old as a slot's choice by a random partition with a leader, or of all where none has one.
func (a *accumulator) choose(in *input, slot int, old *stickyChoice) {
	var q *queue
	if n := len(in.info.available); n > 0 {
		q = in.info.queues[in.info.available[a.pick(n)]]
	} else {
		q = in.info.queues[a.pick(len(in.info.queues))]
	}
	c := &q.sticky[slot]
	q.mu.Lock()
	c.produced = 0
	q.mu.Unlock()
	in.info.topic.sticky[slot].CompareAndSwap(old, c)
}

// switchSticky is asked before a record opens a batch. If the choice had its share of bytes, it makes
// a new one, locks that one's queue instead, and returns true.
func (a *accumulator) switchSticky(p *placement, size int, in *input) bool {
	if p.sticky == nil || p.sticky.produced == 0 || p.sticky.produced+size < a.batchSize {
		return false
	}
	slot, old := p.slot, p.sticky
	spare := p.spare
	p.spare = nil
	a.unlock(p)
	a.choose(in, slot, old)
	*p = a.lockSticky(in)
	p.spare = spare
	return true
}
