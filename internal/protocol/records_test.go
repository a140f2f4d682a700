package protocol

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vectorRequest has 12 partitions with batches of the given sizes in turn, in chunks of at most 700 bytes.
func vectorRequest(sizes ...int) *ProduceRequest {
	r := &ProduceRequest{Acks: -1, TimeoutMs: 1, Topics: []ProduceRequestTopic{{Name: "orders"}, {Name: "payments"}}}
	for i := range 12 {
		batch := bytes.Repeat([]byte{byte('a' + i)}, sizes[i%len(sizes)])
		topic := &r.Topics[i/6]
		topic.Partitions = append(topic.Partitions, ProduceRequestPartition{
			Index: int32(i), Records: Records{Chunks: slices.Collect(slices.Chunk(batch, 700))},
		})
	}
	return r
}

func TestAppendVectors_IsAppendInPieces(t *testing.T) {
	for _, tc := range []struct {
		name    string
		message Message
		vectors int
	}{
		{"small batches are copied", vectorRequest(100, copyLimit), 1},
		{"large batches are not", vectorRequest(copyLimit + 1), 12*3 + 1},
		{"both", vectorRequest(10, 3000), 6*6 + 1},
		{"empty batches", vectorRequest(0), 1},
		{"no batches", &ProduceRequest{}, 1},
		{"null batch", sampleProduceRequest(), 1},
		{"other messages", sampleMetadataResponse(), 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, version := range []int16{3, 9, 13} {
				earlier := []byte("earlier")
				vecs, buf := AppendVectors([][]byte{earlier}, []byte("before"), tc.message, version)
				require.Equal(t, earlier, vecs[0])
				want := tc.vectors
				if version < 9 && want > 1 {
					want-- // nothing follows the last batch
				}
				assert.Equal(t, want, len(vecs[1:]))
				assert.True(t, bytes.Equal(Append(nil, tc.message, version), bytes.Join(vecs[1:], nil)))
				assert.Equal(t, "before", string(buf[:6]))
			}
		})
	}
}

func TestAppendVectors_SkipsEmptyChunks(t *testing.T) {
	large := make([]byte, copyLimit+1)
	r := &ProduceRequest{Topics: []ProduceRequestTopic{{Partitions: []ProduceRequestPartition{
		{Records: Records{Chunks: [][]byte{{}, large, nil}}},
	}}}}
	vecs, _ := AppendVectors(nil, nil, r, 9)
	assert.Len(t, vecs, 3, "fields, chunk, fields")
}

// The vectors must not keep arrays alive that buf has outgrown, and buf must not be large for nothing.
func TestAppendVectors_RefersToFinalBufferAndChunksOnly(t *testing.T) {
	r := vectorRequest(10, 3000)
	r.TransactionalID = Some("a transactional id")
	chunks := map[*byte]bool{}
	for _, topic := range r.Topics {
		for _, p := range topic.Partitions {
			for _, chunk := range p.Records.Chunks {
				chunks[unsafe.SliceData(chunk)] = true
			}
		}
	}
	for _, version := range []int16{3, 9, 13} {
		vecs, buf := AppendVectors(nil, nil, r, version)
		at := 0
		for _, v := range vecs {
			if chunks[unsafe.SliceData(v)] {
				continue
			}
			require.Same(t, &buf[at], &v[0], "version %d at byte %d", version, at)
			at += len(v)
		}
		assert.Equal(t, len(buf), at)
	}
}

func TestAppendVectors_LeavesAloneWhatIsBefore(t *testing.T) {
	for _, m := range allMessages() {
		_, version := m.Key().Versions()
		vecs, buf := AppendVectors(nil, nil, m, version)
		body := Append(nil, m, version)
		assert.Equal(t, body, bytes.Join(vecs, nil))
		vecs, _ = AppendVectors(vecs, buf, m, version)
		assert.Equal(t, append(body, body...), bytes.Join(vecs, nil))
	}
}

func TestAppendVectors_RepeatedlyAllocatesNothing(t *testing.T) {
	for _, r := range []*ProduceRequest{vectorRequest(100), vectorRequest(16 << 10), vectorRequest(10, 3000)} {
		for _, version := range []int16{3, 9, 13} {
			var vecs [][]byte
			var buf []byte
			assert.Zero(t, testing.AllocsPerRun(100, func() {
				vecs, buf = AppendVectors(vecs[:0], buf[:0], r, version)
			}))
		}
	}
}

func TestRecords_Size(t *testing.T) {
	assert.Zero(t, Records{}.Size())
	assert.Equal(t, 5, Records{Chunks: [][]byte{{1, 2}, {}, {3, 4, 5}}}.Size())
}
