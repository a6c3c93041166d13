package picture

import (
	"html"
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/reports/tables"
)

// Each use that a fault hit has a cell.
func TestCasesAreDrawnAsAMap(t *testing.T) {
	c := sample.CaseCampaign()
	svg, _, err := Rates(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{">first<", ">stall<", ">30<", ">C<", ">100<"} {
		if !strings.Contains(string(svg), words) {
			t.Errorf("%q is missing in the picture", words)
		}
	}
}

// A class of a single narrow column has its letter above the column and its name in the note.
func TestEachClassIsSpeltOut(t *testing.T) {
	c := sample.CaseCampaign()
	svg, _, err := Rates(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range tables.CaseClasses(c) {
		if class.Name == "" {
			t.Errorf("class %q has no name", class.Letter)
		}
		if !strings.Contains(string(svg), html.EscapeString(class.Name)) {
			t.Errorf("the picture does not spell out %s: %q", class.Letter, class.Name)
		}
	}
}
