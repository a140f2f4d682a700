// gate.go owns the decision whether real Kafka runs at all: the environment
// variable, and what the machine must have. Stateless; any goroutine.

package kafka

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// Variable is the environment variable that turns the real tests on.
const Variable = "KAFKA_TESTS"

// Wanted tells whether the environment asks for real Kafka.
func Wanted() bool { return os.Getenv(Variable) == "real" || Full() }

// Full tells whether the environment asks for real Kafka and as many records as
// the strictest claim names: "full" instead of "real".
func Full() bool { return os.Getenv(Variable) == "full" }

// Require skips the test unless real Kafka is wanted, and fails it when it is
// wanted but cannot run here.
func Require(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skipf("needs real Kafka: set %s=real (Java 17 and Maven must be installed)", Variable)
	}
	if err := machineFits(); err != nil {
		t.Fatalf("%s=%s, but %v", Variable, os.Getenv(Variable), err)
	}
}

// machineFits names what this machine lacks to run a node. Maven is not asked
// for here: it is needed only where the artifacts are not yet resolved.
func machineFits() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("nodes are run on Linux only, and this is %s", runtime.GOOS)
	}
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("java (17 or newer) is not installed: %w", err)
	}
	return nil
}
