package toys

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// All toys are in one build, because a build of each one would take minutes.
func TestAnExtensionNeedsOnlyItsFilesAndOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program, and the tests of many packages")
	}
	toys := []toy{
		{name: "check", row: "a check", args: []string{"run", "toy.yaml", "--no-report", "--quiet"}, prints: "brief"},
		{name: "family", row: "a family of lock servers", args: []string{"run", "toy.yaml", "--no-report", "--quiet"}, prints: "toy-cas"},
		{name: "preset", row: "a strategy on Redis", args: []string{"run", "toy.yaml", "--no-report", "--quiet"}, prints: "redis-careless"},
		{name: "workload", row: "a workload", args: []string{"run", "toy.yaml", "--no-report", "--quiet"}, prints: "redis"},
		{
			name: "fault", row: "a fault",
			args:   []string{"explore", "toy.yaml", "--placement", "when worker-1 lease-checked 1 jolt worker-1 by 1s for 15s"},
			prints: "is moved to a host that is 1s ahead, for 15s",
		},
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	stat(t, root)
	over := overlay{path: filepath.Join(t.TempDir(), "overlay.json"), replace: map[string]string{}}
	for i := range toys {
		over.add(t, root, &toys[i])
	}
	over.write(t)
	execute(t, root, "go", append([]string{"test", "-vet=off", "-overlay", over.path, "-run", "Toy"}, over.packages...)...)
	program := filepath.Join(t.TempDir(), "lockquake")
	execute(t, root, "go", "build", "-overlay", over.path, "-o", program, "./cmd/lockquake")
	for _, toy := range toys {
		t.Run(toy.name, func(t *testing.T) {
			toy.matches(t, root)
			if printed := execute(t, toy.folder(root), program, toy.args...); !strings.Contains(printed, toy.prints) {
				t.Errorf("it does not print %q, but\n%s", toy.prints, printed)
			}
		})
	}
}

// toy is an extension in testdata.
type toy struct {
	name   string
	row    string   // in the table of CONTRIBUTING.md
	args   []string // of the program, which runs in the toy's folder
	prints string   // a part of the output

	files []string // its own files, without tests, by their paths in the tree
	line  string   // the file of the tree that gets the line, by its path there
}

func (o *toy) folder(root string) string {
	return filepath.Join(root, "internal", "toys", "testdata", o.name)
}

// overlay adds toys to the tree without changing the tree.
type overlay struct {
	path     string            // the file for go build -overlay
	replace  map[string]string // the files of the tree, and what is read instead
	packages []string          // the packages with tests of the toys
}

// matches compares what the toy needs with its row of the table in CONTRIBUTING.md.
func (o *toy) matches(t *testing.T, root string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n| "+o.row+" | ")
	line, _, _ := strings.Cut(rest, "\n")
	own, place, _ := strings.Cut(line, " | ")
	if !found || !strings.HasPrefix(place, "`"+o.line+"`") {
		t.Errorf("the row of %s says %q, and the line is in %s", o.row, line, o.line)
	}
	patterns := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(own, -1)
	for _, file := range o.files {
		if !slices.ContainsFunc(patterns, func(p []string) bool {
			name := strings.ReplaceAll(p[1], "NAME", "*")
			whole, err := path.Match(name, file)
			folder, err2 := path.Match(name, path.Dir(file))
			return err == nil && whole || err2 == nil && folder
		}) {
			t.Errorf("the row of %s does not have %s", o.row, file)
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

// add adds a toy: its own Go files, and one line in a file of the tree.
func (o *overlay) add(t *testing.T, root string, added *toy) {
	t.Helper()
	tested := map[string]bool{}
	err := filepath.WalkDir(added.folder(root), func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		place, err := filepath.Rel(added.folder(root), path)
		if err != nil {
			return err
		}
		o.replace[filepath.Join(root, place)] = path
		if strings.HasSuffix(path, "_test.go") {
			tested["./"+filepath.Dir(place)] = true
		} else {
			added.files = append(added.files, filepath.ToSlash(place))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tested) == 0 {
		t.Fatalf("the toy %s has no test", added.name)
	}
	o.packages = append(o.packages, slices.Sorted(maps.Keys(tested))...)
	o.insert(t, root, added)
}

// write writes the file for go build.
func (o *overlay) write(t *testing.T) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Replace": o.replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// insert makes a changed copy of the one file of the tree that gets a line of the toy. A line that names a package needs
// its import too.
func (o *overlay) insert(t *testing.T, root string, added *toy) {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(added.folder(root), "line.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(spec), "\n"), "\n")
	added.line = lines[0]
	name, pairs := lines[0], slices.Collect(slices.Chunk(lines[1:], 2))
	imports := slices.DeleteFunc(slices.Clone(pairs), func(pair []string) bool { return !strings.HasPrefix(pair[len(pair)-1], "\t\"lockquake/") })
	if len(lines)%2 == 0 || len(pairs)-len(imports) != 1 || len(imports) > 1 {
		t.Fatalf("line.txt has %d lines, not the file, the line before, the line, and perhaps the same of an import", len(lines))
	}
	file := filepath.Join(root, name)
	if o.replace[file] != "" {
		t.Fatalf("two toys change %s", name)
	}
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
	changed := filepath.Join(filepath.Dir(o.path), added.name+".go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.replace[file] = changed
}

// execute runs a program in a folder and returns its output. It ends the test if the exit code
// is not 0.
func execute(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = folder
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, printed)
	}
	return string(printed)
}
