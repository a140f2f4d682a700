// Package judge asks Kafka's own Java code about what a test wrote: the records
// of a topic as Java's consumer reads them, and the partitions Java's producer
// would choose for keys. The programs are single Java source files beside this
// one, run against the jars of the release under test.
package judge

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kafka-go-producer/producer/integration/kafka"
)

// judgeTime bounds one run of a judge; a million records take a few seconds.
const judgeTime = 5 * time.Minute

//go:embed Reader.java
var readerSource []byte

//go:embed Partitions.java
var partitionsSource []byte

// Record is what Java's consumer read.
type Record struct {
	Partition int32
	Offset    int64
	Timestamp int64  // milliseconds since 1970
	Key       []byte // nil: null
	Value     []byte // nil: null
	Headers   []Header
}

// Header is one header of a Record.
type Header struct {
	Key   string
	Value []byte // nil: null
}

// Isolation is the consumer's isolation.level.
type Isolation string

// The two levels.
const (
	Uncommitted Isolation = "read_uncommitted"
	Committed   Isolation = "read_committed"
)

// Read reads a topic, with the consumer of the cluster's release, from its
// beginning to the end it has when the call starts, and hands each record to each. Records of one partition come in the order of
// their offsets. each must not keep the record's slices.
func Read(t testing.TB, c *kafka.Cluster, topic string, level Isolation, each func(Record)) {
	t.Helper()
	ReadWith(t, c.Java(), c, topic, level, each)
}

// ReadWith is Read with the consumer of another release.
func ReadWith(t testing.TB, java kafka.Java, c *kafka.Cluster, topic string, level Isolation, each func(Record)) {
	t.Helper()
	source := writeSource(t, "Reader.java", readerSource)
	ctx, cancel := context.WithTimeout(t.Context(), judgeTime)
	defer cancel()
	r, w := io.Pipe()
	go func() {
		_ = w.CloseWithError(java.Run(ctx, nil, w,
			source, strings.Join(c.Bootstrap(), ","), topic, string(level)))
	}()
	if err := readLines(r, each); err != nil {
		_ = r.CloseWithError(err) // lets a judge that is still printing end
		t.Fatalf("read topic %s with Java's consumer: %v", topic, err)
	}
}

func readLines(r io.Reader, each func(Record)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	var rec Record
	records := 0
	for lines.Scan() {
		if end, ok := bytes.CutPrefix(lines.Bytes(), []byte("end ")); ok {
			if string(end) != strconv.Itoa(records) {
				return fmt.Errorf("judge printed %d records and says %s", records, end)
			}
			return drained(lines)
		}
		if err := rec.parse(lines.Bytes()); err != nil {
			return fmt.Errorf("judge printed %q: %w", lines.Bytes(), err)
		}
		each(rec)
		records++
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("judge ended early")
}

// drained waits for the judge's exit; nothing may come before it.
func drained(lines *bufio.Scanner) error {
	if lines.Scan() {
		return fmt.Errorf("judge printed %q after its end", lines.Bytes())
	}
	return lines.Err()
}

var errFields = errors.New("want six fields")

// parse reads one line of Reader.java, reusing the record's memory.
func (rec *Record) parse(line []byte) error {
	var fields [6][]byte
	for i := range fields {
		before, after, found := bytes.Cut(line, []byte{' '})
		if found != (i < len(fields)-1) {
			return errFields
		}
		fields[i], line = before, after
	}
	partition, err := strconv.ParseInt(string(fields[0]), 10, 32)
	if err != nil {
		return err
	}
	rec.Partition = int32(partition)
	if rec.Offset, err = strconv.ParseInt(string(fields[1]), 10, 64); err != nil {
		return err
	}
	if rec.Timestamp, err = strconv.ParseInt(string(fields[2]), 10, 64); err != nil {
		return err
	}
	if rec.Key, err = parseBytes(rec.Key, fields[3]); err != nil {
		return err
	}
	if rec.Value, err = parseBytes(rec.Value, fields[4]); err != nil {
		return err
	}
	return rec.parseHeaders(fields[5])
}

func (rec *Record) parseHeaders(field []byte) error {
	rec.Headers = nil
	if len(field) == 0 {
		return nil
	}
	for pair := range bytes.SplitSeq(field, []byte{','}) {
		k, v, ok := bytes.Cut(pair, []byte{':'})
		if !ok {
			return fmt.Errorf("header without a colon: %q", pair)
		}
		key, err := parseBytes(nil, k)
		if err != nil {
			return err
		}
		value, err := parseBytes(nil, v)
		if err != nil {
			return err
		}
		rec.Headers = append(rec.Headers, Header{Key: string(key), Value: value})
	}
	return nil
}

// parseBytes decodes into dst's memory; nil for null, empty and not nil for
// empty.
func parseBytes(dst, field []byte) ([]byte, error) {
	if string(field) == "-" {
		return nil, nil
	}
	if dst == nil {
		dst = make([]byte, 0, base64.StdEncoding.DecodedLen(len(field)))
	}
	return base64.StdEncoding.AppendDecode(dst[:0], field)
}

// Placement is where Java puts a key.
type Placement struct {
	Hash      int32 // Utils.murmur2
	Partition int32 // of the hash, and of the built-in partitioner
}

// Partitions asks for the placement of each key, none of which may be nil, in a
// topic of n partitions. The jars must be of Kafka 3.3 or newer.
func Partitions(t testing.TB, java kafka.Java, keys [][]byte, n int) []Placement {
	t.Helper()
	source := writeSource(t, "Partitions.java", partitionsSource)
	var stdin, stdout bytes.Buffer
	for _, key := range keys {
		stdin.WriteString(base64.StdEncoding.EncodeToString(key))
		stdin.WriteByte('\n')
	}
	ctx, cancel := context.WithTimeout(t.Context(), judgeTime)
	defer cancel()
	if err := java.Run(ctx, &stdin, &stdout, source, strconv.Itoa(n)); err != nil {
		t.Fatalf("ask Java for partitions: %v", err)
	}
	placements := make([]Placement, 0, len(keys))
	for line := range strings.Lines(stdout.String()) {
		var p Placement
		var builtIn int32
		if _, err := fmt.Sscan(line, &p.Hash, &p.Partition, &builtIn); err != nil {
			t.Fatalf("judge printed %q: %v", line, err)
		}
		if builtIn != p.Partition {
			t.Fatalf("Java disagrees with itself: hash gives partition %d, partitioner %d", p.Partition, builtIn)
		}
		placements = append(placements, p)
	}
	if len(placements) != len(keys) {
		t.Fatalf("judge answered for %d of %d keys", len(placements), len(keys))
	}
	return placements
}

// writeSource puts a judge where java can read it.
func writeSource(t testing.TB, name string, source []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, source, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
