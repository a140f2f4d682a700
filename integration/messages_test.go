package integration

// This file owns the comparison of internal/protocol with an independent implementation of the same messages: for every
// API, version and direction both must produce the same bytes, understand each other's, and mean the same fields.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

const (
	messagesPerPair = 200

	// An API, a version, request or response: 11 versions of Produce, 13 of Metadata, 6 of ApiVersions and InitProducerId.
	messagePairs = 2 * (11 + 13 + 6 + 6)
)

// theirs is what kmsg's requests and responses have in common.
type theirs interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
	SetVersion(int16)
	MaxVersion() int16
	Key() int16
	Default()
}

// messageTypes are two types of the same message. A name of our field that differs from theirs is translated.
type messageTypes struct {
	ours   protocol.Message
	theirs theirs
	names  map[string]string
}

func allMessageTypes() []messageTypes {
	return []messageTypes{
		{&protocol.ProduceRequest{}, &kmsg.ProduceRequest{}, map[string]string{
			"TransactionalID": "TransactionID", "TimeoutMs": "TimeoutMillis", "Name": "Topic", "Index": "Partition",
		}},
		{&protocol.ProduceResponse{}, &kmsg.ProduceResponse{}, map[string]string{
			"ThrottleTimeMs": "ThrottleMillis", "Name": "Topic", "Index": "Partition", "NodeEndpoints": "Brokers",
			"LogAppendTimeMs": "LogAppendTime", "RecordErrors": "ErrorRecords", "BatchIndex": "RelativeOffset",
			"Message": "ErrorMessage",
		}},
		{&protocol.MetadataRequest{}, &kmsg.MetadataRequest{}, map[string]string{"Name": "Topic"}},
		{&protocol.MetadataResponse{}, &kmsg.MetadataResponse{}, map[string]string{
			"ThrottleTimeMs": "ThrottleMillis", "Name": "Topic", "Index": "Partition", "LeaderID": "Leader",
			"ReplicaNodes": "Replicas", "ISRNodes": "ISR", "ClusterAuthorizedOperations": "AuthorizedOperations",
			"TopicAuthorizedOperations": "AuthorizedOperations",
		}},
		{&protocol.ApiVersionsRequest{}, &kmsg.ApiVersionsRequest{}, nil},
		{&protocol.ApiVersionsResponse{}, &kmsg.ApiVersionsResponse{}, map[string]string{
			"APIKeys": "ApiKeys", "Key": "ApiKey", "ThrottleTimeMs": "ThrottleMillis",
		}},
		{&protocol.InitProducerIDRequest{}, &kmsg.InitProducerIDRequest{}, map[string]string{
			"TransactionTimeoutMs": "TransactionTimeoutMillis",
		}},
		{&protocol.InitProducerIDResponse{}, &kmsg.InitProducerIDResponse{}, map[string]string{
			"ThrottleTimeMs": "ThrottleMillis",
		}},
	}
}

func TestMessages_AgreeWithIndependentImplementation(t *testing.T) {
	pairs, messages := 0, 0
	for _, types := range allMessageTypes() {
		require.EqualValues(t, types.ours.Key(), types.theirs.Key())
		lo, hi := types.ours.Key().Versions()
		require.Equal(t, hi, types.theirs.MaxVersion(), "versions not covered, or not spoken by us")
		for version := lo; version <= hi; version++ {
			pairs++
			t.Run(fmt.Sprintf("%T/version %d", types.ours, version), func(t *testing.T) {
				r := filler{rand.New(rand.NewPCG(uint64(pairs), 7)), types.ours.Key(), version}
				for range messagesPerPair {
					r.theirsToOurs(t, types)
					r.oursToTheirs(t, types)
					messages++
					if t.Failed() {
						return // one is enough to read
					}
				}
			})
		}
	}
	t.Logf("%d pairs of API and version, requests and responses, %d messages of each", pairs, messagesPerPair)
	assert.Equal(t, messagePairs, pairs, "pairs compared")
	assert.Equal(t, messagePairs*messagesPerPair, messages, "messages compared each way")
}

// Their whole frame, with header and size, is ours too.
func TestMessages_FrameAgreesWithIndependentImplementation(t *testing.T) {
	formatter := kmsg.NewRequestFormatter(kmsg.FormatterClientID("client"))
	frames := 0
	for _, types := range allMessageTypes() {
		request, ok := types.theirs.(kmsg.Request)
		if !ok {
			continue
		}
		lo, hi := types.ours.Key().Versions()
		for version := lo; version <= hi; version++ {
			r := filler{rand.New(rand.NewPCG(uint64(version), 8)), types.ours.Key(), version}
			r.fillMessage(request.(theirs))
			require.NoError(t, protocol.Decode(request.AppendTo(nil), types.ours, version))
			frame := protocol.AppendRequestHeader(make([]byte, 4), types.ours.Key(), version, 77, "client")
			frame = protocol.Append(frame, types.ours, version)
			binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
			assert.Equal(t, formatter.AppendRequest(nil, request, 77), frame, "%T version %d", types.ours, version)
			frames++
		}
	}
	assert.Equal(t, messagePairs/2, frames)
}

// theirsToOurs: they encode, we decode into a message that held another one before, and encode the same again. Tagged
// fields nobody knows are skipped.
func (r filler) theirsToOurs(t *testing.T, types messageTypes) {
	sent := newOf(types.theirs)
	r.fillMessage(sent)
	wire := sent.AppendTo(nil)
	r.bothUnderstand(t, types, wire)

	if types.ours.Key().Flexible(r.version) {
		r.addTags(reflect.ValueOf(sent).Elem())
		tagged := sent.AppendTo(nil)
		require.Greater(t, len(tagged), len(wire))
		require.NoError(t, protocol.Decode(tagged, types.ours, r.version), "with unknown tags")
		require.Equal(t, wire, protocol.Append(nil, types.ours, r.version), "without the unknown tags")
	}
}

// oursToTheirs: we encode, they decode and encode the same again.
func (r filler) oursToTheirs(t *testing.T, types messageTypes) {
	sent := newOf(types.ours)
	r.fill(reflect.ValueOf(sent).Elem(), "")
	r.bothUnderstand(t, types, protocol.Append(nil, sent, r.version))
}

// bothUnderstand decodes wire both ways: the fields must be equal, also those the version lacks, and so must the bytes be
// when both encode again.
func (r filler) bothUnderstand(t *testing.T, types messageTypes, wire []byte) {
	got := newOf(types.theirs)
	got.SetVersion(r.version)
	require.NoError(t, got.ReadFrom(wire), "they decode")
	require.NoError(t, protocol.Decode(wire, types.ours, r.version), "we decode")
	require.Equal(t, wire, got.AppendTo(nil), "they encode again")
	require.Equal(t, wire, protocol.Append(nil, types.ours, r.version), "we encode again")

	want, have := fields(got, nil), fields(types.ours, types.names)
	if _, ok := types.ours.(*protocol.MetadataRequest); ok && r.version < 4 {
		// Kafka's default is true, as brokers behave in these versions; theirs is false.
		require.Equal(t, "true", have[".AllowAutoTopicCreation"])
		want[".AllowAutoTopicCreation"] = "true"
	}
	require.Equal(t, want, have, "fields")
}

// newOf is a new message of m's type.
func newOf[M any](m M) M { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(M) }

// filler makes random messages of one API and version.
type filler struct {
	*rand.Rand
	key     protocol.Key
	version int16
}

func (r filler) fillMessage(m theirs) {
	m.Default()
	r.fill(reflect.ValueOf(m).Elem(), "")
	m.SetVersion(r.version)
}

// fill sets v, which is the field called name, to something random: of either implementation.
func (r filler) fill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case kmsg.Tags:
		return
	case protocol.Records:
		if batch := r.bytes(); batch != nil {
			cut := r.IntN(len(batch) + 1)
			v.Set(reflect.ValueOf(protocol.Records{Chunks: [][]byte{batch[:cut], batch[cut:]}}))
		}
		return
	case protocol.NullString:
		if r.nullable(name) && r.IntN(4) == 0 {
			return
		}
		v.Set(reflect.ValueOf(protocol.Some(r.text())))
		return
	case []byte:
		v.SetBytes(r.bytes())
		return
	}
	if r.key == protocol.Produce && r.version == 9 && (name == "CurrentLeader" || name == "NodeEndpoints" || name == "Brokers") {
		r.leaveOut(v)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int16, reflect.Int32, reflect.Int64:
		if r.IntN(8) == 0 {
			v.SetInt(-1) // the default of many
		} else {
			v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
		}
	case reflect.String:
		v.SetString(r.text())
	case reflect.Pointer:
		if r.nullable(name) && r.IntN(4) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		r.fill(v.Elem(), name)
	case reflect.Slice:
		r.fillSlice(v)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(r.IntN(256)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i), v.Type().Field(i).Name)
		}
	default:
		panic("messages have no fields of kind " + v.Kind().String())
	}
}

// leaveOut sets a tagged field to its default. Kafka has the two of Produce since version 10; the other implementation
// writes them in version 9 too, where they would be fields nobody knows.
func (r filler) leaveOut(v reflect.Value) {
	if v.Kind() == reflect.Struct {
		v.FieldByName("LeaderID").SetInt(-1)
		v.FieldByName("LeaderEpoch").SetInt(-1)
	}
}

// fillSlice fills arrays: null now and then in the only one that can be, and rarely more elements than one byte can count.
func (r filler) fillSlice(v reflect.Value) {
	n := r.IntN(4)
	if r.IntN(100) == 0 && v.Type().Elem().Kind() == reflect.Int32 {
		n = 150
	}
	if n == 0 && r.IntN(2) == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		r.fill(v.Index(i), "")
	}
}

// nullable tells whether a string that can be null in some version can be in this one: names of topics came late to it.
func (r filler) nullable(name string) bool {
	if name != "Topic" && name != "Name" {
		return true
	}
	return r.key == protocol.Metadata && r.version >= 12 // responses; requests since 10, of no use before 12
}

func (r filler) bytes() []byte {
	if r.IntN(5) == 0 {
		return nil
	}
	b := make([]byte, r.IntN(200)*r.IntN(10))
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

func (r filler) text() string {
	n := r.IntN(12)
	if r.IntN(50) == 0 {
		n = 126 + r.IntN(200) // around the end of one-byte lengths
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// addTags puts fields nobody knows into every struct.
func (r filler) addTags(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if tags, ok := v.Addr().Interface().(*kmsg.Tags); ok {
			tags.Set(100+uint32(r.IntN(100)), []byte(r.text()))
			tags.Set(1<<31, nil)
			return
		}
		// These two end without tags in a struct of defaults, and would be written for them alone.
		if v.Type() == reflect.TypeFor[kmsg.ProduceResponseTopicPartitionCurrentLeader]() &&
			v.FieldByName("LeaderID").Int() == -1 && v.FieldByName("LeaderEpoch").Int() == -1 {
			return
		}
		for i := range v.NumField() {
			r.addTags(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.addTags(v.Index(i))
		}
	}
}

// fields lists every leaf of a message as path and value, by the other implementation's names, so that two fields of one
// size that changed places are found.
func fields(m any, names map[string]string) map[string]string {
	all := map[string]string{}
	collectFields(all, "", reflect.ValueOf(m).Elem(), names)
	return all
}

func collectFields(all map[string]string, path string, v reflect.Value, names map[string]string) {
	switch leaf := v.Interface().(type) {
	case kmsg.Tags:
		return
	case protocol.Records:
		all[path] = fmt.Sprintf("%x, null: %t", bytes.Join(leaf.Chunks, nil), leaf.Chunks == nil)
		return
	case []byte:
		all[path] = fmt.Sprintf("%x, null: %t", leaf, leaf == nil)
		return
	case protocol.NullString:
		all[path] = fmt.Sprintf("%s, null: %t", leaf.Value, !leaf.Valid)
		return
	case *string:
		var text string
		if leaf != nil {
			text = *leaf
		}
		all[path] = fmt.Sprintf("%s, null: %t", text, leaf == nil)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path == "" && name == "Version" {
				continue // which version the message is in; not sent
			}
			if theirName, ok := names[name]; ok {
				name = theirName
			}
			collectFields(all, path+"."+name, v.Field(i), names)
		}
	case reflect.Slice:
		all[path] = strconv.Itoa(v.Len())
		for i := range v.Len() {
			collectFields(all, path+"["+strconv.Itoa(i)+"]", v.Index(i), names)
		}
	case reflect.Int16, reflect.Int32, reflect.Int64:
		all[path] = strconv.FormatInt(v.Int(), 10) // error codes and API keys would print as names
	default:
		all[path] = fmt.Sprint(v.Interface())
	}
}
