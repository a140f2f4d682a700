package integration

// This file owns the comparison of internal/protocol with Kafka's own description of its messages: every field of every
// version, read out of the jar that the real brokers run from.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/integration/kafka"
	"github.com/kafka-go-producer/producer/internal/protocol"
)

const (
	messagesPerSchema = 200

	// The fields of each pair, summed up: an array or a struct counts, and each field within it too.
	schemaFields = 666
	// Those of them that must not be null, though null could be written there.
	schemaRefusals = 209
)

// schemaMessages are our messages by Kafka's names; where the name of a field differs by more than the case of its
// letters, Kafka's is given.
func schemaMessages() map[string]messageTypes {
	return map[string]messageTypes{
		"ProduceRequest": {ours: &protocol.ProduceRequest{}, names: map[string]string{
			"Topics": "TopicData", "Partitions": "PartitionData",
		}},
		"ProduceResponse": {ours: &protocol.ProduceResponse{}, names: map[string]string{
			"Topics": "Responses", "Partitions": "PartitionResponses", "Message": "BatchIndexErrorMessage",
		}},
		"MetadataRequest":        {ours: &protocol.MetadataRequest{}},
		"MetadataResponse":       {ours: &protocol.MetadataResponse{}, names: map[string]string{"Index": "PartitionIndex"}},
		"ApiVersionsRequest":     {ours: &protocol.ApiVersionsRequest{}},
		"ApiVersionsResponse":    {ours: &protocol.ApiVersionsResponse{}, names: map[string]string{"Key": "ApiKey"}},
		"InitProducerIdRequest":  {ours: &protocol.InitProducerIDRequest{}},
		"InitProducerIdResponse": {ours: &protocol.InitProducerIDResponse{}},
	}
}

// versionsToSpeak are those that clients may use, without the one that we do not want. The schema of the request tells
// whether the newest version of both is still open to change.
func versionsToSpeak(s, request schema) (oldest, newest int16) {
	oldest, newest = s.ValidVersions.lo, s.ValidVersions.hi
	if request.LatestVersionUnstable {
		newest--
	}
	if s.APIKey == int16(protocol.Metadata) {
		oldest = 1 // in version 0 an empty list of topics would mean all
	}
	return oldest, newest
}

func TestRealKafka_SchemasInJar_AreOurMessages(t *testing.T) {
	messages := schemaMessages()
	names := slices.Sorted(maps.Keys(messages))
	schemas := readSchemas(t, kafka.JavaFor(t, "").Jar("kafka-clients"), names...)
	pairs, fieldCount, refusals := 0, 0, 0
	for _, name := range names {
		s, types := schemas[name], messages[name]
		lo, hi := types.ours.Key().Versions()
		oldest, newest := versionsToSpeak(s, schemas[strings.Replace(name, "Response", "Request", 1)])
		require.EqualValues(t, s.APIKey, types.ours.Key(), name)
		require.Equal(t, [2]int16{oldest, newest}, [2]int16{lo, hi}, "%s: versions", name)

		fieldsOf := map[string]bool{}
		schemaPaths(fieldsOf, s.Fields, path{}, func(v versionRange) bool { return v.meets(lo, hi) })
		require.Equal(t, fieldsOf, typePaths(types), "%s: fields", name)

		for version := lo; version <= hi; version++ {
			t.Run(fmt.Sprintf("%s/version %d", name, version), func(t *testing.T) {
				c := &schemaCoder{
					Rand: rand.New(rand.NewPCG(uint64(pairs), 9)), version: version, minV: lo, maxV: hi,
					reached: map[string]bool{}, cannotBeNull: map[string]bool{},
				}
				c.compare(t, s, types)
				c.compareRewritten(t, s, types)
				refusals += c.compareRefusals(t, s, types)
				fieldCount += len(c.reached)
			})
			pairs++
		}
	}
	t.Logf("%d pairs of version and direction, %d fields, %d refusals of null", pairs, fieldCount, refusals)
	assert.Equal(t, messagePairs, pairs, "pairs compared")
	assert.Equal(t, schemaFields, fieldCount, "fields compared")
	assert.Equal(t, schemaRefusals, refusals, "forbidden nulls compared")
}

// compare decodes what the schema says, into a message that held another before: every field must be there, those of
// other versions with the schema's defaults, and the same bytes must come back.
func (c *schemaCoder) compare(t *testing.T, s schema, types messageTypes) {
	for range messagesPerSchema {
		wire := c.message(s)
		require.NoError(t, protocol.Decode(wire, types.ours, c.version))
		require.Equal(t, c.want, lowerKeys(fields(types.ours, types.names)))
		require.Equal(t, wire, protocol.Append(nil, types.ours, c.version))
		clean := newOf(types.ours)
		require.NoError(t, protocol.Decode(wire, clean, c.version))
		require.Equal(t, c.want, lowerKeys(fields(clean, types.names)))
	}
	has := map[string]bool{}
	schemaPaths(has, s.Fields, path{}, func(v versionRange) bool { return v.has(c.version) })
	require.Equal(t, has, c.reached, "fields that were in some message")
}

// compareRewritten decodes every other version and encodes this one: it must not have what only the other has, and its own
// fields that the other lacks must have the schema's defaults.
func (c *schemaCoder) compareRewritten(t *testing.T, s schema, types messageTypes) {
	c.everything = true
	for source := c.minV; source <= c.maxV; source++ {
		other := *c
		other.version, other.reached, other.cannotBeNull = source, map[string]bool{}, map[string]bool{}
		require.NoError(t, protocol.Decode(other.message(s), types.ours, source))
		require.Equal(t, c.rewritten(s, source), protocol.Append(nil, types.ours, c.version), "read in version %d", source)
	}
}

// compareRefusals puts null, one field after the other, where this version must not have it.
func (c *schemaCoder) compareRefusals(t *testing.T, s schema, types messageTypes) int {
	c.everything = true
	wire := c.message(s)
	require.NoError(t, protocol.Decode(wire, types.ours, c.version))
	require.Equal(t, wire, protocol.Append(nil, types.ours, c.version))
	for c.nullAt = range c.cannotBeNull {
		require.ErrorIs(t, protocol.Decode(c.message(s), types.ours, c.version), protocol.ErrMalformed, "null %s", c.nullAt)
	}
	return len(c.cannotBeNull)
}

// schemaPaths collects the fields whose versions are wanted.
func schemaPaths(all map[string]bool, fields []schemaField, at path, wanted func(versionRange) bool) {
	for _, f := range fields {
		if wanted(f.Versions) {
			here := at.field(f.Name)
			all[here.plain] = true
			schemaPaths(all, f.Fields, here, wanted)
		}
	}
}

// typePaths collects the fields of our type.
func typePaths(types messageTypes) map[string]bool {
	all := map[string]bool{}
	var collect func(typ reflect.Type, at path)
	collect = func(typ reflect.Type, at path) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[protocol.Records]() || typ == reflect.TypeFor[protocol.NullString]() {
			return
		}
		for f := range typ.Fields() {
			name := f.Name
			if kafkas, ok := types.names[name]; ok {
				name = kafkas
			}
			here := at.field(name)
			all[here.plain] = true
			collect(f.Type, here)
		}
	}
	collect(reflect.TypeOf(types.ours), path{})
	return all
}

func lowerKeys(m map[string]string) map[string]string {
	lower := make(map[string]string, len(m))
	for k, v := range m {
		lower[strings.ToLower(k)] = v
	}
	return lower
}

func TestParseSchema_ReadsWhatItKnowsAndRefusesTheRest(t *testing.T) {
	s, err := parseSchema([]byte(`// licence
{ "name": "A", // "quoted": comment
  "validVersions": "0-3", "flexibleVersions": "none",
  "fields": [{ "name": "B", "type": "string", "versions": "2+", "default": -1, "about": "see https://a \" // b" }] }`))
	require.NoError(t, err)
	b := s.Fields[0]
	assert.Equal(t, `see https://a " // b`, b.About)
	assert.Equal(t, looseString("-1"), b.Default)
	assert.Equal(t, versionRange{given: true, lo: 0, hi: 3}, s.ValidVersions)
	assert.False(t, s.FlexibleVersions.has(0))
	assert.False(t, b.Versions.has(1))
	assert.True(t, b.Versions.has(9))

	for _, text := range []string{`{"new": 1}`, `{"fields": [{"flexibleVersions": "0+"}]}`, `{"validVersions": "x"}`} {
		_, err := parseSchema([]byte(text))
		assert.Error(t, err, text)
	}
}
