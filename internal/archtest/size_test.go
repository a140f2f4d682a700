package archtest

// size_test.go owns the limits of what one reader must hold in mind, and how
// files are named and opened.

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 60
	selfExplaining   = 15 // lines of a file that need not say what it owns
)

func TestFiles_AreShort(t *testing.T) {
	for _, s := range load(t) {
		if s.lines > maxFileLines {
			t.Errorf("%s: %d lines, %d are allowed", s.path, s.lines, maxFileLines)
		}
	}
}

// longFunctions are functions that gain nothing from being cut.
var longFunctions = exceptions{}

func TestFunctions_AreShort(t *testing.T) {
	var findings []finding
	for _, s := range load(t) {
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			if lines > maxFunctionLines {
				findings = append(findings, finding{s.path + " " + f.Name.Name, s.at(f), f.Name.Name + " is too long: " + count(lines, maxFunctionLines)})
			}
		}
	}
	longFunctions.check(t, findings)
}

func TestFiles_AreNamedForASubject(t *testing.T) {
	for _, s := range load(t) {
		switch strings.TrimSuffix(path.Base(s.path), "_test.go") {
		case "util", "utils", "helper", "helpers", "common", "misc", "util.go", "utils.go", "helper.go", "helpers.go", "common.go", "misc.go":
			t.Errorf("%s: the name says nothing about what the file owns", s.path)
		}
	}
}

// Each file of the library says at its top what it owns: in the package's doc
// comment, or in a comment before the first declaration.
func TestFiles_SayWhatTheyOwn(t *testing.T) {
	for _, s := range library(load(t)) {
		if s.lines > selfExplaining && s.syntax.Doc == nil && !opensWithOwnership(s) {
			t.Errorf("%s: no comment before the first declaration says what the file owns, and who may touch it", s.path)
		}
	}
}

func opensWithOwnership(s source) bool {
	first := s.syntax.End()
	for _, d := range s.syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok.String() == "import" {
			continue
		}
		first = d.Pos()
		break
	}
	for _, c := range s.syntax.Comments {
		if c.Pos() < first && strings.Contains(c.Text(), "owns") {
			return true
		}
	}
	return false
}
