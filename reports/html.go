package reports

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

//go:embed page
var pageFiles embed.FS

// page is the data of the template of report.html. Its text can come from a scenario, so
// the template escapes it. Only fields of a template type are trusted: we make them.
type page struct {
	Policy   string // content security policy
	Style    template.CSS
	Script   template.JS
	Campaign *results.Campaign
	Seeds    string
	Counts   string            // of strategies and cases
	Says     []tables.Sentence // what happened, the worst first
	Expected []tables.Sentence // whether that is as expected
	All      []tables.Sentence // all of both, if some are left out there
	Setup    []results.Setting // settings that the rates depend on
	Assumed  []string          // assumptions that the rates depend on
	Axis     string            // the right end of the bars
	Cases    *tables.Grid      // which faults each strategy survives, of a campaign with cases
	Groups   []rowGroup
	Rates    template.URL // the plot
	Cards    []cardGroup
	Others   tables.Grid // failures with only a replay command
	Remarks  []string    // that compare the strategies
	Grids    []tables.Grid
	Reading  []string // paragraphs
}

// htmlReport writes report.html: one file that loads nothing else.
func htmlReport(c *results.Campaign, failures []shownFailure, ratesSVG []byte) ([]byte, error) {
	style, err := pageFiles.ReadFile("page/report.css")
	if err != nil {
		return nil, err
	}
	script, err := pageFiles.ReadFile("page/report.js")
	if err != nil {
		return nil, err
	}
	t, err := template.New("report.html.tmpl").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(pageFiles, "page/report.html.tmpl", "page/card.html.tmpl", "page/grid.html.tmpl")
	if err != nil {
		return nil, err
	}
	p := page{
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'",
			sourceHash(style), sourceHash(script)),
		Style: template.CSS(style), Script: template.JS(script),
		Campaign: c, Seeds: tables.Seeds(c),
		Rates: template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(ratesSVG)),
		Setup: c.Setup, Assumed: tables.Assumed(c), Remarks: tables.Remarks(c), Grids: tables.Grids(c),
		Others: otherGrid(c), Reading: strings.Split(reading(c), "\n\n"),
	}
	says, expected := tables.Verdict(c), tables.Expectations(c)
	var moreSaid, moreExpected int
	p.Says, moreSaid = tables.Shortened(says)
	p.Expected, moreExpected = tables.Shortened(expected)
	if moreSaid+moreExpected > 0 {
		p.All = slices.Concat(says, expected)
	}
	var anchors map[string]string
	p.Cards, anchors = cardGroups(failures)
	p.Axis, p.Groups = rowGroups(c, anchors)
	p.Counts = words.Count(len(tables.BaseLabels(c)), "strategy")
	if tables.HasCases(c) {
		g := tables.CaseGrid(c)
		p.Cases = &g
		p.Counts = fmt.Sprintf("%s, each under up to %s", p.Counts, words.Count(len(c.Strategies)/len(tables.BaseLabels(c)), "case"))
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sourceHash names an inline block in a content security policy.
func sourceHash(block []byte) string {
	sum := sha256.Sum256(block)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
