package words

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No line is longer than 100 characters.
func TestACatalogueBreaksItsProse(t *testing.T) {
	long := strings.Repeat("word ", 19) + "end"
	var b strings.Builder
	if err := (Screen{}).Catalogue(&b, [][]string{{"a", "sound", long}, {"longer", "", "short"}, {"alone"}}); err != nil {
		t.Fatal(err)
	}
	want := "a       sound  " + strings.TrimSpace(strings.Repeat("word ", 17)) + "\n" +
		"               word word end\n" +
		"longer         short\n" +
		"alone\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of 50 columns 37 would be left for the prose, and it needs 40.
func TestProseBesideWideColumnsBeginsOnALineOfItsOwn(t *testing.T) {
	var b strings.Builder
	if err := (Screen{Width: 50}).Catalogue(&b, [][]string{{"eleven chrs", "one two three four five six seven eight nine ten"}}); err != nil {
		t.Fatal(err)
	}
	want := "eleven chrs\n    one two three four five six seven eight nine\n    ten\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrapKeepsAPercentSignWithItsNumber(t *testing.T) {
	want := []string{"in 69 % of", "runs, or", "7 %"}
	if diff := cmp.Diff(want, Wrap("in 69 % of runs, or 7 %", 10)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
