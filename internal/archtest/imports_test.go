package archtest

// imports_test.go owns the direction of imports: only down, and nothing from
// outside but what a room is for.

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room says what one package of the library may import.
type room struct {
	below   []string // packages of this module; a trailing /... covers all below
	outside []string // modules of others
}

// rooms lists every package of the library. A new package must be put here,
// with a thought about what it may know.
var rooms = map[string]room{
	".":            {below: []string{"network", "network/sasl", "record", "errcode", "internal/..."}},
	"network":      {below: []string{"network/sasl", "errcode", "internal/..."}},
	"network/sasl": {outside: []string{"github.com/xdg-go/scram"}},
	"record": {
		below: []string{"record/...", "internal/invariants"},
		outside: []string{
			"github.com/klauspost/compress", "github.com/pierrec/lz4/v4", "github.com/golang/snappy",
		},
	},
	"errcode":             {},
	"internal/backoff":    {},
	"internal/invariants": {},
	"internal/murmur2":    {},
	"internal/protocol":   {below: []string{"errcode"}},
	"partitioners":        {below: []string{"."}},
}

// above lists the packages that users see beside the root, and that implement its interfaces.
var above = []string{".", "partitioners"}

func TestImports_PointOnlyDown(t *testing.T) {
	for _, s := range library(load(t)) {
		r, ok := rooms[s.dir]
		if !ok {
			t.Errorf("%s: package %s has no entry in the table of rooms", s.path, s.dir)
			continue
		}
		for _, imp := range s.syntax.Imports {
			target, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !r.allows(target) {
				t.Errorf("%s: package %s must not import %s", s.at(imp), s.dir, target)
			}
		}
	}
}

func TestImports_NothingBelowKnowsTheRoot(t *testing.T) {
	for _, s := range load(t) {
		if s.nested || slices.Contains(above, s.dir) {
			continue
		}
		for _, imp := range s.syntax.Imports {
			if imp.Path.Value == strconv.Quote(module) {
				t.Errorf("%s: only nested modules and the root's own tests import the root package", s.at(imp))
			}
		}
	}
}

func TestImports_PublishedModulesUsePublicPackages(t *testing.T) {
	for _, s := range load(t) {
		if !s.nested || strings.HasPrefix(s.path, "integration/") || strings.HasPrefix(s.path, "benchmarks/") {
			continue
		}
		for _, imp := range s.syntax.Imports {
			if strings.HasPrefix(imp.Path.Value, `"`+module+"/internal/") {
				t.Errorf("%s: a published module imports public packages only, as its users must", s.at(imp))
			}
		}
	}
}

// allows tells whether a room may import a package. The standard library is
// open to all: its paths have no dot in the first element.
func (r room) allows(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	if !strings.Contains(first, ".") {
		return true
	}
	if target == module {
		return slices.Contains(r.below, ".")
	}
	if own, ok := strings.CutPrefix(target, module+"/"); ok {
		return slices.ContainsFunc(r.below, func(pattern string) bool {
			if all, ok := strings.CutSuffix(pattern, "/..."); ok {
				return strings.HasPrefix(own, all+"/") && !testSupport(own)
			}
			return own == pattern
		})
	}
	return slices.ContainsFunc(r.outside, func(m string) bool {
		return target == m || strings.HasPrefix(target, m+"/")
	})
}
