package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kafka-go-producer/producer"
	"github.com/kafka-go-producer/producer/examples/internal/cli"
)

// reader.go owns how a line becomes a record: [headers delimiter] [key separator] value.

type record = producer.Record[[]byte, []byte]

// lineReader makes records of lines. One goroutine may use it.
type lineReader struct {
	topic  string
	lines  *lineScanner
	prompt io.Writer // before each line; nil: nobody is there to see it

	withKey, withHeaders bool
	lenient              bool // what is not there is left out
	keySeparator         string
	headersDelimiter     string // behind all headers
	headersSeparator     string // between two
	headerKeySeparator   string // within one
	nullMarker           string
	hasNull              bool // there is a nullMarker
}

// newLineReader reads the properties of the reader. It warns of those it does not know.
func newLineReader(s cli.Std, o options) (*lineReader, error) {
	r := &lineReader{
		topic: o.topic, lines: newLineScanner(s.In),
		keySeparator: "\t", headersDelimiter: "\t", headersSeparator: ",", headerKeySeparator: ":",
	}
	if s.Dialog {
		r.prompt = s.Out
	}
	flags := map[string]*bool{"parse.key": &r.withKey, "parse.headers": &r.withHeaders, "ignore.error": &r.lenient}
	texts := map[string]*string{
		"key.separator": &r.keySeparator, "headers.delimiter": &r.headersDelimiter, "headers.separator": &r.headersSeparator,
		"headers.key.separator": &r.headerKeySeparator, "null.marker": &r.nullMarker,
	}
	for key, value := range o.reader {
		switch {
		case flags[key] != nil:
			on := strings.EqualFold(strings.TrimSpace(value), "true")
			if !on && !strings.EqualFold(strings.TrimSpace(value), "false") {
				return nil, fmt.Errorf("%s is neither true nor false, but %q", key, value)
			}
			*flags[key] = on
		case texts[key] != nil:
			*texts[key] = value
			r.hasNull = r.hasNull || key == "null.marker"
		default:
			s.Warn("property %s means nothing to the reader of lines", key)
		}
	}
	return r, r.check()
}

// check makes sure that a line can be read in one way only.
func (r *lineReader) check() error {
	type separator struct{ key, text string }
	all := []separator{
		{"headers.delimiter", r.headersDelimiter}, {"headers.separator", r.headersSeparator}, {"headers.key.separator", r.headerKeySeparator},
	}
	if r.hasNull {
		all = append(all, separator{"null.marker", r.nullMarker})
		if r.nullMarker == r.keySeparator {
			return errors.New("null.marker and key.separator must differ")
		}
	}
	for i, a := range all {
		j := slices.IndexFunc(all[i+1:], func(b separator) bool { return a.text == b.text })
		if j >= 0 {
			return fmt.Errorf("%s and %s must differ", a.key, all[i+1+j].key)
		}
	}
	return nil
}

// next makes a record of the next line; io.EOF: there is none. Its key and value are valid until the next
// call.
func (r *lineReader) next() (record, error) {
	if r.prompt != nil {
		fmt.Fprint(r.prompt, ">")
	}
	line, err := r.lines.next()
	if err != nil {
		return record{}, err
	}
	rec := record{Topic: r.topic}
	rest := line
	if r.withHeaders {
		headers, after, err := r.cut(rest, r.headersDelimiter, "headers.delimiter")
		if err != nil {
			return record{}, err
		}
		rest = after
		if rec.Headers, err = r.headers(headers); err != nil {
			return record{}, err
		}
	}
	if r.withKey {
		if rec.Key, rest, err = r.cut(rest, r.keySeparator, "key.separator"); err != nil {
			return record{}, err
		}
		rec.Key = r.nulled(rec.Key)
	}
	rec.Value = r.nulled(rest)
	return rec, nil
}

// cut splits what is left of a line. Without a separator there is, if that is to be ignored, no part before
// it.
func (r *lineReader) cut(rest []byte, separator, name string) (part, after []byte, err error) {
	part, after, ok := bytes.Cut(rest, []byte(separator))
	switch {
	case ok:
		return part, after, nil
	case r.lenient:
		return nil, rest, nil
	}
	return nil, nil, fmt.Errorf("line %d has no %s, %q: %q", r.lines.number, name, separator, rest)
}

// nulled makes null of the null marker.
func (r *lineReader) nulled(part []byte) []byte {
	if r.hasNull && string(part) == r.nullMarker {
		return nil
	}
	return part
}

// headers reads the headers in front of a line; nil are none.
func (r *lineReader) headers(text []byte) (producer.Headers, error) {
	if text == nil || r.nulled(text) == nil {
		return nil, nil
	}
	pairs := strings.Split(string(text), r.headersSeparator)
	for len(text) > 0 && len(pairs) > 0 && pairs[len(pairs)-1] == "" {
		pairs = pairs[:len(pairs)-1] // nothing comes behind a separator
	}
	headers := make(producer.Headers, 0, len(pairs))
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, r.headerKeySeparator)
		switch {
		case !ok && !r.lenient:
			return nil, fmt.Errorf("line %d has a header without a headers.key.separator, %q: %q", r.lines.number, r.headerKeySeparator, pair)
		case !ok:
			headers = append(headers, producer.Header{Key: pair})
		case r.hasNull && key == r.nullMarker:
			return nil, fmt.Errorf("line %d has a header whose name is the null.marker: %q", r.lines.number, pair)
		default:
			headers = append(headers, producer.Header{Key: key, Value: r.nulled([]byte(value))})
		}
	}
	return headers, nil
}
