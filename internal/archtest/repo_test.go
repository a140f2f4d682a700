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

// ARCHITECTURE.md has tables whose first column names files of the root package
// and package folders: `sender.go`, `network/`. Every one must exist, and every
// one that exists must be named.
func TestRepo_ArchitectureNamesEveryRoom(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if os.IsNotExist(err) {
		t.Skip("there is no ARCHITECTURE.md yet")
	}
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	quoted := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			for name := range strings.FieldsSeq(m[1]) {
				if strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "/") {
					named[name] = true
				}
			}
		}
	}
	there := make(map[string]bool)
	for _, s := range load(t) {
		switch {
		case s.nested || s.test && s.dir != ".":
		case s.dir != ".":
			there[s.dir+"/"] = true
		case !s.test:
			there[s.path] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !named[name] {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !there[name] && !isDir(name) {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", name)
		}
	}
}

// isDir tells folders that are named although they hold no package of the root
// module: nested modules, and groups of packages.
func isDir(name string) bool {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
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
