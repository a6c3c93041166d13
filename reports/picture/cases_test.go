package picture

import (
	"strings"
	"testing"

	"lockquake/reports/internal/sample"
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
