package archtest

// surface_test.go owns the rules about what users see: few names, each
// explained.

import (
	"go/ast"
	"go/token"
	"testing"
)

// maxExported is how many names the root package may export.
const maxExported = 60

func TestSurface_RootStaysSmall(t *testing.T) {
	names := 0
	for _, s := range library(load(t)) {
		if s.dir == "." {
			names += len(exported(s))
		}
	}
	t.Logf("the root package exports %d names", names)
	if names > maxExported {
		t.Errorf("the root package exports %d names, %d are allowed", names, maxExported)
	}
}

func TestSurface_EveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range library(load(t)) {
		for _, x := range exported(s) {
			if !x.documented {
				t.Errorf("%s: exported %s has no doc comment", s.at(x.node), x.name)
			}
		}
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && isExportedMethod(f) && f.Doc == nil {
				t.Errorf("%s: exported method %s has no doc comment", s.at(f), f.Name.Name)
			}
		}
	}
}

// declared is one exported package-level name.
type declared struct {
	name       string
	node       ast.Node
	documented bool
}

// exported lists the package-level names of a file that users see. A comment on
// a whole group documents its members.
func exported(s source) []declared {
	var names []declared
	add := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if !id.IsExported() {
			return
		}
		documented := false
		for _, doc := range docs {
			documented = documented || doc != nil
		}
		names = append(names, declared{id.Name, id, documented})
	}
	for _, d := range s.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, spec.Doc, d.Doc)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						add(id, spec.Doc, spec.Comment, d.Doc)
					}
				}
			}
		}
	}
	return names
}

// isExportedMethod tells methods that users can call by name: both the method
// and its receiver's type are exported.
func isExportedMethod(f *ast.FuncDecl) bool {
	if f.Recv == nil || !f.Name.IsExported() {
		return false
	}
	recv := f.Recv.List[0].Type
	for {
		switch r := recv.(type) {
		case *ast.StarExpr:
			recv = r.X
		case *ast.IndexExpr:
			recv = r.X
		case *ast.IndexListExpr:
			recv = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return false
		}
	}
}
