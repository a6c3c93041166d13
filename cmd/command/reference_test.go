package command

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the reference anew")

// The reference under docs says what this version knows, and no page of it is
// left over from an earlier one.
func TestGoldenReference(t *testing.T) {
	const docs = "../../docs"
	texts, err := referenceTexts(newProgram(nil).newRoot(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if code := newProgram(nil).execute(t.Context(), []string{"reference", docs}, io.Discard, os.Stderr); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
	}
	made := map[string]bool{}
	for _, text := range texts {
		made[text.path] = true
		there, err := os.ReadFile(filepath.Join(docs, text.path))
		if err != nil {
			t.Errorf("%v; make update writes it", err)
		} else if diff := cmp.Diff(string(there), text.text); diff != "" {
			t.Errorf("docs/%s is not what the program says any more; make update writes it anew (-file +program):\n%s", text.path, diff)
		}
	}
	pages, err := filepath.Glob(filepath.Join(docs, "reference", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !made["reference/"+filepath.Base(page)] {
			t.Errorf("%s is made by nothing", page)
		}
	}
}
