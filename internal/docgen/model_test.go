package docgen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
)

func TestTheModelDefinesOneViolationOfEachCheckAndHasASectionAboutIt(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "model.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, table, _ := strings.Cut(page, "| check | one violation is | rate |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var names []string
	for line := range strings.Lines(table + "\n") {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		name, rate := cells[0], cells[len(cells)-1]
		names = append(names, name)
		c, _ := checker.Lookup(name)
		want := "yes"
		if c.NoRate != "" {
			want = "no"
		}
		if rate != want {
			t.Errorf("the table says %q about the rate of %s, want %q", rate, name, want)
		}
		if !strings.Contains(page, "\n### "+name+"\n") {
			t.Errorf("no section about %s", name)
		}
	}
	if !slices.Equal(names, checker.Names()) {
		t.Errorf("the table has the checks %q, want %q", names, checker.Names())
	}
}
