package main

import (
	"fmt"
	"slices"
	"strings"
)

// scenario.go owns what is measured: the work, and the clients that do it.

// topicPartitions is how many partitions every topic has.
const topicPartitions = 12

// scenario is a kind of work.
type scenario struct {
	name, title string
	args        []string
	factor      float64 // of a variant's records
	records     int     // for every variant instead; not zero: synchronous
	codec       bool    // batches are compressed
}

func (s scenario) label() (string, bool) { return s.name, true }

func (s scenario) sync() bool { return s.records > 0 }

func scenarios() []scenario {
	return []scenario{
		{name: "main", title: "asynchronous, 100 B, null key, 1 goroutine", factor: 1},
		{name: "g8", title: "asynchronous, 100 B, null key, 8 goroutines", factor: 1, args: []string{"-goroutines", "8"}},
		{name: "key16", title: "asynchronous, 100 B, 16 B key, 1 goroutine", factor: 1, args: []string{"-key", "16"}},
		{name: "1k", title: "asynchronous, 1 KiB, null key, 1 goroutine", factor: .4, args: []string{"-size", "1024"}},
		{name: "rr", title: "asynchronous, 100 B, explicit partitions in turn, 1 goroutine", factor: 1, args: []string{"-part", "rr"}},
		{
			name: "sync1", title: "synchronous, 100 B, 1 goroutine, linger 0", records: 20_000,
			args: []string{"-mode", "sync", "-linger", "0"},
		},
		{
			name: "sync8", title: "synchronous, 100 B, 8 goroutines, linger 0", records: 60_000,
			args: []string{"-mode", "sync", "-linger", "0", "-goroutines", "8"},
		},
		compressed("gzip", .1), compressed("snappy", .5), compressed("lz4", .5), compressed("zstd", .3),
	}
}

// compressed is the main scenario with a codec.
func compressed(codec string, factor float64) scenario {
	return scenario{
		name: codec, title: "asynchronous, 100 B, null key, 1 goroutine, " + codec, factor: factor,
		args: []string{"-codec", codec}, codec: true,
	}
}

// The clients that others are compared with.
const (
	ourName   = "producer"
	floorName = "floor"
	franzName = "franz-go"
	protoName = "proto2"
)

// variant is a client and how it is run.
type variant struct {
	name     string
	program  string // built from this module, unless it has a path
	args     []string
	records  int // of 100 bytes, asynchronous: a few seconds of work
	noSync   bool
	noCodec  bool
	onDemand bool // only if named
}

func (v variant) label() (string, bool) { return v.name, !v.onDemand }

func variants() []variant {
	return []variant{
		{name: floorName, program: "floor", records: 8_000_000, noSync: true, noCodec: true},
		{name: ourName, program: "producer", records: producerRecords},
		{name: franzName, program: "franz", records: 2_000_000},
		{name: "franz-go tuned", program: "franz", records: 2_000_000, args: []string{"-tuned"}, onDemand: true},
		{name: protoName, program: "proto2", records: 4_000_000, noCodec: true},
	}
}

const producerRecords = 3_000_000

// extra reads name=program.
func extra(s string) (variant, error) {
	name, program, ok := strings.Cut(s, "=")
	if !ok || name == "" || program == "" {
		return variant{}, fmt.Errorf("%q is not name=program", s)
	}
	if !strings.Contains(program, "/") {
		program = "./" + program
	}
	return variant{name: name, program: program, records: producerRecords}, nil
}

// The most records a run has on a real broker, whose disk is not to be filled.
const (
	realRecords     = 1_000_000
	realSyncRecords = 20_000
)

// records is how many v sends in s.
func (o *options) records(s scenario, v variant) int {
	n, most := int(float64(v.records)*s.factor), realRecords
	if s.sync() {
		n, most = s.records, realSyncRecords
	}
	if o.bootstrap != "" {
		n = min(n, most)
	}
	return max(int(float64(n)*o.scale), 1)
}

// choose keeps those of all that are listed by name, or those that need not be named if list is empty.
func choose[T any](all []T, label func(T) (name string, byDefault bool), list string) ([]T, error) {
	if list == "" {
		return slices.DeleteFunc(all, func(x T) bool { _, ok := label(x); return !ok }), nil
	}
	var chosen []T
	for want := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(x T) bool { name, _ := label(x); return name == strings.TrimSpace(want) })
		if i < 0 {
			return nil, fmt.Errorf("there is no %q; there are: %s", want, names(all, label))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func names[T any](all []T, label func(T) (string, bool)) string {
	var list []string
	for _, x := range all {
		name, _ := label(x)
		list = append(list, name)
	}
	return strings.Join(list, ",")
}
