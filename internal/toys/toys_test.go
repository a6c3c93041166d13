package toys

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnExtensionNeedsOnlyItsFilesAndOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program once for each toy")
	}
	for _, toy := range []struct {
		name string
		// args are the arguments of the program, which runs in the toy's folder.
		args []string
		// prints is a part of the output.
		prints string
	}{
		{"check", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "brief"},
		{"preset", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "redis-careless"},
		{"workload", []string{"run", "toy.yaml", "--no-report", "--quiet"}, "redis"},
		{
			"fault",
			[]string{"explore", "toy.yaml", "--placement", "when worker-1 lease-checked 1 jolt worker-1 by 1s for 15s"},
			"is moved to a host that is 1s ahead, for 15s right",
		},
	} {
		t.Run(toy.name, func(t *testing.T) {
			over := lay(t, toy.name)
			over.run(t, over.root, "go", append([]string{"test", "-overlay", over.path, "-run", "Toy"}, over.packages...)...)
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
	packages     []string // the packages with tests of the toy
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

// insert writes a copy of the file of the tree that gets the new line, and returns the paths
// of both.
func (o *overlay) insert(t *testing.T) (file, changed string) {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(o.folder, "line.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(spec), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("line.txt has %d lines, not three: the file, the line before, the line", len(lines))
	}
	file = filepath.Join(o.root, lines[0])
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := lines[1] + "\n"
	if n := strings.Count(string(text), before); n != 1 {
		t.Fatalf("%s has the line %q %d times, not once", lines[0], lines[1], n)
	}
	changed = filepath.Join(filepath.Dir(o.path), "changed.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), before, before+lines[2]+"\n", 1)), 0o600); err != nil {
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
