package archtest

// clock_test.go owns the rules that keep unit tests quick and independent of
// the machine: nobody sleeps, nobody takes a port.

import (
	"go/ast"
	"testing"
)

// sleepers are allowed to call time.Sleep.
var sleepers = exceptions{}

// Sleeping in the library cannot be cut short by a context, and in a test it is
// either too short or too long. Inside of a testing/synctest bubble sleeping is
// exact and free; such a file is excepted by name.
func TestClock_NobodySleeps(t *testing.T) {
	all := load(t)
	var findings []finding
	for _, s := range append(library(all), unitTests(all)...) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && isSelector(e, "time", "Sleep") {
				findings = append(findings, finding{s.path, s.at(n), "time.Sleep: wait for the thing itself, or use testing/synctest"})
			}
			return true
		})
	}
	sleepers.check(t, findings)
}

// ports are allowed to use the machine's network in unit tests.
var ports = exceptions{}

func TestClock_UnitTestsTakeNoPorts(t *testing.T) {
	var findings []finding
	for _, s := range unitTests(load(t)) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if ok && (isSelector(e, "net", "Listen", "ListenTCP", "ListenPacket", "Dial", "DialTimeout", "DialTCP") ||
				isSelector(e, "httptest", "NewServer", "NewTLSServer") || isSelector(e, "tls", "Listen", "Dial")) {
				findings = append(findings, finding{s.path, s.at(n), "a real port in a unit test: use net.Pipe, or move the test to integration"})
			}
			return true
		})
	}
	ports.check(t, findings)
}
