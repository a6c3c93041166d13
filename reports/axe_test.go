package reports

import (
	"fmt"
	"path/filepath"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"lockquake/internal/servers"
	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// casesWithCards returns a campaign with cases. One strategy has two failing runs.
func casesWithCards() *results.Campaign {
	c := sample.CaseCampaign()
	for i := range 2 {
		c.Strategies[i].Failures = []results.Failure{{Check: "lost-update", Seed: uint64(i + 1), Trial: sample.Kleppmann(0)}}
	}
	return c
}

// checkPage runs axe with the rule that its defaults leave out, and returns the violations.
const checkPage = `axe.run(document, {resultTypes: ["violations"], rules: {"label-content-name-mismatch": {enabled: true}}}).then((r) =>
	r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(" and ")).join("\n"))`

// axe-core finds no violation in any page: in light, in dark and on paper, at each width, with
// everything unfolded.
func TestThePagesAreAccessible(t *testing.T) {
	axe := servers.Axe(t)
	b := startBrowser(t)
	if _, err := chromedp.Call(b, cdppage.SetBypassCSP, cdppage.SetBypassCSPParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	campaign, scenario := sample.GCPause()
	pages := []struct {
		name, file string
		write      func(dir string) error
	}{
		{"campaign", "report.html", func(dir string) error { return WriteDir(dir, campaign, scenario, nil) }},
		{"cases", "report.html", func(dir string) error { return WriteDir(dir, casesWithCards(), scenario, nil) }},
		{"matrix", "matrix.html", func(dir string) error { return WriteMatrix(dir, sample.Matrix()) }},
	}
	for _, p := range pages {
		dir := filepath.Join(t.TempDir(), p.name)
		if err := p.write(dir); err != nil {
			t.Fatal(err)
		}
		b.visit(filepath.Join(dir, p.file))
		ask[any](b, axe+`; document.querySelectorAll("details").forEach((e) => { e.open = true; })`)
		for _, on := range []struct {
			medium, theme string
			widths        []int64
		}{{"", "light", widths()}, {"", "dark", widths()}, {"print", "light", []int64{paper}}} {
			b.media(on.medium, on.theme)
			for _, width := range on.widths {
				b.do(chromedp.EmulateViewport(width, 900))
				where := fmt.Sprintf("%s, %s%s, %d pixels", p.name, on.theme, on.medium, width)
				if found := get(b, chromedp.Evaluate[string](checkPage, chromedp.EvalAwaitPromise)); found != "" {
					t.Errorf("%s: %s", where, found)
				}
				if over := ask[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 && on.medium == "" {
					t.Errorf("%s: the page is %d too wide", where, over)
				}
			}
		}
	}
	b.clean()
}

// A picture keeps its layout in any font: each text has the width that it was laid out with.
func TestAPictureKeepsItsLayoutInAnyFont(t *testing.T) {
	b := startBrowser(t)
	dir := filepath.Join(t.TempDir(), "matrix")
	if err := WriteMatrix(dir, sample.Matrix()); err != nil {
		t.Fatal(err)
	}
	b.visit(filepath.Join(dir, "matrix.svg"))
	for _, font := range []string{"monospace", "serif"} {
		wrong := ask[string](b, fmt.Sprintf(`(() => { document.documentElement.setAttribute("font-family", %q);
			return [...document.querySelectorAll("text[textLength]")].filter((e) => Math.abs(e.getComputedTextLength() - e.getAttribute("textLength")) > 0.5)
				.map((e) => e.textContent).join("; ") || (document.querySelector("text[textLength]") ? "" : "no text has a width"); })()`, font))
		if wrong != "" {
			t.Errorf("%s: %s", font, wrong)
		}
	}
	b.clean()
}
