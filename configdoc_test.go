package producer

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configdoc_test.go owns docs/CONFIG.md: it is made of the table of keys, of Java's own list of them, and
// of the comments of Config's fields.

var update = flag.Bool("update", false, "write docs/CONFIG.md")

const configDoc = "docs/CONFIG.md"

// docField is a field of Config as its source describes it.
type docField struct{ kind, comment string }

// documentedFields reads config.go.
func documentedFields(t *testing.T) map[string]docField {
	t.Helper()
	source, err := os.ReadFile("config.go")
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", source, parser.ParseComments)
	require.NoError(t, err)
	fields := make(map[string]docField)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Config" {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			kind, _, _ := strings.Cut(string(source[f.Type.Pos()-1:f.Type.End()-1]), "(") // of a function, the word is enough
			comment := strings.Join(strings.Fields(cmp.Or(f.Comment.Text(), f.Doc.Text())), " ")
			for _, name := range f.Names {
				fields[name.Name] = docField{kind, comment}
			}
		}
		return false
	})
	return fields
}

// docRule says what a value must be.
func docRule(k configKey) string {
	r := k.rule
	switch {
	case len(r.oneOf) > 0 && r.anyCase:
		return strings.Join(r.oneOf, ", ") + ", in any case"
	case len(r.oneOf) > 0:
		return strings.Join(r.oneOf, ", ")
	case r.notEmpty:
		return "not empty"
	case r.notZero:
		return fmt.Sprintf("%.0f, 1 to %.0f", r.low, r.high)
	case r.bounded && math.IsInf(r.high, 1):
		return fmt.Sprintf("from %.0f", r.low)
	case r.bounded && k.kind == kindDouble:
		return fmt.Sprintf("%v to %v", r.low, r.high)
	case r.bounded:
		return fmt.Sprintf("%.0f to %.0f", r.low, r.high)
	}
	return ""
}

// docText is docs/CONFIG.md.
func docText(t *testing.T) string {
	t.Helper()
	fields := documentedFields(t)
	standard := make(map[string]string)
	for _, row := range rows(t, "producer-configs.tsv") {
		standard[row[0]] = strings.TrimPrefix(row[2], "class org.apache.kafka.")
	}
	var b strings.Builder
	b.WriteString(`# Configuration

Every key of Kafka 4.4's Java producer: the field of Config that it fills, or why it is ignored. ` + "`ParseConfig`" + ` takes
the keys, ` + "`ReadProperties`" + ` reads the files they are in, ` + "`NewConfig`" + ` returns the defaults, to assign fields of. Keys
that end in ` + "`.ms`" + ` are milliseconds, and their fields a time.Duration. Keys that are ignored must be right all the same, and
` + "`ParseConfig`" + ` names them as unused. What Java forbids it refuses; in a Config the fields' comments say what ` + "`New`" + ` refuses.

This file is generated from configkeys.go and the comments in config.go: ` + "`go test -run TestConfigDoc . -update`" + `

| key | field | type | default | valid | meaning, or why it is ignored |
|---|---|---|---|---|---|
`)
	keys := configKeys()
	slices.SortFunc(keys, func(a, b configKey) int { return strings.Compare(a.name, b.name) })
	for _, k := range keys {
		field, meaning := "*ignored*", k.about
		if k.field != "" {
			field = "`" + k.field + "`"
			if meaning = fields[k.field].comment; k.at == nil {
				meaning = k.about // of several keys with one field
			} else if k.about != "" {
				meaning += "; " + k.about
			}
		}
		value := standard[k.name]
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.name, field, k.kind, value, docRule(k), meaning)
		delete(fields, k.field)
	}
	b.WriteString("\n## Fields without a key\n\n| field | type | meaning |\n|---|---|---|\n")
	for _, name := range []string{"Partitioner", "Dial", "Logger", "ClusterListener"} {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", name, fields[name].kind, fields[name].comment)
	}
	return b.String()
}

func TestConfigDoc_IsUpToDate(t *testing.T) {
	want := docText(t)
	if *update {
		require.NoError(t, os.WriteFile(configDoc, []byte(want), 0o644))
	}
	got, err := os.ReadFile(configDoc)
	require.NoError(t, err)
	assert.Equal(t, strings.Split(want, "\n"), strings.Split(string(got), "\n"), "run: go test -run TestConfigDoc . -update")
}
