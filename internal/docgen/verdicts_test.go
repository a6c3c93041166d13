package docgen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
)

func TestThePageOfTheChecksHasASectionAboutEachCheckAndNoOther(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "verdicts.md"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			sections = append(sections, strings.TrimSpace(name))
		}
	}
	slices.Sort(sections)
	if want := slices.Sorted(slices.Values(checker.Names())); !slices.Equal(sections, want) {
		t.Errorf("the page has sections about the checks %q, want %q", sections, want)
	}
}
