package producer

import (
	"bytes"

	"github.com/kafka-go-producer/producer/record"
)

// split.go owns the splitting of a batch that the broker finds too large (KIP-126). All of it is the
// Sender's.

// split puts the records of a batch into smaller ones, which take its place: to be sent at once and in
// order, with its sequence numbers, its age, and its memory. Of its records each future finds the
// outcome through the old one, and each callback goes to the new batch.
func (s *sender) split(b *batch) {
	st := &b.queue.sender
	parts, err := s.parts(b)
	if err != nil { // its own bytes: this cannot be
		st.sequence.givenUp(b)
		s.publish(b, -1, -1, failed(ErrInvalidRecord, "%s: splitting", b.queue.name()).because(err))
		return
	}
	old := b.acks.outcome
	old.open = len(parts)
	entries := b.acks.entries
	for _, p := range parts {
		o := p.acks.outcome
		o.parent = old
		first := int32(len(b.acks.entries) - len(entries))
		old.parts = append(old.parts, part{first, o})
		for _, e := range entries[:p.Count()] {
			p.acks.entries = append(p.acks.entries, e)
			p.acks.wanted = p.acks.wanted || e.callback != nil
		}
		entries = entries[p.Count():]
	}
	s.acc.pending.more(b.flight, int64(len(parts)))
	s.acc.pending.done(b.flight)
	s.acc.live.Add(int64(len(parts)) - 1)
	b.queue.topic.live.Add(int64(len(parts)) - 1)
	b.split, b.acks = true, nil
	for _, p := range parts {
		st.resend = insert(st.resend, p)
	}
	b.queue.waiting.Add(int32(len(parts)))
	st.retryAt = s.now
	s.counts.splits++
}

// parts builds the smaller batches. They aim at BatchSize, and at half of what there is at the most.
func (s *sender) parts(b *batch) (parts []*batch, err error) {
	records, size, err := recordsOf(b)
	if err != nil {
		return nil, err
	}
	b.queue.topic.ratio.reset()
	target := min(s.cfg.BatchSize, size/2)
	var last *batch
	for i := range records {
		r := &records[i]
		ok := false
		if last != nil {
			_, ok = last.TryAppend(target, r.Timestamp, r.Key, r.Value, r.Headers)
		}
		if !ok {
			last = s.newPart(b, int32(i), max(target, record.UpperBound(r.Key, r.Value, r.Headers)))
			parts = append(parts, last)
			last.TryAppend(target, r.Timestamp, r.Key, r.Value, r.Headers)
		}
	}
	for _, p := range parts {
		if c := s.acc.compression; c != nil {
			c.compress(p, &s.scratch)
		}
		p.size = p.Size()
		p.stamp = b.stamp
		if p.hasSequence {
			p.stamp.BaseSequence = add(b.stamp.BaseSequence, p.part-b.part)
		}
		p.Seal(p.stamp)
	}
	return parts, nil
}

// recordsOf reads the records of a batch back, and how large they are as one.
func recordsOf(b *batch) (records []record.Record, size int, err error) {
	whole, _, err := record.ReadBatch(bytes.Join(b.AppendChunks(nil), nil))
	if err != nil {
		return nil, 0, err
	}
	size = record.HeaderSize
	for r, err := range whole.Records() {
		if err != nil {
			return nil, 0, err
		}
		records = append(records, r)
		size += record.UpperBound(r.Key, r.Value, r.Headers) - record.HeaderSize
	}
	return records, size, nil
}

// newPart is an empty part of b for the records from first on.
func (s *sender) newPart(b *batch, first int32, size int) *batch {
	s.acc.pool.replace(size) // b's own memory goes back in a moment
	p := s.acc.newBatch(b.queue, b.flight, make([]byte, size))
	p.opened, p.position = b.opened, position{b.order, b.part + first}
	p.maybe, p.lastErr, p.hasSequence = b.maybe, b.lastErr, b.hasSequence
	return p
}
