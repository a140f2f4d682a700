package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// payload.go owns what is sent: keys and values. A load belongs to the goroutine that sends.

// load makes records. What it returns is valid until its next call: Send copies it.
type load struct {
	random   random
	keys     string
	keyRange int64
	choices  [][]byte // values to pick from; nil: they are made
	letters  []byte   // random ones; nil: values are numbers
	buf      []byte
	keyBuf   []byte
}

// newLoad reads the file of values, if there is one, and says so on out.
func newLoad(o options, out io.Writer) (*load, error) {
	l := &load{random: random(o.seed), keys: o.keys, keyRange: o.keyRange}
	if o.size > 0 {
		l.letters = make([]byte, o.size)
	}
	if o.file == "" {
		return l, nil
	}
	path, err := filepath.Abs(o.file)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "Reading payloads from:", path)
	if l.choices, err = readPayloads(o.file, o.delimiter); err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "Number of records read:", len(l.choices))
	return l, nil
}

// readPayloads splits a file. A delimiter at its beginning or end has no value before or behind it.
func readPayloads(file, delimiter string) ([][]byte, error) {
	between, err := regexp.Compile(delimiter)
	if err != nil {
		return nil, fmt.Errorf("--payload-delimiter: %w", err)
	}
	text, err := os.ReadFile(file) //nolint:gosec // a file the user names
	if err != nil {
		return nil, err
	}
	pieces := between.Split(string(text), -1)
	if pieces[0] == "" {
		pieces = pieces[1:]
	}
	if len(pieces) > 0 && pieces[len(pieces)-1] == "" {
		pieces = pieces[:len(pieces)-1]
	}
	if len(pieces) == 0 {
		return nil, errors.New(file + ": there are no values in this file")
	}
	values := make([][]byte, len(pieces))
	for i, piece := range pieces {
		values[i] = []byte(piece)
	}
	return values, nil
}

// next is key and value of record n; a nil key is none. Random numbers are drawn for the value first.
func (l *load) next(n int64) (key, value []byte) {
	switch {
	case l.choices != nil:
		value = l.choices[l.random.below(int32(len(l.choices)))]
	case l.letters != nil:
		for i := range l.letters {
			l.letters[i] = 'A' + byte(l.random.below(26))
		}
		value = l.letters
	default:
		l.buf = strconv.AppendInt(l.buf[:0], n, 10)
		value = l.buf
	}
	switch l.keys {
	case rangeKeys:
		l.keyBuf = strconv.AppendInt(l.keyBuf[:0], n%l.keyRange, 10)
		key = l.keyBuf
	case randomKeys:
		l.keyBuf = strconv.AppendInt(l.keyBuf[:0], int64(l.random.below(int32(l.keyRange))), 10)
		key = l.keyBuf
	}
	return key, value
}
