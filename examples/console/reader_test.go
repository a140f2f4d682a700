package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// reader_test.go owns the proof of what a line means.

func readerOf(t *testing.T, in io.Reader, props string) *lineReader {
	t.Helper()
	p := make(cli.Properties)
	require.NoError(t, p.Add(strings.Fields(props)))
	errs := new(strings.Builder)
	r, err := newLineReader(cli.Std{In: in, Err: errs}, options{topic: "t", reader: p})
	require.NoError(t, err)
	require.Empty(t, errs.String())
	return r
}

// text shows a record: headers, key and value, with ~ for null.
func text(r record) string {
	show := func(b []byte) string {
		if b == nil {
			return "~"
		}
		return string(b)
	}
	var headers []string
	for _, h := range r.Headers {
		headers = append(headers, h.Key+":"+show(h.Value))
	}
	return fmt.Sprintf("[%s] %s %s", strings.Join(headers, " "), show(r.Key), show(r.Value))
}

func TestLineReader_Next(t *testing.T) {
	const (
		key     = "parse.key=true "
		headers = "parse.headers=true "
		lenient = "ignore.error=true "
		null    = "null.marker=NULL "
	)
	for _, c := range []struct{ props, line, want string }{
		{"", "a\tb", "[] ~ a\tb"},
		{null, "NULL", "[] ~ ~"},
		{null, "NULLS", "[] ~ NULLS"},
		{key, "k\tv\tw", "[] k v\tw"},
		{key, "\t", "[]  "},
		{key, "none", `line 1 has no key.separator, "\t": "none"`},
		{key + lenient, "none", "[] ~ none"},
		{key + null, "NULL\tNULL", "[] ~ ~"},
		{key + "key.separator=::", "k::v:w", "[] k v:w"},
		{headers, "a:1,b:\tv", "[a:1 b:] ~ v"},
		{headers, "a:1,a:2,\tv", "[a:1 a:2] ~ v"},
		{headers, ",\tv", "[] ~ v"},
		{headers, "a:1:2\tv", "[a:1:2] ~ v"},
		{headers, ":1\tv", "[:1] ~ v"},
		{headers, "\tv", `line 1 has a header without a headers.key.separator, ":": ""`},
		{headers, "a\tv", `line 1 has a header without a headers.key.separator, ":": "a"`},
		{headers + lenient, "a\tv", "[a:~] ~ v"},
		{headers, "none", `line 1 has no headers.delimiter, "\t": "none"`},
		{headers + lenient, "none", "[] ~ none"},
		{headers + null, "NULL\tv", "[] ~ v"},
		{headers + null, "a:NULL\tv", "[a:~] ~ v"},
		{headers + null, "NULL:a\tv", `line 1 has a header whose name is the null.marker: "NULL:a"`},
		{headers + key, "a:1\tk\tv", "[a:1] k v"},
		{headers + key, "a:1\tk", `line 1 has no key.separator, "\t": "k"`},
		{headers + key + lenient, "a:1\tk", "[a:1] ~ k"},
		{headers + key + "headers.delimiter=| headers.separator=; headers.key.separator== key.separator=|", "a=1;b=2|k|v", "[a:1 b:2] k v"},
		{"parse.key=TRUE parse.headers=False", "k\tv", "[] k v"},
	} {
		t.Run(c.props+c.line, func(t *testing.T) {
			r, err := readerOf(t, strings.NewReader(c.line+"\n"), c.props).next()
			if err != nil {
				assert.Equal(t, c.want, err.Error())
				return
			}
			assert.Equal(t, "t", r.Topic)
			assert.Equal(t, c.want, text(r))
		})
	}
}

func TestNewLineReader_Refuses(t *testing.T) {
	for props, want := range map[string]string{
		"parse.key=yes":                                 `parse.key is neither true nor false, but "yes"`,
		"headers.delimiter=,":                           "headers.delimiter and headers.separator must differ",
		"headers.delimiter=:":                           "headers.delimiter and headers.key.separator must differ",
		"headers.separator=:":                           "headers.separator and headers.key.separator must differ",
		"null.marker=,":                                 "headers.separator and null.marker must differ",
		"null.marker=| key.separator=|":                 "null.marker and key.separator must differ",
		"null.marker=| headers.delimiter=|":             "headers.delimiter and null.marker must differ",
		"null.marker=: headers.delimiter=|":             "headers.key.separator and null.marker must differ",
		"parse.headers=maybe null.marker=x parse.key=1": "neither true nor false",
	} {
		p := make(cli.Properties)
		require.NoError(t, p.Add(strings.Fields(props)))
		_, err := newLineReader(cli.Std{In: strings.NewReader("")}, options{reader: p})
		assert.ErrorContains(t, err, want, props)
	}
}

func TestNewLineReader_WarnsOfUnknownProperties(t *testing.T) {
	errs := new(strings.Builder)
	_, err := newLineReader(cli.Std{Tool: "console", In: strings.NewReader(""), Err: errs}, options{reader: cli.Properties{"parse.keys": "true"}})
	require.NoError(t, err)
	assert.Equal(t, "console: property parse.keys means nothing to the reader of lines\n", errs.String())
}

func TestLineScanner(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a", []string{"a"}},
		{"a\nb\n", []string{"a", "b"}},
		{"a\r\nb\rc\n\rd\r\r\ne", []string{"a", "b", "c", "", "d", "", "e"}},
		{"\xff\x00\n", []string{"\xff\x00"}},
		{strings.Repeat("x", 1<<20) + "\ny", []string{strings.Repeat("x", 1<<20), "y"}},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.in), iotest.HalfReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
			s := newLineScanner(in)
			var got []string
			for {
				line, err := s.next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				got = append(got, string(line))
			}
			assert.Equal(t, c.want, got)
		}
	}
}

// Somebody who types waits for an effect of what was typed, not of what comes next.
func TestLineScanner_ReturnsALineAtOnce(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		in, typed := io.Pipe()
		s := newLineScanner(in)
		go func() { _, _ = io.WriteString(typed, "a"+end) }()
		line, err := s.next()
		require.NoError(t, err)
		assert.Equal(t, "a", string(line))
	}
}

func TestLineScanner_TellsOfErrors(t *testing.T) {
	s := newLineScanner(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\nb"))))
	_, err := s.next()
	require.ErrorIs(t, err, iotest.ErrTimeout)
	assert.ErrorContains(t, err, "reading line 1")
}
