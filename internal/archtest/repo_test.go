package archtest

// repo_test.go owns the rules about the repository as a whole: the map of the
// house matches the house, and nothing in it belongs to one machine.

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ARCHITECTURE.md has tables whose first column names, in backquotes, the files
// of the root package and the folders of the other packages. Every one that
// exists must be named, and every named file must exist.
func TestRepo_ArchitectureNamesEveryRoom(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := firstColumn(string(text))
	there := make(map[string]bool)
	for _, s := range load(t) {
		switch {
		case s.nested || s.test:
		case s.dir == ".":
			there[s.path] = true
		default:
			there[s.dir] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !named[name] {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if strings.HasSuffix(name, ".go") && !there[name] {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", name)
		}
	}
}

// firstColumn lists what stands in backquotes in the first column of any table.
func firstColumn(markdown string) map[string]bool {
	named := make(map[string]bool)
	quoted := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(markdown) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			for name := range strings.FieldsSeq(m[1]) {
				named[strings.TrimSuffix(name, "/")] = true
			}
		}
	}
	return named
}

// foreign matches paths of one machine and hosts of package registries. It is
// written so that it does not match itself.
var foreign = regexp.MustCompile(strings.Join([]string{
	`/w[o]rk/`, `/r[o]ot/`, `/h[o]me/[a-z]`, `/tmp/[a-z]+[_-]j[o]bs`,
	`pr[o]xy\.golang\.org`, `sum\.g[o]lang\.org`, `rep[o](1)?\.maven\.`, `registry\.np[m]js`,
}, "|"))

func TestRepo_NothingBelongsToOneMachine(t *testing.T) {
	files := textFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for i, line := range strings.Split(string(files[name]), "\n") {
			if found := foreign.FindString(line); found != "" {
				t.Errorf("%s:%d: %q belongs to one machine or one registry", name, i+1, found)
			}
		}
	}
}
