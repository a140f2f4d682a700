// dump.go owns the reading of what a broker stored, with Kafka's own
// DumpLogSegments tool.

package kafka

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// dumpTime bounds the tool; a million records take about ten seconds.
const dumpTime = 5 * time.Minute

// Dump counts what DumpLogSegments found in a topic's log files.
type Dump struct {
	Batches int
	Records int      // as found by iterating over each batch, compressed ones included
	Counted int      // the sum of the batches' own record counts
	Invalid []string // the tool's line for each batch whose CRC is wrong

	Codecs map[string]int // the number of batches by the name of their compression: none, gzip, snappy, lz4, zstd
}

// DumpLog reads every partition of a topic on every node with DumpLogSegments
// --deep-iteration, which checks each batch's CRC and decodes each record. With
// copies on several nodes every copy counts.
func (c *Cluster) DumpLog(t testing.TB, topic string) Dump {
	t.Helper()
	var files []string
	for _, n := range c.nodes {
		found, err := filepath.Glob(filepath.Join(n.dataDir(), topic+"-*", "*.log"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatalf("topic %s has no log files", topic)
	}
	slices.Sort(files)

	ctx, cancel := context.WithTimeout(t.Context(), dumpTime)
	defer cancel()
	d, err := c.java.dump(ctx, files, "--deep-iteration")
	if err == nil && c.java.release.batchRun {
		var shallow Dump
		shallow, err = c.java.dump(ctx, files)
		d = Dump{
			Batches: shallow.Batches, Records: d.Records, Counted: shallow.Counted, Codecs: shallow.Codecs,
			Invalid: append(d.Invalid, shallow.Invalid...),
		}
	}
	if err != nil {
		t.Fatalf("dump topic %s: %v", topic, err)
	}
	return d
}

// dump runs the tool once.
func (j Java) dump(ctx context.Context, files []string, options ...string) (Dump, error) {
	r, w := io.Pipe()
	args := append([]string{j.release.dumpTool, "--files", strings.Join(files, ",")}, options...)
	go func() { _ = w.CloseWithError(j.Run(ctx, nil, w, args...)) }()
	d, err := parseDump(r)
	_ = r.CloseWithError(err) // lets a tool that is still printing end
	return d, err
}

// parseDump reads the tool's output. A line per batch starts with "baseOffset:",
// a line per record with "| offset:", or in old releases just "offset:".
func parseDump(r io.Reader) (Dump, error) {
	var d Dump
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case bytes.HasPrefix(bytes.TrimPrefix(line, []byte("| ")), []byte("offset:")):
			d.Records++
			if bytes.Contains(line, []byte(" isvalid: false ")) {
				d.Invalid = append(d.Invalid, string(line))
			}
		case bytes.HasPrefix(line, []byte("baseOffset:")):
			if err := d.addBatch(string(line)); err != nil {
				return d, err
			}
		case bytes.Contains(line, []byte("invalid")), bytes.Contains(line, []byte("Could not")):
			d.Invalid = append(d.Invalid, string(line)) // trailing bytes, broken index, and so on
		}
	}
	return d, lines.Err()
}

func (d *Dump) addBatch(line string) error {
	count, ok := dumpField(line, "count:")
	if !ok {
		return fmt.Errorf("batch without a count: %s", line)
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return fmt.Errorf("batch with a strange count: %s", line)
	}
	codec, _ := dumpField(line, "compresscodec:")
	if d.Codecs == nil {
		d.Codecs = make(map[string]int)
	}
	d.Codecs[strings.ToLower(codec)]++
	d.Batches++
	d.Counted += n
	if valid, _ := dumpField(line, "isvalid:"); valid != "true" {
		d.Invalid = append(d.Invalid, line)
	}
	return nil
}

// dumpField returns the word after name.
func dumpField(line, name string) (string, bool) {
	_, after, ok := strings.Cut(line, " "+name+" ")
	if !ok {
		return "", false
	}
	word, _, _ := strings.Cut(after, " ")
	return word, true
}
