package producer

import (
	"context"
)

// producer.go owns the typed face of the producer and no logic: records become bytes here, everything
// else is core.go's.

// Producer is what application code should accept; KafkaProducer implements it.
type Producer[K, V any] interface {
	// Send queues a record and returns its future outcome. It blocks for metadata and memory only: at
	// most MaxBlock together, or until ctx ends. Every failure arrives through the Future and cb, once;
	// a nil cb is fine. The bytes of key, value and headers are copied: they are the caller's again when
	// Send returns. A record that was accepted is no longer bound to ctx. A ctx that has ended is refused.
	Send(ctx context.Context, r Record[K, V], cb Callback) Future
	// Flush sends what lingers, and returns when every record accepted before the call has its outcome
	// and its callback has returned, or when ctx ends. It does not say whether records failed. In a
	// callback it returns ErrInvalidState.
	Flush(ctx context.Context) error
	// PartitionsFor waits for the topic's metadata, at most MaxBlock or until ctx ends.
	PartitionsFor(ctx context.Context, topic string) ([]PartitionInfo, error)
	// Close refuses new records, delivers those it has until ctx ends, and fails what is left then: its
	// error matches ErrClosed and says how many. It waits for callbacks too: if only some of those still
	// run when ctx ends, its error matches ctx's and not ErrClosed. A ctx that has ended closes at once, so give it
	// context.WithoutCancel(ctx), or one with a deadline of its own, where a cancelled ctx must not cost
	// records. It may be called again. In a callback it returns ErrInvalidState.
	Close(ctx context.Context) error
}

// KafkaProducer sends typed records to Kafka. Make it with New and Close it. All methods may be called
// from any goroutine.
type KafkaProducer[K, V any] struct {
	core         *core
	keys         Serializer[K]
	values       Serializer[V]
	interceptors interceptors[K, V]
}

var _ Producer[string, []byte] = (*KafkaProducer[string, []byte])(nil)

// New checks cfg, all mistakes in one error that matches ErrConfig, and starts a producer. It neither
// connects nor looks up names: brokers that are not there make Send time out. cfg is copied.
// Interceptors run in the order given.
func New[K, V any](cfg Config, keys Serializer[K], values Serializer[V], chain ...Interceptor[K, V]) (*KafkaProducer[K, V], error) {
	if keys == nil || values == nil {
		return nil, failed(ErrConfig, "a serializer is nil")
	}
	c, err := newCore(cfg)
	if err != nil {
		return nil, err
	}
	return &KafkaProducer[K, V]{core: c, keys: keys, values: values, interceptors: interceptors[K, V]{chain, c.cfg.Logger}}, nil
}

// Send queues a record and returns its future outcome, as Producer says: it blocks at most MaxBlock, and
// every failure arrives through the Future and cb.
func (p *KafkaProducer[K, V]) Send(ctx context.Context, r Record[K, V], cb Callback) Future {
	if len(p.interceptors.chain) > 0 {
		r, cb = p.interceptors.onSend(ctx, r, cb)
	}
	in := p.core.input()
	defer p.core.giveBack(in)
	in.topic, in.callback, in.headers = r.Topic, cb, r.Headers
	in.pinned = r.Partition.plus1 - 1
	in.partition = max(in.pinned, -1)
	in.timestamp = -1
	if !r.Timestamp.IsZero() {
		if in.timestamp = r.Timestamp.UnixMilli(); in.timestamp < 0 {
			return p.core.refuse(in, failed(ErrInvalidRecord, "topic %s: timestamp %v is before 1970, or too far ahead", r.Topic, r.Timestamp))
		}
	}
	err := p.core.admit(ctx, in)
	if err == nil {
		err = p.encode(in, &r)
	}
	if err != nil {
		return p.core.refuse(in, err)
	}
	f, err := p.core.append(ctx, in)
	if err != nil {
		return p.core.refuse(in, err)
	}
	return f
}

// encode serializes key and value.
func (p *KafkaProducer[K, V]) encode(in *input, r *Record[K, V]) (err error) {
	c := &in.context
	c.Topic, c.Headers, c.IsKey = r.Topic, r.Headers, true
	if s, ok := any(&r.Key).(*string); !ok || *s != "" {
		if in.key, err = serialize(p.keys, in.keyBuf[:0], c, r.Key); err != nil {
			return failed(ErrSerialization, "key for topic %s", r.Topic).because(err)
		}
	}
	c.IsKey = false
	if !r.Tombstone {
		if in.value, err = serialize(p.values, in.valueBuf[:0], c, r.Value); err != nil {
			return failed(ErrSerialization, "value for topic %s", r.Topic).because(err)
		}
	}
	in.headers = c.Headers
	return nil
}

// Flush sends what lingers and waits until every record accepted before has its outcome, or ctx ends.
func (p *KafkaProducer[K, V]) Flush(ctx context.Context) error { return p.core.flush(ctx) }

// PartitionsFor waits for the topic's metadata, at most MaxBlock or until ctx ends.
func (p *KafkaProducer[K, V]) PartitionsFor(ctx context.Context, topic string) ([]PartitionInfo, error) {
	return p.core.partitionsFor(ctx, topic)
}

// Close delivers what was accepted until ctx ends, fails the rest, and waits for callbacks, as Producer
// says.
func (p *KafkaProducer[K, V]) Close(ctx context.Context) error { return p.core.close(ctx) }
