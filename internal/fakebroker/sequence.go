package fakebroker

// This file owns what a partition remembers of an idempotent producer, and which batches it therefore admits. It is
// part of the state under the cluster's lock.

import (
	"math"

	"github.com/kafka-go-producer/producer/errcode"
)

const rememberedBatches = 5 // as many as a client may have in flight

// producerState is one producer's latest batches in one partition.
type producerState struct {
	epoch  int16
	recent []sequenced // oldest first, all of epoch
}

// sequenced is a batch by its sequences, both ends included.
type sequenced struct {
	first, last int32
	offset      int64
}

// admit decides about a batch that would get the offset it has. If it is one of the last five it is there already, and
// its old offset is returned. A producer that the partition does not know may begin with any sequence, as in Kafka: a
// broker forgets producers, and cannot tell.
func (s *producerState) admit(b Batch) (offset int64, code errcode.Code) {
	next := sequenced{first: b.BaseSequence, last: plus(b.BaseSequence, b.Count-1), offset: b.BaseOffset}
	switch {
	case len(s.recent) == 0:
	case b.ProducerEpoch < s.epoch:
		return -1, errcode.InvalidProducerEpoch
	case b.ProducerEpoch > s.epoch:
		if next.first != 0 {
			return -1, errcode.OutOfOrderSequenceNumber
		}
		s.recent = nil
	default:
		for _, old := range s.recent {
			if old.first == next.first && old.last == next.last {
				return old.offset, errcode.None
			}
		}
		if next.first != plus(s.recent[len(s.recent)-1].last, 1) {
			return -1, errcode.OutOfOrderSequenceNumber
		}
	}
	s.epoch = b.ProducerEpoch
	s.recent = append(s.recent, next)
	if len(s.recent) > rememberedBatches {
		s.recent = s.recent[1:]
	}
	return next.offset, errcode.None
}

// plus adds to a sequence, which goes on with 0 after the largest int32.
func plus(sequence, n int32) int32 {
	return int32((int64(sequence) + int64(n)) % (math.MaxInt32 + 1))
}
