package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// payload_test.go owns the proof that the records are those of Kafka's tool.

// What kafka-producer-perf-test of Kafka 4.4.0 sends with --record-size 20 --record-key-range 3
// --key-distribution random --random-seed 7.
func TestLoad_Next_RandomAsKafkas(t *testing.T) {
	l, err := newLoad(options{size: 20, keys: randomKeys, keyRange: 3, seed: 7}, new(strings.Builder))
	require.NoError(t, err)
	for i, want := range []string{
		"1 IJXVVXTJMKFMOZOVJVVZ", "2 QEDJRDZSHXTCHFJPOTGJ", "1 XEWOEIBILDCPCAIVBUCL", "2 ZFRWNOFMNGTHYZODAPAO", "2 HVAGCEVIWOKMOMYLPQFX",
	} {
		key, value := l.next(int64(i))
		assert.Equal(t, want, string(key)+" "+string(value))
	}
}

func TestRandom_Below_IsEven(t *testing.T) {
	for _, n := range []int32{1, 2, 3, 26, 1 << 10} {
		r, counts := random(1), make([]int, n)
		const each = 1000
		for range int(n) * each {
			counts[r.below(n)]++
		}
		for i, count := range counts {
			assert.InDelta(t, each, count, 6*32, "%d of %d", i, n) // six times the standard deviation
		}
	}
}

func TestRandom_Below_LargestRange(t *testing.T) {
	r := random(3)
	var most int32
	for range 1000 {
		n := r.below(1<<31 - 1)
		require.GreaterOrEqual(t, n, int32(0))
		most = max(most, n)
	}
	assert.Greater(t, most, int32(1<<30))
}

func TestReadPayloads(t *testing.T) {
	for _, c := range []struct {
		text, delimiter string
		want            []string
	}{
		{"a\nb\n\nccc", `\n`, []string{"a", "b", "", "ccc"}},
		{"\na\n", `\n`, []string{"a"}},
		{"a|b||c|", `\|`, []string{"a", "b", "", "c"}},
		{"one", ",", []string{"one"}},
		{"a1b22c", "[0-9]+", []string{"a", "b", "c"}},
	} {
		file := filepath.Join(t.TempDir(), "values")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		values, err := readPayloads(file, c.delimiter)
		require.NoError(t, err)
		var got []string
		for _, v := range values {
			got = append(got, string(v))
		}
		assert.Equal(t, c.want, got, "%q by %q", c.text, c.delimiter)
	}
}

func TestReadPayloads_Refuses(t *testing.T) {
	_, err := readPayloads(filepath.Join(t.TempDir(), "missing"), ",")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = readPayloads("any", "(")
	require.ErrorContains(t, err, "--payload-delimiter")
	for _, text := range []string{"", ","} {
		file := filepath.Join(t.TempDir(), "empty")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := readPayloads(file, ",")
		require.ErrorContains(t, err, "no values", "%q", text)
	}
}
