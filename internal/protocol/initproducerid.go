package protocol

// This file owns the InitProducerId API, versions 0 to 5: 2 is flexible, 3 lets the client ask for the next epoch of an
// id it has, 4 allows PRODUCER_FENCED, 5 allows TRANSACTION_ABORTABLE.

import "github.com/kafka-go-producer/producer/errcode"

// InitProducerIDRequest asks for a producer id: any broker without, the transaction coordinator with a transactional id.
type InitProducerIDRequest struct {
	TransactionalID      NullString // null: idempotence only
	TransactionTimeoutMs int32      // of each transaction, after which the coordinator aborts it; without meaning if the id is null
	ProducerID           int64      // since version 3: the id to keep; -1: none yet
	ProducerEpoch        int16      // since version 3: its epoch, to be raised; -1: none yet
}

// Key returns InitProducerID.
func (*InitProducerIDRequest) Key() Key { return InitProducerID }

func (r *InitProducerIDRequest) walk(c *coder, version int16) {
	c.nullString(&r.TransactionalID, true)
	c.int32(&r.TransactionTimeoutMs)
	c.int64If(version >= 3, &r.ProducerID, -1)
	c.int16If(version >= 3, &r.ProducerEpoch, -1)
	c.noTags()
}

// InitProducerIDResponse carries the id and epoch to put into batches.
type InitProducerIDResponse struct {
	ThrottleTimeMs int32 // how long to send nothing more
	ErrorCode      errcode.Code
	ProducerID     int64 // -1 after an error
	ProducerEpoch  int16
}

// Key returns InitProducerID.
func (*InitProducerIDResponse) Key() Key { return InitProducerID }

func (r *InitProducerIDResponse) walk(c *coder, _ int16) {
	c.int32(&r.ThrottleTimeMs)
	c.int16((*int16)(&r.ErrorCode))
	c.int64(&r.ProducerID)
	c.int16(&r.ProducerEpoch)
	c.noTags()
}
