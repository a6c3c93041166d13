package reports

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"lockquake/checker"
	"lockquake/reports/picture"
	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/reports/timeline"
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
	Counts   string // of strategies and cases
	Verdict  string
	Axis     string       // the right end of the bars
	Cases    *tables.Grid // which faults each strategy survives, of a campaign with cases
	Rows     []pageRow
	Rates    template.URL // the plot
	Remarks  []string     // that compare the strategies
	Grids    []tables.Grid
	Failures []pageFailure
	Others   tables.Grid // failures with only a replay command
	Reading  []string    // paragraphs
	Assumed  []string    // assumptions that the rates depend on
}

// pageRow is a strategy in the table.
type pageRow struct {
	Label, Name, Fence string
	Violating, Runs    string
	Finished           string // share of the work
	Rate, Interval     string
	Bar                pageBar
	Checks             []pageCheck
	Expected           string // in words
	Status             tables.Outcome
	Violated           bool
	Replay             string
}

// pageBar is a rate with its interval, in hundredths of the axis.
type pageBar struct{ Rate, Low, High, Width float64 }

// pageCheck counts the violations of one check.
type pageCheck struct {
	Name      string
	Violating int
	Unknown   int
	Failure   string // the anchor of its first failure, "" for none
}

// pageFailure is a failure with its story and its timeline.
type pageFailure struct {
	ID, Label, Checks string
	Seed              uint64
	Finding           string
	Open              bool
	Story             story.Story
	Timeline          timeline.Timeline
	Replay            string
	Dir               string
	Drawn             bool
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
	t, err := template.New("report.html.tmpl").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).ParseFS(pageFiles, "page/report.html.tmpl", "page/grid.html.tmpl")
	if err != nil {
		return nil, err
	}
	p := page{
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'",
			sourceHash(style), sourceHash(script)),
		Style: template.CSS(style), Script: template.JS(script),
		Campaign: c, Seeds: tables.Seeds(c), Verdict: verdictSentence(c),
		Rates:   template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(ratesSVG)),
		Remarks: tables.Remarks(c), Grids: tables.Grids(c),
		Failures: pageFailures(failures), Others: otherGrid(c), Reading: strings.Split(reading(c), "\n\n"), Assumed: tables.Assumed(c),
	}
	p.Axis, p.Rows = pageRows(c, failures)
	p.Counts = words.Count(len(tables.BaseLabels(c)), "strategy")
	if tables.HasCases(c) {
		g := tables.CaseGrid(c)
		p.Cases = &g
		p.Counts = fmt.Sprintf("%s, each under up to %s", p.Counts, words.Count(len(p.Rows)/len(tables.BaseLabels(c)), "case"))
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

// verdictSentence returns the verdict with its reason. If it has several, it returns their
// number, and the page lists them below.
func verdictSentence(c *results.Campaign) string {
	switch len(c.Reasons) {
	case 0:
		return c.Summary()
	case 1:
		return verdictWord(c) + ": " + words.Plain(c.Reasons[0], 400)
	}
	return verdictWord(c) + ", for " + words.Count(len(c.Reasons), "reason")
}

func pageRows(c *results.Campaign, failures []shownFailure) (string, []pageRow) {
	end := 0.0
	for _, st := range c.Strategies {
		end = max(end, 100*tables.Highest(st))
	}
	end = picture.RoundAxis(end)
	anchors := map[string]string{} // by label and check
	for i, shown := range failures {
		for _, f := range shown.failures {
			anchors[shown.stats.Label+"\x00"+f.Check] = failureID(i)
		}
	}
	var rows []pageRow
	for _, st := range c.Strategies {
		row := pageRow{
			Label: words.Plain(st.Label, 60), Fence: words.Plain(st.Fence, 30), Violating: words.Thousands(st.Violating), Runs: words.Thousands(st.Runs), Finished: tables.Finished(st),
			Rate: words.Percent(st.Rate), Interval: tables.IntervalOf(st), Violated: st.Violating > 0,
			Expected: tables.OutcomeOf(st).Words(), Status: tables.OutcomeOf(st),
			Bar: pageBar{Rate: axisShare(st.Rate, end), Low: axisShare(st.Low, end), High: axisShare(tables.Highest(st), end)},
		}
		row.Bar.Width = axisShare(tables.Highest(st)-st.Low, end)
		if st.Name != st.Label {
			row.Name = words.Plain(st.Name, 60)
		}
		for _, check := range st.Order {
			stats := st.Checks[check]
			if !stats.Applies {
				continue
			}
			row.Checks = append(row.Checks, pageCheck{check, stats.Violating, stats.Unknown, anchors[st.Label+"\x00"+check]})
			if row.Replay == "" && st.Violating > 0 && !checker.Advisory(check) {
				row.Replay = stats.Replay
			}
		}
		for _, check := range st.Order {
			if row.Replay == "" && st.Violating > 0 {
				row.Replay = st.Checks[check].Replay // of an advisory check that the expectation names
			}
		}
		if row.Replay != "" {
			row.Replay = words.ReplayLine(c.Program, row.Replay)
		}
		rows = append(rows, row)
	}
	return fmt.Sprintf("%v %%", end), rows
}

// axisShare converts a share of 1 to percent of an axis that ends at end percent, rounded
// to two digits to keep the page short.
func axisShare(share, end float64) float64 {
	return float64(int(share*1e4/end*100+0.5)) / 100
}

func failureID(i int) string { return fmt.Sprintf("failure-%d", i+1) }

func pageFailures(failures []shownFailure) []pageFailure {
	var list []pageFailure
	for i, shown := range failures {
		f := shown.failures[0]
		list = append(list, pageFailure{
			ID: failureID(i), Label: tables.Name(shown.stats), Checks: strings.Join(shown.checks(), ", "), Seed: f.Seed,
			Finding: findingText(f), Story: shown.story, Timeline: shown.timeline,
			Replay: words.ReplayLine(f.Trial.Program, f.Trial.Replay), Dir: failureDir(shown.stats, f) + "/", Drawn: shown.svg != nil,
		})
	}
	if i := opening(failures); i >= 0 {
		list[i].Open = true
	}
	return list
}

// opening chooses the failure that the page shows first: an unexpected one, else the first
// one of a lock, else one of the strategy "none", whose failures are no surprise.
func opening(failures []shownFailure) int {
	best, rank := -1, 3
	for i, shown := range failures {
		r := 1
		switch {
		case tables.OutcomeOf(shown.stats) == tables.Unexpected:
			r = 0
		case shown.stats.Name == "none":
			r = 2
		}
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}

func findingText(f results.Failure) string {
	for _, r := range f.Trial.Results {
		if r.Check == f.Check && r.Verdict == checker.Invalid && len(r.Findings) > 0 {
			return words.Plain(r.Findings[0].Text, 400)
		}
	}
	return ""
}
