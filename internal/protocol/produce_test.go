package protocol

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
)

func TestProduceRequest_Bytes(t *testing.T) {
	for _, tc := range []struct {
		version int16
		wire    string
		want    func(*ProduceRequest)
	}{
		{3, `
			0002 7478  ffff  00007530       # transactional id, acks, timeout
			00000001  0006 6f7264657273     # topics, name
			00000003                        # partitions
			00000003  00000003 010203
			00000004  00000000              # empty records
			00000005  ffffffff              # no records
		`, func(r *ProduceRequest) { r.Topics[0].TopicID = [16]byte{} }},
		{9, `
			03 7478  ffff  00007530
			02  07 6f7264657273
			04
			00000003  04 010203  00         # tagged fields of the partition
			00000004  01  00
			00000005  00  00
			00  00                          # of the topic, of the request
		`, func(r *ProduceRequest) { r.Topics[0].TopicID = [16]byte{} }},
		{13, `
			03 7478  ffff  00007530
			02  a0a100000000000000000000000000af
			04
			00000003  04 010203  00
			00000004  01  00
			00000005  00  00
			00  00
		`, func(r *ProduceRequest) { r.Topics[0].Name = "" }},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			want := sampleProduceRequest()
			want.Topics[0].Partitions[0].Records.Chunks = [][]byte{{1, 2, 3}} // pieces are joined
			want.Topics[0].Partitions[1].Records.Chunks = [][]byte{{}}
			tc.want(want)
			checkBytes(t, tc.version, tc.wire, sampleProduceRequest(), want)
		})
	}
}

func TestProduceRequest_Decode_RecordsAliasInput(t *testing.T) {
	wire := Append(nil, sampleProduceRequest(), 9)
	var r ProduceRequest
	require.NoError(t, Decode(wire, &r, 9))
	records := r.Topics[0].Partitions[0].Records
	require.Len(t, records.Chunks, 1)
	for i := range wire {
		wire[i] = 0xee
	}
	assert.Equal(t, []byte{0xee, 0xee, 0xee}, records.Chunks[0])
	assert.Equal(t, "orders", r.Topics[0].Name, "strings are copied")
}

type produceResponseCase struct {
	version int16
	wire    string
	want    func(*ProduceResponse) // takes from the sample what the version lacks
}

func (tc produceResponseCase) run(t *testing.T) {
	want := sampleProduceResponse()
	tc.want(want)
	checkBytes(t, tc.version, tc.wire, sampleProduceResponse(), want)
}

func withoutLeaderAndID(r *ProduceResponse) {
	r.NodeEndpoints = nil
	r.Topics[0].TopicID = [16]byte{}
	r.Topics[0].Partitions[0].CurrentLeader = LeaderIDAndEpoch{-1, -1}
}

func TestProduceResponse_Bytes(t *testing.T) {
	for _, tc := range []produceResponseCase{
		{3, `
			00000001  0006 6f7264657273  00000001
			00000003  0006  0000000000000064  0000000000000001
			00000007
		`, func(r *ProduceResponse) {
			withoutLeaderAndID(r)
			p := &r.Topics[0].Partitions[0]
			p.LogStartOffset, p.RecordErrors, p.ErrorMessage = -1, nil, NullString{}
		}},
		{8, `
			00000001  0006 6f7264657273  00000001
			00000003  0006  0000000000000064  0000000000000001  0000000000000032
			00000002  00000002 0002 6e6f  00000004 ffff
			0005 6d6f766564
			00000007
		`, withoutLeaderAndID},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), tc.run)
	}
}

func TestProduceResponse_Bytes_Flexible(t *testing.T) {
	for _, tc := range []produceResponseCase{
		{9, `
			02  07 6f7264657273  02
			00000003  0006  0000000000000064  0000000000000001  0000000000000032
			03  00000002 03 6e6f 00  00000004 00 00
			06 6d6f766564
			00  00
			00000007
			00
		`, withoutLeaderAndID},
		{10, `
			02  07 6f7264657273  02
			00000003  0006  0000000000000064  0000000000000001  0000000000000032
			03  00000002 03 6e6f 00  00000004 00 00
			06 6d6f766564
			01  00 09  00000008 00000009 00     # one tagged field, number 0, 9 bytes: the leader
			00
			00000007
			01  00 0e                           # one tagged field, number 0, 14 bytes: where the leader lives
			02  00000008 02 68 00002384 02 72 00
		`, func(r *ProduceResponse) { r.Topics[0].TopicID = [16]byte{} }},
		{13, `
			02  a0a100000000000000000000000000af  02
			00000003  0006  0000000000000064  0000000000000001  0000000000000032
			03  00000002 03 6e6f 00  00000004 00 00
			06 6d6f766564
			01  00 09  00000008 00000009 00
			00
			00000007
			01  00 0e
			02  00000008 02 68 00002384 02 72 00
		`, func(r *ProduceResponse) { r.Topics[0].Name = "" }},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), tc.run)
	}
}

func TestProduceResponse_Append_OmitsDefaultTags(t *testing.T) {
	r := &ProduceResponse{Topics: []ProduceResponseTopic{{Name: "a", Partitions: []ProduceResponsePartition{{
		CurrentLeader: LeaderIDAndEpoch{-1, -1},
	}}}}}
	assert.Len(t, Append(nil, r, 10), len(Append(nil, r, 9)), "neither leader nor endpoints")

	r.Topics[0].Partitions[0].CurrentLeader.LeaderID = 0
	assert.Len(t, Append(nil, r, 10), len(Append(nil, r, 9))+2+9, "leader 0 is a leader")
}

func TestProduceResponse_Decode_IgnoresLeaderBeforeVersion10(t *testing.T) {
	wire := unhex(t, `
		02  02 61  02
		00000000 0000 0000000000000000 0000000000000000 0000000000000000 01 00
		01  00 09  00000008 00000009 00
		00  00000000  00
	`)
	var r ProduceResponse
	require.NoError(t, Decode(wire, &r, 9))
	assert.Equal(t, LeaderIDAndEpoch{-1, -1}, r.Topics[0].Partitions[0].CurrentLeader)
	require.NoError(t, Decode(wire, &r, 10))
	assert.Equal(t, LeaderIDAndEpoch{8, 9}, r.Topics[0].Partitions[0].CurrentLeader)
}

func TestProduceResponse_Decode_RepeatedlyAllocatesNothing(t *testing.T) {
	sent := &ProduceResponse{Topics: []ProduceResponseTopic{{Name: "orders"}, {Name: "payments"}}}
	for i := range 12 {
		topic := &sent.Topics[i%2]
		topic.Partitions = append(topic.Partitions, ProduceResponsePartition{
			Index: int32(i), BaseOffset: int64(i), LogAppendTimeMs: -1, CurrentLeader: LeaderIDAndEpoch{int32(i), 1},
			RecordErrors: []BatchIndexError{{Message: Some("bad")}}, ErrorMessage: Some("worse"),
		})
	}
	sent.Topics[0].Partitions[0].ErrorCode = errcode.NotLeaderOrFollower
	for _, version := range []int16{3, 9, 13} {
		wire := Append(nil, sent, version)
		var r ProduceResponse
		allocs := testing.AllocsPerRun(100, func() {
			if err := Decode(wire, &r, version); err != nil {
				t.Fatal(err)
			}
		})
		assert.Zero(t, allocs, "version %d", version)
		assert.Equal(t, wire, Append(nil, &r, version))
	}
}
