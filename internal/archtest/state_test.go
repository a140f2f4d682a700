package archtest

// state_test.go owns the rules about state: none outside of values, none hidden
// in the environment, and every lock says what it guards.

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// globals are the package-level variables there are, each with the reason why
// nothing can change it or why it cannot be a constant.
var globals = exceptions{
	". clientNumbers":   "producer-1, producer-2 and so on must differ within a process, as Java's client ids do; counted up by New, read by nobody else",
	"record castagnoli": "the CRC table: hash/crc32 offers it as a pointer only; never written",
}

func TestState_NoPackageVariables(t *testing.T) {
	var findings []finding
	for _, s := range library(load(t)) {
		for _, d := range s.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				findings = append(findings, variables(s, spec.(*ast.ValueSpec))...)
			}
		}
	}
	globals.check(t, findings)
}

// variables lists the names of a declaration that are neither errors nor
// interface assertions.
func variables(s source, spec *ast.ValueSpec) []finding {
	var findings []finding
	for i, name := range spec.Names {
		if name.Name == "_" || i < len(spec.Values) && isError(spec.Values[i]) {
			continue
		}
		findings = append(findings, finding{
			key:  s.dir + " " + name.Name,
			at:   s.at(name),
			what: "package variable " + name.Name + ": keep state in values, tables in functions or constants",
		})
	}
	return findings
}

// isError recognizes errors.New("…") and fmt.Errorf("…").
func isError(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && (isSelector(call.Fun, "errors", "New") || isSelector(call.Fun, "fmt", "Errorf"))
}

// isSelector recognizes pkg.name.
func isSelector(e ast.Expr, pkg string, names ...string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || id.Name != pkg {
		return false
	}
	for _, name := range names {
		if sel.Sel.Name == name {
			return true
		}
	}
	return false
}

func TestState_NoInit(t *testing.T) {
	for _, s := range load(t) {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s: init runs whether wanted or not; let a constructor do it", s.at(f))
			}
		}
	}
}

func TestState_NoEnvironment(t *testing.T) {
	for _, s := range library(load(t)) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && isSelector(e, "os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") {
				t.Errorf("%s: a library is told by its caller, not by the environment", s.at(n))
			}
			return true
		})
	}
}

func TestState_EveryMutexSaysWhatItGuards(t *testing.T) {
	for _, s := range load(t) {
		if s.test || s.nested {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range st.Fields.List {
				if isSelector(f.Type, "sync", "Mutex", "RWMutex") && !strings.Contains(f.Doc.Text()+f.Comment.Text(), "guards") {
					t.Errorf("%s: a mutex without a comment that says what it guards", s.at(f))
				}
			}
			return true
		})
	}
}

func count(got, allowed int) string { return fmt.Sprintf("%d lines, %d are allowed", got, allowed) }
