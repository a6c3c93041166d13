package reports

import (
	"fmt"

	"lockquake/reports/picture"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// rowGroup has rows of the table of strategies. A campaign without cases has one group. With
// cases each strategy has a group with a row for each case, which folds under Label.
type rowGroup struct {
	Label, Summary string
	Alarm          bool // a row is not as expected
	Rows           []pageRow
}

// pageRow is a use of a strategy in the table.
type pageRow struct {
	Label, Name, Fence string
	Violating, Runs    string
	Finished, Wasted   string // shares of the work, and of the time in sections
	Rate, Interval     string
	Bar                pageBar
	Checks             []pageCheck
	Held               []string // checks that no run violated
	Expected           string   // in words
	Status             tables.Outcome
	Violated           bool
	Replay             string
}

// pageBar is a rate with its interval, in hundredths of the axis.
type pageBar struct{ Rate, Low, Width float64 }

// pageCheck counts the violations of one check.
type pageCheck struct {
	Name      string
	Violating int
	Unknown   int
	Harmless  bool
	Failure   string // the anchor of the card of its first failure, "" for none
}

// rowGroups returns the rows of the table, and the right end of the axis of their bars. Anchors
// has the cards of failures, by anchorKey.
func rowGroups(c *results.Campaign, anchors map[string]string) (string, []rowGroup) {
	end := 0.0
	for _, st := range c.Strategies {
		end = max(end, 100*tables.Highest(st))
	}
	end = picture.RoundAxis(end)
	axis := fmt.Sprintf("%v %%", end)
	if !tables.HasCases(c) {
		var g rowGroup
		for _, st := range c.Strategies {
			g.Rows = append(g.Rows, newRow(c, st, end, anchors))
		}
		return axis, []rowGroup{g}
	}
	var groups []rowGroup
	for _, label := range tables.BaseLabels(c) {
		g := rowGroup{Label: words.Plain(label, 60)}
		violated, unexpected := 0, 0
		for _, st := range c.Strategies {
			if st.Use() != label {
				continue
			}
			row := newRow(c, st, end, anchors)
			if row.Violated {
				violated++
			}
			if row.Status == tables.Unexpected {
				unexpected++
			}
			g.Rows = append(g.Rows, row)
		}
		g.Alarm = unexpected > 0
		g.Summary = fmt.Sprintf("violates a check in %d of %s", violated, words.Count(len(g.Rows), "case"))
		if g.Alarm {
			g.Summary += fmt.Sprintf(", %d not as expected", unexpected)
		}
		groups = append(groups, g)
	}
	return axis, groups
}

func newRow(c *results.Campaign, st results.StrategyStats, end float64, anchors map[string]string) pageRow {
	row := pageRow{
		Label: words.Plain(st.Label, 60), Fence: words.Plain(st.Fence, 30), Violating: words.Thousands(st.Violating), Runs: words.Counted(st.Runs, "run"),
		Finished: tables.Finished(st), Wasted: tables.Wasted(st),
		Rate: words.Percent(st.Rate), Interval: tables.IntervalOf(st), Violated: st.Violating > 0,
		Expected: tables.OutcomeOf(st).Words(), Status: tables.OutcomeOf(st),
		Bar: pageBar{Rate: axisShare(st.Rate, end), Low: axisShare(st.Low, end), Width: axisShare(tables.Highest(st)-st.Low, end)},
	}
	if st.Name != st.Label && st.Name != st.Use() {
		row.Name = words.Plain(st.Name, 60)
	}
	for _, check := range st.Order {
		stats := st.Checks[check]
		switch {
		case !stats.Applies:
			continue
		case stats.Violating == 0 && stats.Unknown == 0:
			row.Held = append(row.Held, check)
			continue
		}
		one := pageCheck{Name: check, Violating: stats.Violating, Unknown: stats.Unknown, Harmless: st.Harmless(check), Failure: anchors[anchorKey(st, check)]}
		row.Checks = append(row.Checks, one)
		if row.Replay == "" && row.Violated && !one.Harmless {
			row.Replay = stats.Replay
		}
	}
	if row.Replay != "" {
		row.Replay = words.ReplayLine(c.Program, row.Replay)
	}
	return row
}

// axisShare converts a share of 1 to percent of an axis that ends at end percent, rounded
// to two digits to keep the page short.
func axisShare(share, end float64) float64 {
	return float64(int(share*1e4/end*100+0.5)) / 100
}
