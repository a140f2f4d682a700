package producer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkKafkaProducer_Send is the way of a 100-byte record on one goroutine, its callback included,
// against a broker that costs little. benchmarks/ compares with other clients.
func BenchmarkKafkaProducer_Send(b *testing.B) {
	value, key := make([]byte, 100), []byte("0123456789abcdef")
	for name, r := range map[string]Record[[]byte, []byte]{
		"no key": {Topic: "t", Value: value},
		"key":    {Topic: "t", Key: key, Value: value},
	} {
		b.Run(name, func(b *testing.B) {
			p, err := New(allocConfig(), BytesSerializer, BytesSerializer)
			require.NoError(b, err)
			cb := func(_ RecordMetadata, err error) {
				if err != nil {
					b.Error(err)
				}
			}
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				p.Send(ctx, r, cb)
			}
			require.NoError(b, p.Close(ctx))
		})
	}
}
