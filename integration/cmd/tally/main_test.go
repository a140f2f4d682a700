// main_test.go feeds tally with lines as go test -json prints them.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is one run of go test -json.
type recorded struct {
	lines  []string
	want   string // the counts
	prints string // part of what is shown
}

func TestReadRun_CountsWhatRan(t *testing.T) {
	for name, test := range runs() {
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

func runs() map[string]recorded {
	return map[string]recorded{
		"tests and subtests": {[]string{
			result("start", ""), result("run", "TestA"), result("pass", "TestA/sub"), result("pass", "TestA"),
			output("TestB", "    b_test.go:1: needs more"), result("skip", "TestB"),
			output("", "ok  \tp\t0.1s"), result("pass", ""),
		}, "2 passed, 0 failed, 1 skipped", "needs more"},
		"failure shows its output": {[]string{
			output("TestA", "=== RUN   TestA"), output("TestA", "    a_test.go:1: broken"), result("fail", "TestA"), result("fail", ""),
		}, "0 passed, 1 failed, 0 skipped", "a_test.go:1: broken"},
		"build failure": {[]string{
			`{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:1: undefined: x\n"}`,
			`{"ImportPath":"p [p.test]","Action":"build-fail"}`,
			output("", "FAIL\tp [build failed]"), result("fail", ""),
		}, "0 passed, 1 failed, 0 skipped", "undefined: x"},
		"end outside of a test": {[]string{
			result("pass", "TestA"), output("TestB", "panic: no"), result("fail", ""),
		}, "1 passed, 1 failed, 0 skipped", "panic: no"},
		"cut off": {[]string{
			result("pass", "TestA"),
		}, "1 passed, 1 failed, 0 skipped", "did not end"},
		"cached": {[]string{
			result("pass", "TestA"), output("", "ok  \tp\t(cached)"), result("pass", ""),
		}, "0 passed, 0 failed, 0 skipped", "(cached)"},
		"no test files": {[]string{
			output("", "?   \tp\t[no test files]"), result("skip", ""),
		}, "0 passed, 0 failed, 0 skipped", "[no test files]"},
		"message of the go command": {[]string{
			"go: updates to go.mod needed",
		}, "0 passed, 0 failed, 0 skipped", "updates to go.mod needed"},
	}
}

// result and output are lines of a run of package p.
func result(action, test string) string {
	return fmt.Sprintf(`{"Action":%q,"Package":"p","Test":%q}`, action, test)
}

func output(test, text string) string {
	return fmt.Sprintf(`{"Action":"output","Package":"p","Test":%q,"Output":%q}`, test, text+"\n")
}
