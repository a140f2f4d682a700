package producer

import (
	"fmt"

	"github.com/kafka-go-producer/producer/internal/murmur2"
)

// partitioner.go owns the choice of a partition. Without a Partitioner of the user's it is made as
// Java's built-in partitioner makes it: a record with a key goes where the key's murmur2 hash says,
// among all partitions of the topic; one without sticks to a partition for about a batch's worth of
// bytes, then to another one with a leader, chosen at random (KIP-794).

// Partitioner chooses a partition for records that name none. It is called once per record, on the
// goroutine that sends, by several of them at a time. It must change neither key, value (nil: null) nor
// partitions, and keep none of them. A number outside of partitions, or a panic, makes Send fail with
// ErrInvalidRecord.
type Partitioner interface {
	Partition(topic string, key, value []byte, partitions []PartitionInfo) int32
}

// ask lets the user's partitioner choose, and outlives its panic.
func ask(p Partitioner, in *input) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failed(ErrInvalidRecord, "topic %s: the partitioner panicked", in.topic).because(fmt.Errorf("panic: %v", r))
		}
	}()
	n := p.Partition(in.topic, in.key, in.value, in.info.infos)
	if n < 0 || int(n) >= len(in.info.partitions) {
		return failed(ErrInvalidRecord, "topic %s: the partitioner chose %d of %d partitions", in.topic, n, len(in.info.partitions))
	}
	in.pinned, in.partition = n, n
	return nil
}

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

	spare          memory // fetched for this record and not used yet
	opened, urgent bool   // this append opened a batch, or closed one: the Sender must know
}

// lock chooses the record's queue and locks it.
func (a *accumulator) lock(in *input, p *placement) {
	queues := in.info.queues
	switch {
	case in.pinned >= 0:
		p.queue, p.sticky = queues[in.pinned], nil
	case in.key != nil && !a.ignoreKeys:
		p.queue, p.sticky = queues[murmur2.Partition(in.key, len(queues))], nil
	default:
		a.lockSticky(in, p)
		return
	}
	p.queue.mu.Lock()
}

// lockSticky locks the queue of the topic's current choice. There are two choices: while one's queue
// is locked by somebody else, the other serves, so that callers do not stand in line.
func (a *accumulator) lockSticky(in *input, p *placement) {
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
			p.queue, p.sticky, p.slot = c.queue, c, slot
			return
		}
		c.queue.mu.Unlock() // somebody moved on meanwhile
		slot ^= 1
	}
}

// choose replaces old as a slot's choice by a random partition.
func (a *accumulator) choose(in *input, slot int, old *stickyChoice) {
	q := in.info.queues[a.loads(in.info).draw(a.pick)]
	c := &q.sticky[slot]
	q.mu.Lock()
	c.produced = 0
	q.mu.Unlock()
	in.info.topic.sticky[slot].CompareAndSwap(old, c)
}

// switchSticky is asked before a record opens a batch. If the choice had its share of bytes, it makes
// a new one, locks that one's queue instead, and returns true.
func (a *accumulator) switchSticky(p *placement, size int, in *input) bool {
	if p.sticky == nil || p.sticky.produced == 0 || p.sticky.produced+size < a.limit(in.info.topic) {
		return false
	}
	slot, old := p.slot, p.sticky
	spare := p.spare
	p.spare = memory{}
	a.unlock(p)
	a.choose(in, slot, old)
	a.lockSticky(in, p)
	p.spare = spare
	return true
}
