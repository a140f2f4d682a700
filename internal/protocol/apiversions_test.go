package protocol

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
)

func TestApiVersionsRequest_Bytes(t *testing.T) {
	for _, tc := range []struct {
		version int16
		wire    string
		want    *ApiVersionsRequest
	}{
		{2, ``, &ApiVersionsRequest{NodeID: -1}},
		{3, `02 70  04 312e30  00`, &ApiVersionsRequest{ClientSoftwareName: "p", ClientSoftwareVersion: "1.0", NodeID: -1}},
		{5, `02 70  04 312e30  02 63  00000002  00`, sampleApiVersionsRequest()},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			checkBytes(t, tc.version, tc.wire, sampleApiVersionsRequest(), tc.want)
		})
	}
}

func TestApiVersionsResponse_Bytes(t *testing.T) {
	keys := sampleApiVersionsResponse().APIKeys
	for _, tc := range []struct {
		version int16
		wire    string
		want    *ApiVersionsResponse
	}{
		{0, `002a  00000002  0000 0003 000d  03e7 0000 0001`, &ApiVersionsResponse{
			ErrorCode: errcode.InvalidRequest, APIKeys: keys, FinalizedFeaturesEpoch: -1,
		}},
		{1, `002a  00000002  0000 0003 000d  03e7 0000 0001  00000007`, &ApiVersionsResponse{
			ErrorCode: errcode.InvalidRequest, APIKeys: keys, FinalizedFeaturesEpoch: -1, ThrottleTimeMs: 7,
		}},
		{3, `
			002a  03  0000 0003 000d 00  03e7 0000 0001 00  00000007
			04
			00 08  02  02 66 0001 0002 00
			01 08  000000000000000b
			02 08  02  02 66 0002 0001 00
			03 01  01
		`, sampleApiVersionsResponse()},
	} {
		t.Run(fmt.Sprintf("version %d", tc.version), func(t *testing.T) {
			checkBytes(t, tc.version, tc.wire, sampleApiVersionsResponse(), tc.want)
		})
	}
}

func TestApiVersionsResponse_Append_OmitsDefaultTags(t *testing.T) {
	r := &ApiVersionsResponse{FinalizedFeaturesEpoch: -1}
	assert.Equal(t, unhex(t, `0000 01 00000000 00`), Append(nil, r, 4))
	r.FinalizedFeaturesEpoch = 0
	assert.Equal(t, unhex(t, `0000 01 00000000 01 01 08 0000000000000000`), Append(nil, r, 4))
}

func TestDecodeApiVersions(t *testing.T) {
	ranges := []APIVersionRange{{Key: ApiVersions, MinVersion: 0, MaxVersion: 3}}
	refusal := &ApiVersionsResponse{ErrorCode: errcode.UnsupportedVersion, APIKeys: ranges, FinalizedFeaturesEpoch: -1}
	for _, tc := range []struct {
		name string
		body []byte
		want *ApiVersionsResponse
	}{
		{"answer", Append(nil, sampleApiVersionsResponse(), 5), sampleApiVersionsResponse()},
		{"refusal in version 0", Append(nil, refusal, 0), refusal},
		{"refusal of an old broker", unhex(t, `0023 00000000`), &ApiVersionsResponse{
			ErrorCode: errcode.UnsupportedVersion, FinalizedFeaturesEpoch: -1,
		}},
		{"refusal in the version asked for", Append(nil, refusal, 5), refusal},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got ApiVersionsResponse
			require.NoError(t, DecodeApiVersions(tc.body, 5, &got))
			assert.Equal(t, tc.want, &got)
		})
	}
	for _, body := range []string{``, `00`, `0023`, `0023 ffffffff`, `0000 00000000`} {
		assert.ErrorIs(t, DecodeApiVersions(unhex(t, body), 5, &ApiVersionsResponse{}), ErrMalformed, body)
	}
}

func TestApiVersionsResponse_Range(t *testing.T) {
	r := sampleApiVersionsResponse()
	lo, hi, ok := r.Range(Produce)
	assert.Equal(t, []any{int16(3), int16(13), true}, []any{lo, hi, ok})
	_, _, ok = r.Range(Metadata)
	assert.False(t, ok)
}
