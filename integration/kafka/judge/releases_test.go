// releases_test.go proves that old brokers are judged by consumers of their own
// time and of today alike.

package judge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/integration/kafka/judge"
)

func TestRead_OlderReleases_OwnAndNewestConsumerAgree(t *testing.T) {
	newest := kafka.JavaFor(t, "")
	for _, version := range []string{"3.9.1", "2.1.1"} {
		t.Run(version, func(t *testing.T) {
			c := kafka.Start(t, kafka.Options{Version: version, Topics: map[string]int{"read": 3}})
			const records = 5000
			all := make([]*kgo.Record, records)
			for i := range all {
				all[i] = &kgo.Record{Topic: "read", Key: fmt.Append(nil, i), Headers: []kgo.RecordHeader{{Key: "h"}}}
			}
			produce(t, c, all...)
			for level, java := range map[judge.Isolation]kafka.Java{judge.Uncommitted: c.Java(), judge.Committed: newest} {
				seen := make(map[string]bool, records)
				judge.ReadWith(t, java, c, "read", level, func(r judge.Record) {
					seen[string(r.Key)] = len(r.Headers) == 1 && r.Value == nil
				})
				assert.Len(t, seen, records, "consumer of %s, %s", java.Version(), level)
				assert.True(t, seen["4999"])
			}
		})
	}
}
