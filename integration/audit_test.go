// audit_test.go proves that the audit finds each kind of fault: a judge that
// cannot say no is none.

package integration

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stored is one record as a log holds it.
type stored struct {
	place
	key, value []byte
}

func TestAudit_FindsEachKindOfFault(t *testing.T) {
	tests := map[string]struct {
		damage func(log []stored) []stored
		want   string // part of the verdict; "" is a pass
	}{
		"nothing wrong": {func(log []stored) []stored { return log }, ""},
		"missing":       {func(log []stored) []stored { return log[:len(log)-1] }, "1 of 400 records are missing"},
		"twice": {func(log []stored) []stored {
			return append(log, log[7])
		}, "is there twice"},
		"value damaged": {func(log []stored) []stored {
			log[3].value = slices.Clone(log[3].value)
			log[3].value[99] ^= 1
			return log
		}, "is damaged"},
		"value cut": {func(log []stored) []stored {
			log[3].value = log[3].value[:99]
			return log
		}, "value of 99 bytes"},
		"key of another": {func(log []stored) []stored {
			log[3].key = []byte("another")
			return log
		}, "key of record"},
		"null key instead of empty": {func(log []stored) []stored {
			i := slices.IndexFunc(log, func(s stored) bool { return s.key != nil && len(s.key) == 0 })
			log[i].key = nil
			return log
		}, "key of record"},
		"order": {func(log []stored) []stored {
			log[10], log[11] = log[11], log[10]
			return log
		}, "comes after"},
		"other partition": {func(log []stored) []stored {
			i := slices.IndexFunc(log, func(s stored) bool { return s.key != nil })
			log[i].partition++
			return log
		}, "belongs to partition"},
		"other offset than acknowledged": {func(log []stored) []stored {
			log[0].offset += 100
			return log
		}, "was acknowledged at"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorkload(2, 200, 20, 1)
			log, places, acks := storeAll(w)
			a := newAudit(w, places, acks)
			for _, s := range test.damage(log) {
				a.record(s.place, s.key, s.value)
			}
			err := a.verdict()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

// storeAll plays a perfect producer and broker with three partitions, sender
// after sender.
func storeAll(w *workload) (log []stored, places []int32, acks [][]place) {
	places = make([]int32, len(w.keys))
	for i := range places {
		places[i] = int32(i % 3)
	}
	var ends [3]int64
	acks = make([][]place, w.senders)
	for s := range w.senders {
		for n := range w.perSender {
			p := places[w.choices[s][n]]
			at := place{p, ends[p]}
			ends[p]++
			value := make([]byte, valueSize)
			w.value(value, s, n)
			log = append(log, stored{at, w.key(s, n), value})
			acks[s] = append(acks[s], at)
		}
	}
	return log, places, acks
}
