package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lines.go owns the splitting of the input: lines end in LF, CR or both; the last one need not.

// lineScanner returns lines. One goroutine may use it.
type lineScanner struct {
	*bufio.Scanner
	number   int  // of the line that was read last, from 1
	halved   bool // it ended in CR: a LF that comes next belongs to it
	open     bool // it did not end: there was no more input
	searched int  // bytes of the next line that are there and do not end it
}

// longest is how long a line may be: more than any broker takes.
const longest = 1 << 30

func newLineScanner(in io.Reader) *lineScanner {
	s := &lineScanner{Scanner: bufio.NewScanner(in)}
	s.Buffer(make([]byte, 64<<10), longest)
	s.Split(s.split)
	return s
}

// next returns the next line, valid until the next call; io.EOF: there is none.
func (s *lineScanner) next() ([]byte, error) {
	there := s.Scan()
	err := s.Err()
	switch {
	case there && (err == nil || !s.open): // half a line that an error cut off is none
		s.number++
		return s.Bytes(), nil
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d is longer than %d bytes", s.number+1, longest)
	}
	return nil, fmt.Errorf("reading line %d: %w", s.number+1, err)
}

// split is the Scanner's. It does not wait for what follows a CR: whoever types that sees an effect.
func (s *lineScanner) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if s.halved && len(data) > 0 {
		s.halved = false
		if data[0] == '\n' {
			advance, data = 1, data[1:]
		}
	}
	from := s.searched
	s.searched = 0
	if end := bytes.IndexAny(data[from:], "\r\n"); end >= 0 {
		end += from
		s.halved = data[end] == '\r'
		return advance + end + 1, data[:end], nil
	}
	if atEOF && len(data) > 0 {
		s.open = true
		return advance + len(data), data, nil
	}
	s.searched = len(data)
	return advance, nil, nil
}
