package integration

// This file owns the reading of Kafka's own description of its messages: the JSON schemas that the jar of its clients
// contains. Stateless; any goroutine.

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schema is one message. What a schema can say and this type cannot hold is refused when it is read.
type schema struct {
	APIKey                int16         `json:"apiKey"`
	Type                  string        `json:"type"`
	Name                  string        `json:"name"`
	Listeners             []string      `json:"listeners"`
	ValidVersions         versionRange  `json:"validVersions"`
	FlexibleVersions      versionRange  `json:"flexibleVersions"`
	LatestVersionUnstable bool          `json:"latestVersionUnstable"`
	Fields                []schemaField `json:"fields"`
}

// schemaField is one field of a message, or of a struct within it.
type schemaField struct {
	Name             string        `json:"name"`
	Type             string        `json:"type"`
	Versions         versionRange  `json:"versions"`
	NullableVersions versionRange  `json:"nullableVersions"`
	TaggedVersions   versionRange  `json:"taggedVersions"`
	Tag              uint32        `json:"tag"`
	Default          looseString   `json:"default"`
	Fields           []schemaField `json:"fields"`

	// What follows says nothing about bytes.
	About      string `json:"about"`
	EntityType string `json:"entityType"`
	MapKey     bool   `json:"mapKey"`
	Ignorable  bool   `json:"ignorable"`
}

// element is the type of an array's elements.
func (f schemaField) element() (string, bool) { return strings.CutPrefix(f.Type, "[]") }

// canBeNull tells whether the field is nullable in some version.
func (f schemaField) canBeNull() bool { return f.NullableVersions.given }

// versionRange is "3-13", "9+", "4", "none", or not given at all.
type versionRange struct {
	given  bool
	lo, hi int16
}

const endless = 1<<15 - 1

func (r versionRange) has(version int16) bool { return r.given && r.lo <= version && version <= r.hi }

func (r versionRange) meets(lo, hi int16) bool { return r.given && r.lo <= hi && lo <= r.hi }

// UnmarshalJSON reads the forms that schemas use.
func (r *versionRange) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	if text == "none" {
		return nil
	}
	first, last, isRange := strings.Cut(text, "-")
	first, open := strings.CutSuffix(first, "+")
	lo, err := strconv.ParseInt(first, 10, 16)
	if err != nil {
		return fmt.Errorf("versions %q: %w", text, err)
	}
	hi := lo
	switch {
	case open:
		hi = endless
	case isRange:
		if hi, err = strconv.ParseInt(last, 10, 16); err != nil {
			return fmt.Errorf("versions %q: %w", text, err)
		}
	}
	*r = versionRange{given: true, lo: int16(lo), hi: int16(hi)}
	return nil
}

// looseString is a JSON string, or the text of anything else: defaults are written both ways.
type looseString string

// UnmarshalJSON removes the quotes if there are any.
func (s *looseString) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		*s = looseString(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// readSchemas reads every message of one jar that is named.
func readSchemas(t *testing.T, jar string, names ...string) map[string]schema {
	t.Helper()
	r, err := zip.OpenReader(jar)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	all := make(map[string]schema, len(names))
	for _, name := range names {
		f, err := r.Open("common/message/" + name + ".json")
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		s, err := parseSchema(text)
		require.NoError(t, err, name)
		require.Equal(t, name, s.Name)
		all[name] = s
	}
	return all
}

func parseSchema(text []byte) (schema, error) {
	d := json.NewDecoder(bytes.NewReader(withoutComments(text)))
	d.DisallowUnknownFields()
	var s schema
	err := d.Decode(&s)
	return s, err
}

// withoutComments blanks what stands between // and the end of a line, outside of strings.
func withoutComments(text []byte) []byte {
	text = slices.Clone(text)
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && text[i] == '/' && i+1 < len(text) && text[i+1] == '/':
			for ; i < len(text) && text[i] != '\n'; i++ {
				text[i] = ' '
			}
		}
	}
	return text
}
