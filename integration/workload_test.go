// workload_test.go owns a workload whose records tell everything about
// themselves, so that whoever reads them back can check them one by one: bytes,
// place, order, that none is missing and none there twice.

package integration

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// valueSize is the size of each value in bytes.
const valueSize = 100

// workload plans the records of several senders over one set of keys. It never
// changes once made; any goroutine may use it.
type workload struct {
	senders   int
	perSender int
	keys      [][]byte // keys[0] is nil, keys[1] is empty
	choices   [][]int32
}

// newWorkload plans perSender records for each sender: keys of up to 64 random
// bytes, a tenth of the records without one. The same seed plans the same.
func newWorkload(senders, perSender, keys int, seed uint64) *workload {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &workload{senders: senders, perSender: perSender, keys: make([][]byte, keys)}
	taken := map[string]bool{"": true}
	w.keys[1] = []byte{}
	for i := 2; i < keys; {
		key := make([]byte, rng.IntN(65))
		for j := range key {
			key[j] = byte(rng.Uint32())
		}
		if !taken[string(key)] {
			taken[string(key)] = true
			w.keys[i] = key
			i++
		}
	}
	w.choices = make([][]int32, senders)
	for s := range w.choices {
		w.choices[s] = make([]int32, perSender)
		for n := range w.choices[s] {
			if rng.IntN(10) > 0 {
				w.choices[s][n] = 1 + rng.Int32N(int32(keys-1))
			}
		}
	}
	return w
}

func (w *workload) records() int { return w.senders * w.perSender }

// key returns the key of a sender's record n; nil means none.
func (w *workload) key(sender, n int) []byte { return w.keys[w.choices[sender][n]] }

// value writes the value of a sender's record n into dst, which has valueSize
// bytes: who sent it, its number, and a pattern that follows from both.
func (w *workload) value(dst []byte, sender, n int) {
	binary.BigEndian.PutUint32(dst, uint32(sender))
	binary.BigEndian.PutUint32(dst[4:], uint32(n))
	x := uint64(sender)<<32 | uint64(n) + 1
	for i := 8; i < len(dst); i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		dst[i] = byte(x)
	}
}

// sentBy reads back who sent a value and as which of its records.
func (w *workload) sentBy(value []byte) (sender, n int, err error) {
	if len(value) != valueSize {
		return 0, 0, fmt.Errorf("value of %d bytes", len(value))
	}
	sender = int(binary.BigEndian.Uint32(value))
	n = int(binary.BigEndian.Uint32(value[4:]))
	if sender >= w.senders || n >= w.perSender {
		return 0, 0, fmt.Errorf("value %x names no record", value[:8])
	}
	var want [valueSize]byte
	w.value(want[:], sender, n)
	if !bytes.Equal(value, want[:]) {
		return 0, 0, fmt.Errorf("value of record %d of sender %d is damaged: %x", n, sender, value)
	}
	return sender, n, nil
}

// place is where a record lies.
type place struct {
	partition int32
	offset    int64
}

// audit checks what is read back against a workload. One goroutine uses it.
type audit struct {
	workload *workload
	places   []int32   // by key: the partition Java puts it in; nil key: unused
	acks     [][]place // by sender and number: what its producer was told
	seen     []bool    // by sender and number
	count    int
	lastOf   map[[2]int32]int // by sender and partition: the last number read
	faults   []string         // the first few
	faulty   int              // all
}

func newAudit(w *workload, places []int32, acks [][]place) *audit {
	return &audit{
		workload: w, places: places, acks: acks,
		seen:   make([]bool, w.records()),
		lastOf: make(map[[2]int32]int),
	}
}

// record takes the next record read from a partition, in the order of offsets.
func (a *audit) record(at place, key, value []byte) {
	sender, n, err := a.workload.sentBy(value)
	if err != nil {
		a.faultf("%v: %w", at, err)
		return
	}
	id := fmt.Sprintf("record %d of sender %d", n, sender)
	if i := sender*a.workload.perSender + n; a.seen[i] {
		a.faultf("%v: %s is there twice", at, id)
	} else {
		a.seen[i] = true
		a.count++
	}
	want := a.workload.key(sender, n)
	if !bytes.Equal(key, want) || (key == nil) != (want == nil) {
		a.faultf("%v: key of %s is %x and was %x", at, id, key, want)
	}
	if want != nil && at.partition != a.places[a.workload.choices[sender][n]] {
		a.faultf("%v: %s belongs to partition %d", at, id, a.places[a.workload.choices[sender][n]])
	}
	if ack := a.acks[sender][n]; ack != at {
		a.faultf("%v: %s was acknowledged at %v", at, id, ack)
	}
	// A sender's records keep their order within a partition, so those of one key
	// do too: a key stays in its partition.
	stream := [2]int32{int32(sender), at.partition}
	if last, ok := a.lastOf[stream]; ok && n <= last {
		a.faultf("%v: %s comes after %d", at, id, last)
	}
	a.lastOf[stream] = n
}

// verdict lists what is wrong; nil is a pass.
func (a *audit) verdict() error {
	if missing := a.workload.records() - a.count; missing > 0 {
		a.faultf("%d of %d records are missing", missing, a.workload.records())
	}
	if a.faulty == 0 {
		return nil
	}
	return fmt.Errorf("%d faults, the first: %q", a.faulty, a.faults)
}

func (a *audit) faultf(format string, args ...any) {
	a.faulty++
	if len(a.faults) < 10 {
		a.faults = append(a.faults, fmt.Errorf(format, args...).Error())
	}
}
