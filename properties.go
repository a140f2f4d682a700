package producer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// properties.go owns the format of Java's .properties files. Pure functions.

// ReadProperties reads a Java .properties file to its end: comments, continuation lines, escapes, keys
// without a value. Of a key that is there twice the last value counts.
//
// The text is UTF-8, with or without a byte order mark. If it is not valid UTF-8, it is ISO-8859-1, which
// Java takes every file for. A \u escape that is none is an error that matches ErrConfig and names the
// line; half a surrogate pair becomes U+FFFD.
func ReadProperties(r io.Reader) (map[string]string, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading properties: %w", err)
	}
	s := propertyScanner{text: decodeText(text), line: 1}
	props := make(map[string]string)
	for {
		line, ok := s.logicalLine()
		if !ok {
			return props, nil
		}
		key, value := splitProperty(line)
		if key, err = unescape(key); err == nil {
			value, err = unescape(value)
		}
		if err != nil {
			return nil, failed(ErrConfig, "properties, line %d", s.first).because(err)
		}
		props[key] = value
	}
}

// decodeText makes text of bytes.
func decodeText(b []byte) string {
	if utf8.Valid(b) {
		return string(bytes.TrimPrefix(b, []byte("\ufeff")))
	}
	runes := make([]rune, len(b)) // ISO-8859-1 is the first 256 of them
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// propertyScanner goes through text line by line.
type propertyScanner struct {
	text  string // not read yet
	line  int    // number of the next natural line
	first int    // number of the last logical line's first one
}

// naturalLine is the next line without its end: LF, CR, or both.
func (s *propertyScanner) naturalLine() (line string, ok bool) {
	if s.text == "" {
		return "", false
	}
	s.line++
	end := strings.IndexAny(s.text, "\r\n")
	if end < 0 {
		line, s.text = s.text, ""
		return line, true
	}
	line, s.text = s.text[:end], strings.TrimPrefix(s.text[end:], "\r")
	s.text = strings.TrimPrefix(s.text, "\n")
	return line, true
}

// logicalLine is the next line that is neither blank nor a comment, with those that continue it.
func (s *propertyScanner) logicalLine() (logical string, ok bool) {
	var b strings.Builder
	for {
		if b.Len() == 0 {
			s.first = s.line
		}
		line, ok := s.naturalLine()
		if !ok {
			return b.String(), b.Len() > 0
		}
		line = strings.TrimLeft(line, propertyBlanks)
		switch {
		case b.Len() == 0 && (line == "" || line[0] == '#' || line[0] == '!'):
		case continued(line):
			b.WriteString(line[:len(line)-1])
		default:
			b.WriteString(line)
			return b.String(), true
		}
	}
}

const propertyBlanks = " \t\f"

// continued says whether a line ends in a backslash that is not itself escaped.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty splits a logical line at the first blank, = or : that is not escaped. Between key and
// value there may be blanks around one = or :.
func splitProperty(line string) (key, value string) {
	end := 0
	for end < len(line) && !strings.ContainsRune(propertyBlanks+"=:", rune(line[end])) {
		if line[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(line))
	key, value = line[:end], strings.TrimLeft(line[end:], propertyBlanks)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], propertyBlanks)
	}
	return key, value
}

// unescape replaces escapes: \t, \n, \f, \r, and \uXXXX, one UTF-16 code unit. Any other character behind
// a backslash is itself.
func unescape(s string) (string, error) {
	var b strings.Builder
	var units []uint16 // of \u escapes in a row
	for {
		plain, escape, _ := strings.Cut(s, `\`)
		if plain != "" || !strings.HasPrefix(escape, "u") {
			b.WriteString(string(utf16.Decode(units)))
			units = units[:0]
		}
		b.WriteString(plain)
		switch {
		case escape == "":
			return b.String(), nil
		case escape[0] == 'u':
			unit, err := strconv.ParseUint(escape[1:min(5, len(escape))], 16, 16)
			if err != nil || len(escape) < 5 {
				return "", errors.New("a \\u escape needs four hexadecimal digits")
			}
			units = append(units, uint16(unit))
			s = escape[5:]
		default:
			_, size := utf8.DecodeRuneInString(escape)
			b.WriteString(unescaped(escape[:size]))
			s = escape[size:]
		}
	}
}

// unescaped is what a character stands for behind a backslash.
func unescaped(c string) string {
	switch c {
	case "t":
		return "\t"
	case "n":
		return "\n"
	case "f":
		return "\f"
	case "r":
		return "\r"
	}
	return c
}
