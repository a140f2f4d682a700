// main_test.go feeds tally with lines as go test -json prints them.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadRun_CountsWhatRan(t *testing.T) {
	tests := map[string]struct {
		lines  []string
		want   string // the counts
		prints string // part of what is shown
	}{
		"tests and subtests": {
			lines: []string{
				`{"Action":"start","Package":"p"}`,
				`{"Action":"run","Package":"p","Test":"TestA"}`,
				`{"Action":"pass","Package":"p","Test":"TestA/sub"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: needs more\n"}`,
				`{"Action":"skip","Package":"p","Test":"TestB"}`,
				`{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}`,
				`{"Action":"pass","Package":"p"}`,
			},
			want:   "2 passed, 0 failed, 1 skipped",
			prints: "needs more",
		},
		"failure shows its output": {
			lines: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: broken\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want:   "0 passed, 1 failed, 0 skipped",
			prints: "a_test.go:1: broken",
		},
		"build failure": {
			lines: []string{
				`{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:1: undefined: x\n"}`,
				`{"ImportPath":"p [p.test]","Action":"build-fail"}`,
				`{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}`,
				`{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
			},
			want:   "0 passed, 1 failed, 0 skipped",
			prints: "undefined: x",
		},
		"end outside of a test": {
			lines: []string{
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestB","Output":"panic: no\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			want:   "1 passed, 1 failed, 0 skipped",
			prints: "panic: no",
		},
		"cut off": {
			lines:  []string{`{"Action":"pass","Package":"p","Test":"TestA"}`},
			want:   "1 passed, 1 failed, 0 skipped",
			prints: "did not end",
		},
		"cached": {
			lines: []string{
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\n"}`,
				`{"Action":"pass","Package":"p"}`,
			},
			want:   "0 passed, 0 failed, 0 skipped",
			prints: "(cached)",
		},
		"no test files": {
			lines: []string{
				`{"Action":"output","Package":"p","Output":"?   \tp\t[no test files]\n"}`,
				`{"Action":"skip","Package":"p"}`,
			},
			want:   "0 passed, 0 failed, 0 skipped",
			prints: "[no test files]",
		},
		"message of the go command": {
			lines:  []string{`go: updates to go.mod needed`},
			want:   "0 passed, 0 failed, 0 skipped",
			prints: "updates to go.mod needed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			file := filepath.Join(t.TempDir(), "counts")
			require.NoError(t, readRun(strings.NewReader(strings.Join(test.lines, "\n")), &out, file))
			written, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, test.want+"\n", string(written))
			assert.Contains(t, out.String(), test.prints)
		})
	}
}

func TestPrintSum_AddsRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "counts")
	require.NoError(t, os.WriteFile(file, []byte("3 passed, 1 failed, 0 skipped\n40 passed, 0 failed, 2 skipped\n"), 0o600))
	var out strings.Builder
	require.NoError(t, printSum(&out, file))
	assert.Equal(t, "43 passed, 1 failed, 2 skipped\n", out.String())

	require.NoError(t, os.WriteFile(file, []byte("nonsense\n"), 0o600))
	assert.Error(t, printSum(&out, file))
}
