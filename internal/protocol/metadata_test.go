package protocol

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMetadataRequest_Bytes(t *testing.T) {
	for _, tc := range []struct {
		version int16
		wire    string
		want    MetadataRequest
	}{
		{1, `00000001 0006 6f7264657273`, MetadataRequest{AllowAutoTopicCreation: true}},
		{4, `00000001 0006 6f7264657273  01`, MetadataRequest{AllowAutoTopicCreation: true}},
		{8, `00000001 0006 6f7264657273  01 01 01`, *sampleMetadataRequest()},
		{9, `02 07 6f7264657273 00  01 01 01  00`, *sampleMetadataRequest()},
		{10, `02 a0a100000000000000000000000000af 07 6f7264657273 00  01 01 01  00`, *sampleMetadataRequest()},
		{11, `02 a0a100000000000000000000000000af 07 6f7264657273 00  01 01  00`, MetadataRequest{
			AllowAutoTopicCreation: true, IncludeTopicAuthorizedOperations: true,
		}},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			tc.want.Topics = sampleMetadataRequest().Topics
			if tc.version < 10 {
				tc.want.Topics[0].TopicID = [16]byte{}
			}
			checkBytes(t, tc.version, tc.wire, sampleMetadataRequest(), &tc.want)
		})
	}
}

func TestMetadataRequest_Bytes_AllNoneOrByID(t *testing.T) {
	byID := MetadataRequestTopic{TopicID: sampleID()}
	for _, tc := range []struct {
		name    string
		version int16
		wire    string
		topics  []MetadataRequestTopic
	}{
		{"all, old", 4, `ffffffff 01`, nil},
		{"none, old", 4, `00000000 01`, []MetadataRequestTopic{}},
		{"all", 12, `00 01 00 00`, nil},
		{"none", 12, `01 01 00 00`, []MetadataRequestTopic{}},
		{"by id", 12, `02 a0a100000000000000000000000000af 00 00  01 00 00`, []MetadataRequestTopic{byID}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &MetadataRequest{Topics: tc.topics, AllowAutoTopicCreation: true}
			checkBytes(t, tc.version, tc.wire, r, r)
		})
	}
}

func TestMetadataRequest_Name_NullOnlySinceVersion10(t *testing.T) {
	r := &MetadataRequest{Topics: []MetadataRequestTopic{{}}}
	assert.Equal(t, unhex(t, `02 01 00  00 00 00 00`), Append(nil, r, 9), "null is written as empty")
	assert.ErrorIs(t, Decode(unhex(t, `02 00 00  00 00 00 00`), r, 9), ErrMalformed)
}

func TestMetadataResponse_Bytes(t *testing.T) {
	for _, tc := range []struct {
		version int16
		wire    string
		want    func(*MetadataResponse)
	}{
		{1, `
			00000001  00000001 0001 68 00002384 0001 72        # brokers
			00000001                                           # controller
			00000001  0005 0006 6f7264657273 01                # topics
			00000001  0009 00000003 00000001                   # partitions
			00000002 00000001 00000002  00000001 00000001      # replicas, in sync
		`, func(r *MetadataResponse) {
			r.ThrottleTimeMs, r.ClusterID = 0, NullString{}
			r.Topics[0].Partitions[0].LeaderEpoch = -1
			r.Topics[0].Partitions[0].OfflineReplicas = nil
			r.Topics[0].TopicAuthorizedOperations = AuthorizedOperationsUnknown
			r.ClusterAuthorizedOperations = AuthorizedOperationsUnknown
		}},
		{8, `
			00000007
			00000001  00000001 0001 68 00002384 0001 72
			0001 63  00000001
			00000001  0005 0006 6f7264657273 01
			00000001  0009 00000003 00000001 00000005
			00000002 00000001 00000002  00000001 00000001  00000001 00000002
			00000006  00000008
		`, nil},
		{9, `
			00000007
			02  00000001 02 68 00002384 02 72 00
			02 63  00000001
			02  0005 07 6f7264657273 01
			02  0009 00000003 00000001 00000005
			03 00000001 00000002  02 00000001  02 00000002  00
			00000006 00  00000008 00
		`, nil},
		{13, `
			00000007
			02  00000001 02 68 00002384 02 72 00
			02 63  00000001
			02  0005 07 6f7264657273 a0a100000000000000000000000000af 01
			02  0009 00000003 00000001 00000005
			03 00000001 00000002  02 00000001  02 00000002  00
			00000006 00  0081 00
		`, func(r *MetadataResponse) { r.ClusterAuthorizedOperations = AuthorizedOperationsUnknown }},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			want := sampleMetadataResponse()
			if tc.version < 13 {
				want.ErrorCode, want.Topics[0].TopicID = 0, [16]byte{}
			}
			if tc.want != nil {
				tc.want(want)
			}
			checkBytes(t, tc.version, tc.wire, sampleMetadataResponse(), want)
		})
	}
}

func TestMetadataResponse_Decode_TopicNameNullOnlySinceVersion12(t *testing.T) {
	r := &MetadataResponse{Topics: []MetadataTopic{{}}}
	require.NoError(t, Decode(Append(nil, r, 12), r, 12))
	assert.False(t, r.Topics[0].Name.Valid)
	require.NoError(t, Decode(Append(nil, r, 11), r, 11))
	assert.Equal(t, Some(""), r.Topics[0].Name)
}
