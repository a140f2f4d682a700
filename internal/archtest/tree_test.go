package archtest

// tree_test.go owns how the source is found and parsed. Each test loads it anew.

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the import path of the root package.
const module = "github.com/kafka-go-producer/producer"

// source is one parsed Go file of the repository.
type source struct {
	path   string // from the repository's root, with slashes
	dir    string // of path; "." for the root package
	nested bool   // belongs to a nested module
	test   bool
	lines  int
	fset   *token.FileSet
	syntax *ast.File
}

// at names a place in the file.
func (s source) at(n ast.Node) string {
	p := s.fset.Position(n.Pos())
	p.Filename = s.path
	return p.String()
}

// root is the repository's root as seen from this package's folder.
var root = filepath.Join("..", "..")

// load parses every Go file of the repository.
func load(t *testing.T) []source {
	t.Helper()
	modules := nestedModules(t)
	var all []source
	fset := token.NewFileSet()
	for name, text := range textFiles(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{
			path:   name,
			dir:    path.Dir(name),
			nested: slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(name, m+"/") }),
			test:   strings.HasSuffix(name, "_test.go"),
			lines:  bytes.Count(text, []byte{'\n'}),
			fset:   fset,
			syntax: syntax,
		})
	}
	slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.path, b.path) })
	if len(all) == 0 {
		t.Fatal("found no source: the rules below would pass for nothing")
	}
	return all
}

// library keeps the files a user's program is built from.
func library(all []source) []source {
	return slices.DeleteFunc(slices.Clone(all), func(s source) bool {
		return s.nested || s.test || testSupport(s.dir)
	})
}

// testSupport tells the packages of the root module that only tests import.
func testSupport(dir string) bool {
	return dir == "internal/fakebroker" || dir == "internal/archtest"
}

// unitTests keeps the root module's tests and what only they use.
func unitTests(all []source) []source {
	return slices.DeleteFunc(slices.Clone(all), func(s source) bool {
		return s.nested || !s.test && !testSupport(s.dir)
	})
}

// nestedModules lists the folders below the root that have a go.mod.
func nestedModules(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for name := range textFiles(t) {
		if path.Base(name) == "go.mod" && path.Dir(name) != "." {
			dirs = append(dirs, path.Dir(name))
		}
	}
	return dirs
}

// textFiles reads what belongs to the repository, but for binary files and what
// .gitignore names.
func textFiles(t *testing.T) map[string][]byte {
	t.Helper()
	ignored := ignoredNames(t)
	files := make(map[string][]byte)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || ignored(rel) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || ignored(rel) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.Contains(text, []byte{0}) {
			files[rel] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ignoredNames understands the two kinds of lines this repository's .gitignore
// has: a rooted path, and a pattern for base names.
func ignoredNames(t *testing.T) func(rel string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	patterns := strings.Fields(string(text))
	return func(rel string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			p = strings.TrimSuffix(p, "/")
			name := path.Base(rel)
			if rooted, ok := strings.CutPrefix(p, "/"); ok {
				p, name = rooted, rel
			}
			match, err := path.Match(p, name)
			return err == nil && match
		})
	}
}

// exceptions are places where a rule does not hold, each with the reason. One
// that no longer applies is itself a finding.
type exceptions map[string]string

// check reports every finding that is not excepted, and every exception that
// excepts nothing. A finding's key is what the exceptions name.
func (x exceptions) check(t *testing.T, findings []finding) {
	t.Helper()
	stale := maps.Clone(x)
	for _, f := range findings {
		if _, ok := x[f.key]; ok {
			delete(stale, f.key)
			continue
		}
		t.Errorf("%s: %s", f.at, f.what)
	}
	for key := range stale {
		t.Errorf("exception %q is not needed any more: remove it", key)
	}
}

// finding is one place that breaks a rule.
type finding struct {
	key  string // what an exception would name
	at   string
	what string
}
