package producer

import (
	"context"
	"log/slog"
)

// interceptor.go owns what users hang into the way of a record. Interceptors run on the goroutine that
// sends, and what they return where the record's callback runs; never under a lock.

// Interceptor sees, and may replace, every record before its topic is looked up and it is serialized
// (Java's ProducerInterceptor).
type Interceptor[K, V any] interface {
	// OnSend returns the record to send and a function, nil for none, that runs once with the record's
	// outcome, whatever it is, before the callback of Send: Java's onAcknowledgement, with whatever
	// OnSend closed over. It must not change r's headers in place; Headers.With copies. A panic in
	// either is logged; one in OnSend lets the record go on unchanged.
	OnSend(ctx context.Context, r Record[K, V]) (Record[K, V], func(RecordMetadata, error))
}

// interceptors run in the order given to New: each sees what the one before it returned.
type interceptors[K, V any] struct {
	chain  []Interceptor[K, V]
	logger *slog.Logger
}

// onSend runs the chain and returns the record to send and the callback that tells everybody.
func (is *interceptors[K, V]) onSend(ctx context.Context, r Record[K, V], cb Callback) (Record[K, V], Callback) {
	var acks []Callback
	for _, i := range is.chain {
		next, ack := is.run(ctx, i, r)
		r = next
		if ack != nil {
			acks = append(acks, ack)
		}
	}
	if acks == nil {
		return r, cb
	}
	return r, func(m RecordMetadata, err error) {
		for _, ack := range acks {
			is.acknowledge(ack, m, err)
		}
		if cb != nil {
			cb(m, err)
		}
	}
}

// run runs one interceptor and outlives its panic.
func (is *interceptors[K, V]) run(ctx context.Context, i Interceptor[K, V], r Record[K, V]) (next Record[K, V], ack Callback) {
	defer func() {
		if p := recover(); p != nil {
			is.logger.Error("interceptor panicked", "panic", p, "topic", r.Topic)
			next, ack = r, nil
		}
	}()
	return i.OnSend(ctx, r)
}

// acknowledge tells one interceptor the outcome and outlives its panic.
func (is *interceptors[K, V]) acknowledge(ack Callback, m RecordMetadata, err error) {
	defer func() {
		if p := recover(); p != nil {
			is.logger.Error("interceptor's acknowledgement panicked", "panic", p, "record", m.String())
		}
	}()
	ack(m, err)
}
