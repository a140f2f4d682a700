package protocol

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A section without fields is one zero byte. Which of a message's zero bytes are sections is found by trying: two unknown
// fields put in their place change nothing there, and anywhere else they do.
func TestDecode_SkipsUnknownTagsOnEveryLevel(t *testing.T) {
	unknown := unhex(t, `02  14 03 aabbcc  ffffffff0f 00`)
	produced := sampleProduceResponse()
	produced.NodeEndpoints = nil
	produced.Topics[0].Partitions[0].CurrentLeader = LeaderIDAndEpoch{-1, -1}
	for _, tc := range []struct {
		message  Message
		sections int
	}{
		{sampleProduceRequest(), 5},
		{produced, 5},
		{sampleMetadataRequest(), 2},
		{sampleMetadataResponse(), 4},
		{sampleApiVersionsRequest(), 1},
		{&ApiVersionsResponse{APIKeys: sampleApiVersionsResponse().APIKeys, FinalizedFeaturesEpoch: -1}, 3},
		{sampleOf(&InitProducerIDRequest{}), 1},
		{sampleOf(&InitProducerIDResponse{}), 1},
	} {
		t.Run(fmt.Sprintf("%T", tc.message), func(t *testing.T) {
			_, version := tc.message.Key().Versions()
			plain := Append(nil, tc.message, version)
			sections := 0
			for i, b := range plain {
				if b != 0 {
					continue
				}
				wire := slices.Concat(plain[:i], unknown, plain[i+1:])
				if Decode(wire, tc.message, version) == nil && bytes.Equal(plain, Append(nil, tc.message, version)) {
					sections++
				}
			}
			assert.Equal(t, tc.sections, sections)
		})
	}
}

func TestDecode_SkipsUnknownTagsBesideAndInsideKnownOnes(t *testing.T) {
	var produced ProduceResponse
	require.NoError(t, Decode(unhex(t, `
		02  02 61  02
		00000000 0000 0000000000000000 0000000000000000 0000000000000000 01 00
		02  00 0c  00000008 00000009  01 05 01 aa   # leader
		    07 02 bbbb
		00
		00000000
		02  00 12  02  00000008 02 68 00002384 02 72  01 05 02 aabb
		    07 00
	`), &produced, 10))
	assert.Equal(t, LeaderIDAndEpoch{8, 9}, produced.Topics[0].Partitions[0].CurrentLeader)
	assert.Equal(t, []NodeEndpoint{{NodeID: 8, Host: "h", Port: 9092, Rack: Some("r")}}, produced.NodeEndpoints)

	var versions ApiVersionsResponse
	require.NoError(t, Decode(unhex(t, `
		0000 01 00000000
		05
		63 01  aa
		02 0b  02  02 66 0002 0001  01 05 01 aa
		00 0b  02  02 66 0001 0002  01 05 01 aa
		03 01  01
		01 08  000000000000000b
	`), &versions, 3), "in any order")
	assert.Equal(t, []SupportedFeature{{"f", 1, 2}}, versions.SupportedFeatures)
	assert.Equal(t, []FinalizedFeature{{"f", 2, 1}}, versions.FinalizedFeatures)
	assert.Equal(t, int64(11), versions.FinalizedFeaturesEpoch)
	assert.True(t, versions.ZkMigrationReady)
}

func TestDecode_RefusesBrokenTags(t *testing.T) {
	for _, tc := range []struct{ name, tags, fault string }{
		{"fewer than counted", `01`, "message ends early"},
		{"longer than the message", `01 14 05 aabb`, "tagged field is longer than the message"},
		{"known, empty", `01 01 00`, "message ends early"},
		{"known, too short", `01 01 07 00000000000000`, "message ends early"},
		{"known, too long", `01 01 09 000000000000000000`, "tagged field has bytes left over"},
		{"known, array longer than the field", `02 00 01 03  14 20 ` + fmt.Sprintf("%064d", 0), "array is longer than the message"},
		{"no count", ``, "message ends early"},
		{"huge count", `ffffffff0f`, "message ends early"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Decode(unhex(t, `0000 01 00000000`+tc.tags), &ApiVersionsResponse{}, 3)
			require.ErrorIs(t, err, ErrMalformed)
			assert.Contains(t, err.Error(), tc.fault)
		})
	}
}

func TestCoder_Tagged_LongFieldGetsLongSize(t *testing.T) {
	r := &ApiVersionsResponse{FinalizedFeaturesEpoch: 5, ZkMigrationReady: true}
	for range 100 {
		r.SupportedFeatures = append(r.SupportedFeatures, SupportedFeature{Name: "feature"})
	}
	wire := Append(nil, r, 3)
	size, n := binary.Uvarint(wire[9:])
	assert.Equal(t, 2, n)
	assert.Equal(t, uint64(1+100*(8+4+1)), size)
	var got ApiVersionsResponse
	require.NoError(t, Decode(wire, &got, 3))
	assert.Equal(t, r.SupportedFeatures, got.SupportedFeatures)
	assert.True(t, got.ZkMigrationReady)
}
