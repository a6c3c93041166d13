package toys

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAnExtensionNeedsOnlyItsFilesAndOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program once for each toy")
	}
	stat(t, "../..")
	for _, toy := range []struct {
		name string
		// row is its row in the table of CONTRIBUTING.md.
		row string
		// args are the arguments of the program, which runs in the toy's folder.
		args []string
		// prints is a part of the output.
		prints string
	}{
		{"check", "a check", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "brief"},
		{"family", "a family of lock servers", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "toy-cas"},
		{"preset", "a strategy on Redis", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "redis-careless"},
		{"workload", "a workload", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "redis"},
		{
			"fault",
			"a fault",
			[]string{"explore", "toy.yaml", "--placement", "when worker-1 lease-checked 1 jolt worker-1 by 1s for 15s"},
			"is moved to a host that is 1s ahead, for 15s",
		},
	} {
		t.Run(toy.name, func(t *testing.T) {
			over := lay(t, toy.name)
			over.matches(t, toy.row)
			over.run(t, over.root, "go", append([]string{"test", "-vet=off", "-overlay", over.path, "-run", "Toy"}, over.packages...)...)
			program := filepath.Join(t.TempDir(), "lockquake")
			over.run(t, over.root, "go", "build", "-overlay", over.path, "-o", program, "./cmd/lockquake")
			if printed := over.run(t, over.folder, program, toy.args...); !strings.Contains(printed, toy.prints) {
				t.Errorf("it does not print %q, but\n%s", toy.prints, printed)
			}
		})
	}
}

// overlay adds a toy to the tree without changing the tree.
type overlay struct {
	root, folder string   // the folders of the tree and of the toy
	path         string   // the file for go build -overlay
	files        []string // the toy's own files, without tests, by their paths in the tree
	packages     []string // the packages with tests of the toy
	line         string   // the file of the tree that gets the line, by its path there
}

// matches compares what the toy needs with a row of the table in CONTRIBUTING.md.
func (o *overlay) matches(t *testing.T, row string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n| "+row+" | ")
	line, _, _ := strings.Cut(rest, "\n")
	own, place, _ := strings.Cut(line, " | ")
	if !found || !strings.HasPrefix(place, "`"+o.line+"`") {
		t.Errorf("the row of %s says %q, and the line is in %s", row, line, o.line)
	}
	patterns := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(own, -1)
	for _, file := range o.files {
		if !slices.ContainsFunc(patterns, func(p []string) bool {
			name := strings.ReplaceAll(p[1], "NAME", "*")
			whole, err := path.Match(name, file)
			folder, err2 := path.Match(name, path.Dir(file))
			return err == nil && whole || err2 == nil && folder
		}) {
			t.Errorf("the row of %s does not have %s", row, file)
		}
	}
}

// stat looks at every Go file of the tree, so that go test does not repeat an old result
// when one of them has changed.
func stat(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lay makes the overlay of a toy: its own Go files, and one line in a file of the tree.
func lay(t *testing.T, name string) *overlay {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := &overlay{root: root, folder: filepath.Join(root, "internal", "toys", "testdata", name), path: filepath.Join(t.TempDir(), "overlay.json")}
	replace := map[string]string{}
	err = filepath.WalkDir(o.folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		place, err := filepath.Rel(o.folder, path)
		if err != nil {
			return err
		}
		replace[filepath.Join(root, place)] = path
		if strings.HasSuffix(path, "_test.go") {
			o.packages = append(o.packages, "./"+filepath.Dir(place))
		} else {
			o.files = append(o.files, filepath.ToSlash(place))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.packages) == 0 {
		t.Fatalf("the toy %s has no test", name)
	}
	file, changed := o.insert(t)
	replace[file] = changed
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

// insert makes the changed copy of the one file of the tree that gets a line, and
// returns the paths of both. A line that names a package needs its import too.
func (o *overlay) insert(t *testing.T) (file, changed string) {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(o.folder, "line.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(spec), "\n"), "\n")
	o.line = lines[0]
	name, pairs := lines[0], slices.Collect(slices.Chunk(lines[1:], 2))
	imports := slices.DeleteFunc(slices.Clone(pairs), func(pair []string) bool { return !strings.HasPrefix(pair[len(pair)-1], "\t\"lockquake/") })
	if len(lines)%2 == 0 || len(pairs)-len(imports) != 1 || len(imports) > 1 {
		t.Fatalf("line.txt has %d lines, not the file, the line before, the line, and perhaps the same of an import", len(lines))
	}
	file = filepath.Join(o.root, name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, pair := range pairs {
		before, line := pair[0]+"\n", pair[1]+"\n"
		if n := strings.Count(text, before); n != 1 {
			t.Fatalf("%s has the line %q %d times, not once", name, pair[0], n)
		}
		text = strings.Replace(text, before, before+line, 1)
	}
	changed = filepath.Join(filepath.Dir(o.path), "changed.go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, changed
}

// run runs a program in a folder and returns its output. It ends the test if the exit code
// is not 0.
func (o *overlay) run(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = folder
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, printed)
	}
	return string(printed)
}
