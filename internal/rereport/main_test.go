package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAReportNeedsOnlyResults(t *testing.T) {
	const golden = "../../reports/testdata/results.json"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "report")
	if err := rereport([]string{golden, dir}); err != nil {
		t.Fatal(err)
	}
	// The report has no stories, because the file does not have the failing runs.
	if got, err := os.ReadFile(filepath.Join(dir, "results.json")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the results differ from those that were read, %v:\n%s", err, got)
	}
}

func TestAProgramThatWritesReportsLinksNoEngine(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) == 0 {
		t.Fatal("go list names no package")
	}
	for _, pkg := range linked {
		for _, engine := range []string{
			"github.com/alicebob/miniredis", "github.com/yuin/gopher-lua", "github.com/redis/go-redis",
			"lockquake/sim", "lockquake/lock", "lockquake/internal/strictyaml",
		} {
			if strings.HasPrefix(pkg, engine) {
				t.Errorf("a program that only reads results and writes a report links %s", pkg)
			}
		}
		if pkg == "lockquake/scenarios" {
			t.Error("a program that only reads results and writes a report links lockquake/scenarios")
		}
	}
}
