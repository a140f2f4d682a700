package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzProduceRequest_Decode(f *testing.F)         { fuzzDecode[ProduceRequest](f) }
func FuzzProduceResponse_Decode(f *testing.F)        { fuzzDecode[ProduceResponse](f) }
func FuzzMetadataRequest_Decode(f *testing.F)        { fuzzDecode[MetadataRequest](f) }
func FuzzMetadataResponse_Decode(f *testing.F)       { fuzzDecode[MetadataResponse](f) }
func FuzzApiVersionsRequest_Decode(f *testing.F)     { fuzzDecode[ApiVersionsRequest](f) }
func FuzzApiVersionsResponse_Decode(f *testing.F)    { fuzzDecode[ApiVersionsResponse](f) }
func FuzzInitProducerIDRequest_Decode(f *testing.F)  { fuzzDecode[InitProducerIDRequest](f) }
func FuzzInitProducerIDResponse_Decode(f *testing.F) { fuzzDecode[InitProducerIDResponse](f) }

// fuzzDecode decodes anything in all versions. What is accepted must say the same after another round, and must not
// depend on what the message held before.
func fuzzDecode[T any, P decodable[T]](f *testing.F) {
	key := P(new(T)).Key()
	lo, hi := key.Versions()
	for version := lo; version <= hi; version++ {
		f.Add(version, Append(nil, sampleOf(P(new(T))), version))
		f.Add(version, Append(nil, P(new(T)), version))
	}
	f.Fuzz(func(t *testing.T, version int16, wire []byte) {
		fresh, used := P(new(T)), P(new(T))
		require.NoError(t, Decode(Append(nil, sampleOf(used), hi), used, hi))
		err := Decode(wire, fresh, version)
		usedErr := Decode(wire, used, version)
		assert.Equal(t, err, usedErr)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		once := Append(nil, fresh, version)
		require.Equal(t, once, Append(nil, used, version), "decoded into a used message")
		require.NoError(t, Decode(once, used, version))
		require.Equal(t, once, Append(nil, used, version), "second round")
		require.LessOrEqual(t, len(once), len(wire), "nothing is invented")
	})
}

func FuzzDecodeApiVersions(f *testing.F) {
	for version := range int16(6) {
		f.Add(version, Append(nil, sampleApiVersionsResponse(), version))
	}
	f.Add(int16(5), []byte{0, 35, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, version int16, body []byte) {
		if err := DecodeApiVersions(body, version, new(ApiVersionsResponse)); err != nil {
			require.ErrorIs(t, err, ErrMalformed)
		}
	})
}

func FuzzReadRequestHeader(f *testing.F) {
	f.Add(AppendRequestHeader(nil, Produce, 9, 1, "client"))
	f.Add(AppendRequestHeader(nil, Metadata, 1, 1, ""))
	f.Fuzz(func(t *testing.T, frame []byte) {
		key, version, correlationID, clientID, body, err := ReadRequestHeader(frame)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		again := append(AppendRequestHeader(nil, key, version, correlationID, clientID), body...)
		require.LessOrEqual(t, len(again), len(frame))
	})
}

func FuzzReadResponseHeader(f *testing.F) {
	f.Add(int16(Produce), int16(9), AppendResponseHeader(nil, Produce, 9, 1))
	f.Add(int16(ApiVersions), int16(3), AppendResponseHeader(nil, ApiVersions, 3, 1))
	f.Fuzz(func(t *testing.T, key, version int16, frame []byte) {
		correlationID, body, err := ReadResponseHeader(frame, Key(key), version)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			return
		}
		again := append(AppendResponseHeader(nil, Key(key), version, correlationID), body...)
		require.LessOrEqual(t, len(again), len(frame))
	})
}
