package integration

// This file owns an encoder that knows no message: it follows a schema, makes up a value for each field, and notes what
// whoever decodes the bytes must find. One goroutine uses a schemaCoder.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/kafka-go-producer/producer/internal/protocol"
)

// schemaCoder encodes messages of one version.
type schemaCoder struct {
	*rand.Rand
	version      int16
	minV, maxV   int16 // the versions we speak: fields of none of them are not looked at
	flexible     bool
	source       int16  // the version whose fields have values; what only others have is encoded as its default
	everything   bool   // no array is empty, nothing is null, no tagged field is left out; a field's path decides its value
	nullAt       string // the field that is null though it must not be; "": none
	buf          []byte
	want         map[string]string // by path with indexes: the values, as the function fields prints them
	reached      map[string]bool   // by path without indexes: the fields that were encoded
	cannotBeNull map[string]bool   // those of them that have a form for null which this version forbids
}

// path is where a field is: its elements have numbers in one form and not in the other.
type path struct{ numbered, plain string }

func (p path) field(name string) path {
	name = "." + strings.ToLower(name)
	return path{p.numbered + name, p.plain + name}
}

func (p path) element(i int) path { return path{fmt.Sprintf("%s[%d]", p.numbered, i), p.plain} }

// message encodes a new message.
func (c *schemaCoder) message(s schema) []byte {
	c.buf, c.want = nil, map[string]string{}
	c.flexible = s.FlexibleVersions.has(c.version)
	c.source = c.version
	c.fields(s.Fields, path{})
	return c.buf
}

// rewritten encodes, in this version, the message that the other version has with the same values.
func (c *schemaCoder) rewritten(s schema, source int16) []byte {
	c.buf, c.want = nil, map[string]string{}
	c.flexible = s.FlexibleVersions.has(c.version)
	c.source = source
	c.fields(s.Fields, path{})
	return c.buf
}

func (c *schemaCoder) fields(fields []schemaField, at path) {
	var tagged []schemaField
	for _, f := range fields {
		switch {
		case f.TaggedVersions.has(c.version):
			tagged = append(tagged, f)
		case f.Versions.has(c.version):
			c.field(f, at.field(f.Name))
		case f.Versions.meets(c.minV, c.maxV):
			c.absent(f, at.field(f.Name))
		}
	}
	if c.flexible {
		c.tags(tagged, at)
	} else if len(tagged) > 0 {
		panic("tagged fields in a version that is not flexible")
	}
}

// tags encodes the section of tagged fields, without those that have their default.
func (c *schemaCoder) tags(tagged []schemaField, at path) {
	slices.SortFunc(tagged, func(a, b schemaField) int { return int(a.Tag) - int(b.Tag) })
	count, section := 0, []byte(nil)
	for _, f := range tagged {
		body, unlike := *c, *c
		body.buf, body.want = nil, map[string]string{}
		unlike.want = map[string]string{}
		body.field(f, at.field(f.Name))
		unlike.absent(f, at.field(f.Name))
		if maps.Equal(body.want, unlike.want) && c.nullAt == "" || !c.everything && c.IntN(3) == 0 {
			maps.Copy(c.want, unlike.want)
			continue
		}
		maps.Copy(c.want, body.want)
		count++
		section = binary.AppendUvarint(section, uint64(f.Tag))
		section = binary.AppendUvarint(section, uint64(len(body.buf)))
		section = append(section, body.buf...)
	}
	c.buf = binary.AppendUvarint(c.buf, uint64(count))
	c.buf = append(c.buf, section...)
}

// unset encodes the default of a field.
func (c *schemaCoder) unset(f schemaField) {
	if _, ok := f.element(); ok {
		c.length(0)
		return
	}
	switch f.Type {
	case "bool", "int16", "int32", "int64":
		n := map[looseString]int64{"true": 1}[f.Default]
		if v, err := strconv.ParseInt(string(f.Default), 10, 64); err == nil {
			n = v
		}
		c.number(f.Type, n, path{})
	case "uuid":
		c.buf = append(c.buf, make([]byte, 16)...)
	case "string":
		if f.Default == "null" {
			c.textLength(-1)
		} else {
			c.textLength(len(f.Default))
			c.buf = append(c.buf, f.Default...)
		}
	default:
		panic("no default of type " + f.Type + " of field " + f.Name)
	}
}

// absent notes the default of a field that is not in the bytes.
func (c *schemaCoder) absent(f schemaField, at path) {
	if _, ok := f.element(); ok {
		c.want[at.numbered] = "0"
		return
	}
	switch f.Type {
	case "bool":
		c.want[at.numbered] = orElse(f.Default, "false")
	case "int16", "int32", "int64":
		c.want[at.numbered] = orElse(f.Default, "0")
	case "uuid":
		c.want[at.numbered] = fmt.Sprint([16]byte{})
	case "string":
		if f.Default == "null" {
			c.noteText(f, at, protocol.NullString{})
		} else {
			c.noteText(f, at, protocol.Some(string(f.Default)))
		}
	default:
		for _, inner := range c.structFields(f) {
			if inner.Versions.meets(c.minV, c.maxV) {
				c.absent(inner, at.field(inner.Name))
			}
		}
	}
}

func orElse(s looseString, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return string(s)
}

// field encodes a field that this version has.
func (c *schemaCoder) field(f schemaField, at path) {
	c.reached[at.plain] = true
	if !f.Versions.has(c.source) {
		c.absent(f, at)
		if !f.TaggedVersions.has(c.version) {
			c.unset(f)
		}
		return
	}
	if c.everything {
		h := fnv.New64a()
		h.Write([]byte(at.numbered))
		c.Rand = rand.New(rand.NewPCG(1, h.Sum64()))
	}
	element, isArray := f.element()
	if (isArray || f.Type == "string" || f.Type == "records") && !f.NullableVersions.has(c.version) {
		c.cannotBeNull[at.plain] = true
	}
	if !isArray {
		c.value(f, f.Type, at)
		return
	}
	n := c.IntN(4)
	if c.everything {
		n = 1 + c.IntN(2)
	}
	if c.null(f, at) {
		c.want[at.numbered] = "0"
		c.length(-1)
		return
	}
	c.want[at.numbered] = strconv.Itoa(n)
	c.length(n)
	for i := range n {
		c.value(f, element, at.element(i))
	}
}

// value encodes one value of the type.
func (c *schemaCoder) value(f schemaField, typ string, at path) {
	switch typ {
	case "bool":
		n := int64(c.IntN(2))
		if c.everything {
			n = 1 // not the default of a tagged field
		}
		c.number(typ, n, at)
	case "int16":
		c.number(typ, int64(int16(c.bits(f))), at)
	case "int32":
		c.number(typ, int64(int32(c.bits(f))), at)
	case "int64":
		c.number(typ, c.bits(f), at)
	case "uuid":
		var id [16]byte
		for i := range id {
			id[i] = byte(c.Uint32())
		}
		c.buf = append(c.buf, id[:]...)
		c.want[at.numbered] = fmt.Sprint(id)
	case "string":
		c.text(f, at)
	case "records":
		c.records(f, at)
	default:
		c.fields(c.structFields(f), at)
	}
}

// structFields refuses a type that is neither known nor described.
func (c *schemaCoder) structFields(f schemaField) []schemaField {
	if len(f.Fields) == 0 {
		panic("unknown type " + f.Type + " of field " + f.Name)
	}
	return f.Fields
}

// bits is any number, and the default of the field more often than others.
func (c *schemaCoder) bits(f schemaField) int64 {
	if n, err := strconv.ParseInt(string(f.Default), 10, 64); err == nil && c.IntN(4) == 0 && !c.everything {
		return n
	}
	return int64(c.Uint64())
}

func (c *schemaCoder) number(typ string, n int64, at path) {
	size := map[string]int{"bool": 1, "int16": 2, "int32": 4, "int64": 8}[typ]
	whole := binary.BigEndian.AppendUint64(nil, uint64(n))
	c.buf = append(c.buf, whole[8-size:]...)
	if typ == "bool" {
		c.want[at.numbered] = strconv.FormatBool(n == 1)
	} else {
		c.want[at.numbered] = strconv.FormatInt(n, 10)
	}
}

func (c *schemaCoder) text(f schemaField, at path) {
	if c.null(f, at) {
		c.noteText(f, at, protocol.NullString{})
		c.textLength(-1)
		return
	}
	s := strings.Repeat("ж", c.IntN(2)*c.IntN(2)*c.IntN(300)) + strings.Repeat("k", c.IntN(5))
	c.noteText(f, at, protocol.Some(s))
	c.textLength(len(s))
	c.buf = append(c.buf, s...)
}

// noteText notes a string as our type for it prints, which is another one where null is possible in some version.
func (c *schemaCoder) noteText(f schemaField, at path, s protocol.NullString) {
	if f.canBeNull() {
		c.want[at.numbered] = fmt.Sprintf("%s, null: %t", s.Value, !s.Valid)
	} else {
		c.want[at.numbered] = s.Value
	}
}

func (c *schemaCoder) records(f schemaField, at path) {
	if c.null(f, at) {
		c.want[at.numbered] = ", null: true"
		c.length(-1)
		return
	}
	b := make([]byte, c.IntN(300))
	for i := range b {
		b[i] = byte(c.Uint32())
	}
	c.want[at.numbered] = fmt.Sprintf("%x, null: false", b)
	c.length(len(b))
	c.buf = append(c.buf, b...)
}

// null tells whether the next value is to be null: now and then where that is allowed, and where the test wants it.
func (c *schemaCoder) null(f schemaField, at path) bool {
	if c.everything {
		return c.nullAt == at.plain
	}
	return f.NullableVersions.has(c.version) && c.IntN(4) == 0
}

func (c *schemaCoder) length(n int) {
	if c.flexible {
		c.buf = binary.AppendUvarint(c.buf, uint64(n+1))
	} else {
		c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(int32(n)))
	}
}

func (c *schemaCoder) textLength(n int) {
	if c.flexible {
		c.buf = binary.AppendUvarint(c.buf, uint64(n+1))
	} else {
		c.buf = binary.BigEndian.AppendUint16(c.buf, uint16(int16(n)))
	}
}
