package packaging_test

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goreleaser.yaml and snapshot.sh build the same programs.
func TestTheReleaseAndTheSnapshotHaveTheSameTargets(t *testing.T) {
	text, err := os.ReadFile("goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var release struct {
		Builds []struct {
			ID      string   `yaml:"id"`
			Dir     string   `yaml:"dir"`
			Binary  string   `yaml:"binary"`
			Main    string   `yaml:"main"`
			Env     []string `yaml:"env"`
			Flags   []string `yaml:"flags"`
			Ldflags []string `yaml:"ldflags"`
			Goos    []string `yaml:"goos"`
			Goarch  []string `yaml:"goarch"`
		} `yaml:"builds"`
		Archives []struct {
			IDs   []string `yaml:"ids"`
			Name  string   `yaml:"name_template"`
			Files []string `yaml:"files"`
		} `yaml:"archives"`
	}
	parse(t, text, &release)
	script, err := os.ReadFile("snapshot.sh")
	if err != nil {
		t.Fatal(err)
	}
	loop := func(name string) []string {
		return strings.Fields(string(regexp.MustCompile(`for ` + name + ` in (.*); do`).FindSubmatch(script)[1]))
	}
	if built := strings.Count(string(script), "\n\t\tbuild "); built != 2 || len(release.Builds) != built || len(release.Archives) != built {
		t.Fatalf("snapshot.sh builds %d programs, and goreleaser.yaml %d for %d archives", built, len(release.Builds), len(release.Archives))
	}
	for i, b := range release.Builds {
		if !slices.Equal(b.Goos, loop("os")) || !slices.Equal(b.Goarch, loop("arch")) {
			t.Errorf("%s: goreleaser.yaml builds for %v and %v, snapshot.sh for %v and %v", b.ID, b.Goos, b.Goarch, loop("os"), loop("arch"))
		}
		call := fmt.Sprintf("\tbuild %s %s %s\n", cmp.Or(b.Dir, "."), b.Main, b.Binary)
		for _, want := range slices.Concat(b.Env, b.Flags, b.Ldflags, []string{call}) {
			if !strings.Contains(string(script), want) {
				t.Errorf("%s: snapshot.sh builds without %q", b.ID, want)
			}
		}
		if _, err := os.Stat(filepath.Join("..", b.Dir, b.Main, "main.go")); err != nil {
			t.Errorf("%s: %v", b.ID, err)
		}
		// Each program has an archive of its own, and the archives have different names.
		a := release.Archives[i]
		if !slices.Equal(a.IDs, []string{b.ID}) || !strings.HasPrefix(a.Name, b.Binary+"_{{") {
			t.Errorf("the archive %q has %v, and not %s", a.Name, a.IDs, b.ID)
		}
		for _, file := range a.Files {
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("the archive %q has no %s", a.Name, file)
			}
		}
	}
	// Go records that a source has changes if a file in it is neither committed nor ignored.
	if ignored, err := os.ReadFile("../.gitignore"); err != nil || !strings.Contains(string(ignored), "/dist/\n") {
		t.Errorf("git does not ignore the folder of a release: %v", err)
	}
}

// The image of the Dockerfile has the program alone. An empty folder as root stands for it.
func TestTheProgramRunsAloneInAnEmptyRootWithoutRights(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	build := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*) -o /lockquake (.*)$`).FindSubmatch(text)
	user := regexp.MustCompile(`(?m)^USER (\d+:\d+)$`).FindSubmatch(text)
	if build == nil || user == nil || !strings.Contains(string(text), "\nFROM scratch\n") {
		t.Fatal("the Dockerfile makes no image with a static program and an account without rights")
	}
	root := t.TempDir()
	program := filepath.Join(root, "lockquake")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", string(build[1])+" -o "+program+" "+string(build[2]))
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	binary, err := elf.Open(program)
	if err != nil {
		t.Skipf("the program is no ELF file, and cannot run alone: %v", err)
	}
	libraries, err := binary.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("the program needs the libraries %v: %v", libraries, err)
	}
	if err := binary.Close(); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program in another root")
	}
	reports := filepath.Join(root, "reports")
	if err := os.Mkdir(reports, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(root, 0o755), os.Chmod(reports, 0o777)); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "chroot", "--userspec="+string(user[1]), root, "/lockquake", "run", "kleppmann", "--seeds", "1-20", "--out", "/reports/kleppmann")
	run.Env = nil
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(reports, "kleppmann", "report.html")); err != nil {
		t.Error(err)
	}
}
