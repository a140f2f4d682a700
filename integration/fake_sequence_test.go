// fake_sequence_test.go is about answers that make a client send again what the
// broker already has.

package integration

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/fake"
	"github.com/kafka-go-producer/producer/integration/readback"
)

// A broker recognises the last five batches of a producer. A batch that is
// answered with "appended, but" again and again must not fall out of them while
// newer ones overtake it: it would look like a gap, and end up there twice.
func TestFake_AppendedAndDeniedAgainAndAgain_IsThereOnce(t *testing.T) {
	const records, denied = 100, 20
	for _, times := range []int{1, 2, 5} {
		c := fake.Start(t, kfake.SeedTopics(1, "t"))
		fault := c.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, Count: times,
			When: func(r kmsg.Request) bool { return firstSequence(r) == denied },
		})
		cfg := patient(c)
		cfg.BatchSize = 0 // a batch is a record, its sequence number the record's
		p := newProducer(t, cfg)
		ctx := within(t, 20*time.Second)
		for i := range records {
			p.Send(ctx, bytesRecord{Topic: "t", Value: []byte{byte(i)}}, func(_ producer.RecordMetadata, err error) {
				assert.NoError(t, err, "record %d", i)
			})
		}
		require.NoError(t, p.Flush(ctx))
		require.Equal(t, times, fault.Hits())

		var got []byte
		for _, r := range readback.Flat(t, c.ListenAddrs(), "t") {
			got = append(got, r.Value...)
		}
		assert.Equal(t, sequence(records), got, "denied %d times", times)
	}
}

// firstSequence reads the base sequence of the first batch of a produce request.
func firstSequence(r kmsg.Request) int32 {
	const at = 53 // of the v2 batch header
	for _, topic := range r.(*kmsg.ProduceRequest).Topics {
		for _, p := range topic.Partitions {
			if len(p.Records) >= at+4 {
				return int32(binary.BigEndian.Uint32(p.Records[at:]))
			}
		}
	}
	return -1
}

func sequence(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
