package producer

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run when a test leaves a goroutine of the library behind.
func TestMain(m *testing.M) {
	code := m.Run()
	deadline := time.Now().Add(5 * time.Second) // those that are about to end get their chance
	for leaked() != "" && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if stack := leaked(); stack != "" {
		fmt.Fprintf(os.Stderr, "goroutine left behind:\n%s\n", stack)
		code = max(code, 1)
	}
	os.Exit(code)
}

// leaked is the stack of a goroutine, other than this one, that runs the library's code.
func leaked() string {
	buf := make([]byte, 1<<20)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	for _, stack := range stacks[1:] {
		if strings.Contains(stack, "kafka-go-producer/producer") {
			return stack
		}
	}
	return ""
}
