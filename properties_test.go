package producer

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadProperties(t *testing.T) {
	type m = map[string]string
	for _, tc := range []struct {
		name, text string
		want       m
	}{
		{"nothing", "", m{}},
		{"separators", "a=1\nb:2\nc 3\nd\t4\ne\f5\nf = 6\ng : 7\nh  8", m{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6", "g": "7", "h": "8"}},
		{"one separator only", "a==1\nb:=2\nc = = 3", m{"a": "=1", "b": "=2", "c": "= 3"}},
		{"no value", "a\nb=\nc:\nd ", m{"a": "", "b": "", "c": "", "d": ""}},
		{"no key", "=1", m{"": "1"}},
		{"blank lines and comments", "\n \t\f\n# a=1\n  ! b=2\nc=#3\n#d\\\ne=4", m{"c": "#3", "e": "4"}},
		{"blanks around", "  a  =  1  ", m{"a": "1  "}},
		{"line ends", "a=1\rb=2\r\nc=3\n\rd=4", m{"a": "1", "b": "2", "c": "3", "d": "4"}},
		{"continuation", "a=1,\\\n   2,\\\r\n\t3\nb=\\\\\nc=1\\\\\\\n2", m{"a": "1,2,3", "b": `\`, "c": `1\2`}},
		{"continuation of a key", "a\\\n  b=1", m{"ab": "1"}},
		{"continuation by a blank line", "a=1\\\n\nb=2", m{"a": "1", "b": "2"}},
		{"continuation that looks like a comment", "a=1\\\n#2", m{"a": "1#2"}},
		{"continuation of nothing", "\\\n\n\\\n# a=1\nb=2", m{"b": "2"}},
		{"continuation by the end", "a=1\\", m{"a": "1"}},
		{"escapes", `a=\t\n\r\f\\\=\:\ \#\!\q\"`, m{"a": "\t\n\r\f\\=: #!q\""}},
		{"escapes in keys", `a\ b\=\:c\#\\=1`, m{`a b=:c#\`: "1"}},
		{"unicode escapes", `a=\u0041\u00e9\u00E9 \uD83D\uDE00!`, m{"a": "Aéé 😀!"}},
		{"half a pair", `a=\uD83Dx\uDE00`, m{"a": "\ufffdx\ufffd"}},
		{"UTF-8", "ключ=Zürich 😀", m{"ключ": "Zürich 😀"}},
		{"an escaped character of several bytes", `a=\é`, m{"a": "é"}},
		{"byte order mark", "\ufeffa=1", m{"a": "1"}},
		{"ISO-8859-1", "a=Z\xfcrich", m{"a": "Zürich"}},
		{"the last one counts", "a=1\na=2", m{"a": "2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ReadProperties(iotest.OneByteReader(strings.NewReader(tc.text)))
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestReadProperties_Errors(t *testing.T) {
	for text, line := range map[string]string{
		"a=1\n\nb=\\u12":         "line 3",
		"a=1\nb=x,\\\n y\\uzzzz": "line 2",
		`\u+123=1`:               "line 1",
	} {
		_, err := ReadProperties(strings.NewReader(text))
		require.ErrorIs(t, err, ErrConfig)
		assert.ErrorContains(t, err, line)
	}
	broken := errors.New("broken disk")
	_, err := ReadProperties(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func FuzzReadProperties(f *testing.F) {
	f.Add("a=1\n#b\\\n  c : \\\n d\\u0041\r\ne")
	f.Fuzz(func(t *testing.T, text string) {
		props, err := ReadProperties(strings.NewReader(text))
		if err != nil {
			assert.ErrorIs(t, err, ErrConfig)
			return
		}
		for key, value := range props {
			assert.True(t, utf8.ValidString(key) && utf8.ValidString(value))
			again, err := ReadProperties(strings.NewReader(escapeProperty(key) + "=" + escapeProperty(value)))
			assert.NoError(t, err)
			assert.Equal(t, map[string]string{key: value}, again)
		}
	})
}

// escapeProperty writes text so that reading it gives the same.
func escapeProperty(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\f':
			b.WriteString(`\f`)
		case strings.ContainsRune(`\ =:#!`, r):
			b.WriteRune('\\')
			fallthrough
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
