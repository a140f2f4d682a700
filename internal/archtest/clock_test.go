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
// either too short or too long. In a bubble of testing/synctest it is exact and
// free, and allowed: within the arguments of synctest.Test, or of a function of
// the same package that calls it.
func TestClock_NobodySleeps(t *testing.T) {
	all := load(t)
	bubbles := bubbleMakers(all)
	var findings []finding
	for _, s := range append(library(all), unitTests(all)...) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && opensBubble(call, bubbles[s.dir]) {
				return false
			}
			if e, ok := n.(ast.Expr); ok && isSelector(e, "time", "Sleep") {
				findings = append(findings, finding{s.path, s.at(n), "time.Sleep: wait for the thing itself, or use testing/synctest"})
			}
			return true
		})
	}
	sleepers.check(t, findings)
}

// bubbleMakers lists, by folder, the functions that call synctest.Test.
func bubbleMakers(all []source) map[string]map[string]bool {
	makers := make(map[string]map[string]bool)
	for _, s := range all {
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok && isSelector(e, "synctest", "Test") {
					if makers[s.dir] == nil {
						makers[s.dir] = make(map[string]bool)
					}
					makers[s.dir][f.Name.Name] = true
				}
				return true
			})
		}
	}
	return makers
}

func opensBubble(call *ast.CallExpr, makers map[string]bool) bool {
	if id, ok := call.Fun.(*ast.Ident); ok {
		return makers[id.Name]
	}
	return isSelector(call.Fun, "synctest", "Test")
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
