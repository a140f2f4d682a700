package protocol

// This file owns the messages that tests start from, and the checks all messages share.

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/errcode"
)

// decodable is a pointer to a message type, so that tests can make fresh ones.
type decodable[T any] interface {
	*T
	Message
}

// unhex reads bytes written for people: white space and what follows a # is left out.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// checkBytes checks one message against its bytes, both ways. want is what decoding yields; fields that the version
// lacks have their default there.
func checkBytes[T any, P decodable[T]](t *testing.T, version int16, text string, send, want P) {
	t.Helper()
	wire := unhex(t, text)
	assert.Equal(t, hex.EncodeToString(wire), hex.EncodeToString(Append(nil, send, version)), "encoded")

	got := P(new(T))
	require.NoError(t, Decode(wire, got, version))
	assert.Equal(t, want, got)

	dirty := dirtyMessage(t, send)
	require.NoError(t, Decode(wire, dirty, version))
	assert.Equal(t, hex.EncodeToString(wire), hex.EncodeToString(Append(nil, dirty, version)), "decoded into a used message")

	for n := range wire {
		err := Decode(wire[:n], P(new(T)), version)
		require.ErrorIs(t, err, ErrMalformed, "cut after %d bytes", n)
	}
	require.ErrorIs(t, Decode(append(wire, 0), P(new(T)), version), ErrMalformed, "one byte too many")
}

// dirtyMessage is a message of the same type that has been decoded into before, with nothing left at its default.
func dirtyMessage[T any, P decodable[T]](t *testing.T, _ P) P {
	t.Helper()
	m := P(new(T))
	_, newest := m.Key().Versions()
	sample := sampleOf(m)
	require.NoError(t, Decode(Append(nil, sample, newest), m, newest))
	return m
}

// sampleOf is a message of m's type with every field set.
func sampleOf(m Message) Message {
	switch m.(type) {
	case *ProduceRequest:
		return sampleProduceRequest()
	case *ProduceResponse:
		return sampleProduceResponse()
	case *MetadataRequest:
		return sampleMetadataRequest()
	case *MetadataResponse:
		return sampleMetadataResponse()
	case *ApiVersionsRequest:
		return sampleApiVersionsRequest()
	case *ApiVersionsResponse:
		return sampleApiVersionsResponse()
	case *InitProducerIDRequest:
		return &InitProducerIDRequest{TransactionalID: Some("tx"), TransactionTimeoutMs: 60000, ProducerID: 1001, ProducerEpoch: 3}
	case *InitProducerIDResponse:
		return &InitProducerIDResponse{ThrottleTimeMs: 7, ErrorCode: errcode.ProducerFenced, ProducerID: 1001, ProducerEpoch: 4}
	default:
		panic(fmt.Sprintf("no sample of %T", m))
	}
}

// allMessages is one of each type, with every field set.
func allMessages() []Message {
	var all []Message
	for _, m := range []Message{
		&ProduceRequest{}, &ProduceResponse{}, &MetadataRequest{}, &MetadataResponse{},
		&ApiVersionsRequest{}, &ApiVersionsResponse{}, &InitProducerIDRequest{}, &InitProducerIDResponse{},
	} {
		all = append(all, sampleOf(m))
	}
	return all
}

func sampleID() [16]byte { return [16]byte{0: 0xa0, 1: 0xa1, 15: 0xaf} }

func sampleProduceRequest() *ProduceRequest {
	return &ProduceRequest{
		TransactionalID: Some("tx"),
		Acks:            -1,
		TimeoutMs:       30000,
		Topics: []ProduceRequestTopic{{
			Name:    "orders",
			TopicID: sampleID(),
			Partitions: []ProduceRequestPartition{
				{Index: 3, Records: Records{Chunks: [][]byte{{1, 2}, {3}}}},
				{Index: 4, Records: Records{Chunks: [][]byte{}}},
				{Index: 5},
			},
		}},
	}
}

func sampleProduceResponse() *ProduceResponse {
	return &ProduceResponse{
		Topics: []ProduceResponseTopic{{
			Name:    "orders",
			TopicID: sampleID(),
			Partitions: []ProduceResponsePartition{{
				Index: 3, ErrorCode: errcode.NotLeaderOrFollower, BaseOffset: 100, LogAppendTimeMs: 1, LogStartOffset: 50,
				RecordErrors:  []BatchIndexError{{BatchIndex: 2, Message: Some("no")}, {BatchIndex: 4}},
				ErrorMessage:  Some("moved"),
				CurrentLeader: LeaderIDAndEpoch{LeaderID: 8, LeaderEpoch: 9},
			}},
		}},
		ThrottleTimeMs: 7,
		NodeEndpoints:  []NodeEndpoint{{NodeID: 8, Host: "h", Port: 9092, Rack: Some("r")}},
	}
}

func sampleMetadataRequest() *MetadataRequest {
	return &MetadataRequest{
		Topics:                             []MetadataRequestTopic{{TopicID: sampleID(), Name: Some("orders")}},
		AllowAutoTopicCreation:             true,
		IncludeClusterAuthorizedOperations: true,
		IncludeTopicAuthorizedOperations:   true,
	}
}

func sampleMetadataResponse() *MetadataResponse {
	return &MetadataResponse{
		ThrottleTimeMs: 7,
		Brokers:        []MetadataBroker{{NodeID: 1, Host: "h", Port: 9092, Rack: Some("r")}},
		ClusterID:      Some("c"),
		ControllerID:   1,
		Topics: []MetadataTopic{{
			ErrorCode: errcode.LeaderNotAvailable, Name: Some("orders"), TopicID: sampleID(), IsInternal: true,
			Partitions: []MetadataPartition{{
				ErrorCode: errcode.ReplicaNotAvailable, Index: 3, LeaderID: 1, LeaderEpoch: 5,
				ReplicaNodes: []int32{1, 2}, ISRNodes: []int32{1}, OfflineReplicas: []int32{2},
			}},
			TopicAuthorizedOperations: 6,
		}},
		ClusterAuthorizedOperations: 8,
		ErrorCode:                   errcode.RebootstrapRequired,
	}
}

func sampleApiVersionsRequest() *ApiVersionsRequest {
	return &ApiVersionsRequest{ClientSoftwareName: "p", ClientSoftwareVersion: "1.0", ClusterID: Some("c"), NodeID: 2}
}

func sampleApiVersionsResponse() *ApiVersionsResponse {
	return &ApiVersionsResponse{
		ErrorCode:              errcode.InvalidRequest,
		APIKeys:                []APIVersionRange{{Key: Produce, MinVersion: 3, MaxVersion: 13}, {Key: 999, MinVersion: 0, MaxVersion: 1}},
		ThrottleTimeMs:         7,
		SupportedFeatures:      []SupportedFeature{{Name: "f", MinVersion: 1, MaxVersion: 2}},
		FinalizedFeaturesEpoch: 11,
		FinalizedFeatures:      []FinalizedFeature{{Name: "f", MaxVersionLevel: 2, MinVersionLevel: 1}},
		ZkMigrationReady:       true,
	}
}
