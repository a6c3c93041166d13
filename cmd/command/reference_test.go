package command

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/docgen"
)

var update = flag.Bool("update", false, "rewrite the reference")

// pages returns the pages of the documentation that are made from the program.
func pages(t *testing.T) []docgen.Page {
	t.Helper()
	pages, err := docgen.Pages(newProgram(nil).newRoot(io.Discard, io.Discard), pointDoc)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// There is also no page left from an earlier version.
func TestTheGoldenReferenceIsThatOfThisVersion(t *testing.T) {
	const docs = "../../docs"
	made := map[string]bool{}
	for _, page := range pages(t) {
		made[page.Path] = true
		path := filepath.Join(docs, page.Path)
		if *update {
			if err := os.WriteFile(path, []byte(page.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		there, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; make update writes it", err)
		} else if diff := cmp.Diff(string(there), page.Text); diff != "" {
			t.Errorf("docs/%s is not what the program says any more; make update writes it again (-file +program):\n%s", page.Path, diff)
		}
	}
	found, err := filepath.Glob(filepath.Join(docs, "reference", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range found {
		if !made["reference/"+filepath.Base(page)] {
			t.Errorf("%s is made by nothing", page)
		}
	}
}

func TestTheReferenceHasTheCommandsThatHelpShows(t *testing.T) {
	text := pages(t)[0].Text
	for _, cmd := range newProgram(nil).newRoot(io.Discard, io.Discard).Commands() {
		if has := strings.Contains(text, "\n### "+cmd.CommandPath()+"\n"); has == cmd.Hidden {
			t.Errorf("%s: in the reference: %v", cmd.CommandPath(), has)
		}
	}
}

func TestTheProgramDoesNotLinkDocgen(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../lockquake").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, pkg := range linked {
		if pkg == "lockquake/internal/docgen" {
			t.Error("the program links the package that makes the documentation")
		}
	}
	if len(linked) == 0 {
		t.Error("go list names no package")
	}
}
