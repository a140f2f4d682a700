// mixed_test.go is the main job with all codecs at once, one producer each, and
// with brokers of three ages.

package integration

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/integration/kafka"
)

// mixedRecords is how many records the producers of one test send together:
// few enough for every change, and in full as many as the main job.
func mixedRecords() int {
	if kafka.Full() {
		return 1_000_000
	}
	return 250_000
}

func TestRealKafka_MixedCodecs_BrokerPaused(t *testing.T) {
	kafka.Require(t)
	const topic, partitions = "mixed", 12
	codecs := []producer.Compression{
		producer.CompressionNone, producer.CompressionGzip, producer.CompressionSnappy, producer.CompressionLZ4, producer.CompressionZstd,
	}
	for _, version := range []string{kafka.DefaultVersion, "3.9.1", "2.1.1"} {
		t.Run(version, func(t *testing.T) {
			c := clusterOf(t, version)
			c.CreateTopic(t, topic, partitions)
			w := newWorkload(len(codecs), mixedRecords()/len(codecs), 5000, 20261130)
			w.divideKeys()
			var producers []bytesProducer
			for _, codec := range codecs {
				cfg := producer.NewConfig(c.Bootstrap()...)
				cfg.Compression = codec
				producers = append(producers, newProducer(t, cfg))
			}
			acks := sendAcrossStandstill(t, c, topic, w, producers...)

			// The newest release tells for all where keys belong.
			dump := checkStored(t, c, topic, w, acks, javaPlaces(t, kafka.JavaFor(t, ""), w.keys, partitions))
			assert.Len(t, dump.Codecs, len(codecs))
			for _, codec := range codecs {
				assert.Positive(t, dump.Codecs[string(codec)], "batches with codec %s", codec)
			}
			t.Logf("batches by codec: %v", dump.Codecs)
		})
	}
}

// clusterOf is the shared cluster if that is of the version, or else a new one.
func clusterOf(t *testing.T, version string) *kafka.Cluster {
	t.Helper()
	if version == kafka.DefaultVersion {
		return shared.Cluster(t)
	}
	return kafka.Start(t, kafka.Options{Version: version})
}

// divideKeys gives each sender keys of its own, which is done once, before the
// workload is used. The number of keys must be a multiple of the senders'.
func (w *workload) divideKeys() {
	senders := int32(w.senders)
	for s, choices := range w.choices {
		for n, key := range choices {
			if key == 0 {
				continue // none
			}
			choices[n] = key - key%senders + int32(s)
			if choices[n] == 0 {
				choices[n] = senders
			}
		}
	}
}

func TestWorkload_DivideKeys_GivesNoKeyToTwoSenders(t *testing.T) {
	w := newWorkload(5, 2000, 100, 1)
	w.divideKeys()
	owners := map[int32]int{}
	without := 0
	for s, choices := range w.choices {
		for n, key := range choices {
			if key == 0 {
				without++
				continue
			}
			if owner, ok := owners[key]; ok && owner != s {
				t.Fatalf("senders %d and %d share key %d", owner, s, key)
			}
			owners[key] = s
			assert.NotNil(t, w.key(s, n), fmt.Sprintf("key %d", key))
		}
	}
	assert.Greater(t, len(owners), 90)
	assert.InDelta(t, w.records()/10, without, 200)
}
