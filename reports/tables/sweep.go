package tables

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sweep prints a sweep for a terminal. Over one parameter it has a row for each value and
// a column for each strategy. Over two it has a table for each strategy, with the values
// of the second from left to right. The thresholds follow, if any were searched.
func Sweep(w io.Writer, s *results.Sweep, on words.Screen) error {
	var b bytes.Buffer
	values := words.Figures{From: 1, To: math.MaxInt} // all columns but the first
	on.Paint(&b, words.Bold, fmt.Sprintf("%s: %s, by %s", words.Plain(s.Scenario, 60), SweepCounts(s), Axes(s)))
	if len(s.Axes) == 1 {
		b.WriteByte('\n')
		on.Table(&b, words.Table{Rows: sweepRows(s), Figures: values})
	} else {
		for _, label := range SweepLabels(s) {
			fmt.Fprintf(&b, "\n%s\n", words.Plain(label, 60))
			on.Table(&b, words.Table{Rows: sweepGrid(s, label), Figures: values})
		}
	}
	b.WriteByte('\n')
	on.Prose(&b, "", "", "  ", SweepRuns(s)+"; "+widest(s))
	b.WriteString("in brackets: the share of the work that was finished\n")
	if met := hitNothing(s); met != "" {
		on.Prose(&b, "", "", "  ", met)
	}
	if len(s.Thresholds) > 0 {
		b.WriteByte('\n')
		on.Table(&b, words.Table{Rows: thresholdRows(s), Figures: values})
		b.WriteByte('\n')
		for _, t := range s.Thresholds {
			on.Prose(&b, "", "", "  ", thresholdSentence(s.Axes[0], t))
		}
		b.WriteByte('\n')
		for _, t := range s.Thresholds {
			if t.Replay != "" {
				fmt.Fprintln(&b, words.ReplayLine(s.Program, t.Replay))
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Axes names the parameters that a sweep varied.
func Axes(s *results.Sweep) string {
	var paths []string
	for _, axis := range s.Axes {
		paths = append(paths, words.Plain(axis.Path, 60))
	}
	return strings.Join(paths, " and ")
}

// sweepRows returns the table of a sweep over one parameter.
func sweepRows(s *results.Sweep) [][]string {
	labels := SweepLabels(s)
	head := []string{words.Plain(s.Axes[0].Path, 40)}
	for _, label := range labels {
		head = append(head, words.Plain(label, 30))
	}
	rows := [][]string{head}
	for i := range s.Points {
		row := []string{words.Plain(s.Points[i].Values[0], 40)}
		for _, label := range labels {
			row = append(row, rateOf(&s.Points[i], label))
		}
		rows = append(rows, row)
	}
	return rows
}

// sweepGrid returns the table of one strategy over two parameters.
func sweepGrid(s *results.Sweep, label string) [][]string {
	down, across := s.Axes[0], s.Axes[1]
	rows := [][]string{{words.Plain(down.Path, 40) + " \\ " + words.Plain(across.Path, 40)}}
	for _, value := range across.Values {
		rows[0] = append(rows[0], words.Plain(value, 30))
	}
	for i, value := range down.Values {
		row := []string{words.Plain(value, 40)}
		for j := range across.Values {
			cell := "-"
			if at := i*len(across.Values) + j; at < len(s.Points) {
				cell = rateOf(&s.Points[at], label)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func rateOf(point *results.SweepPoint, label string) string {
	r, ok := point.Of(label)
	if !ok || r.Runs == 0 {
		return "-"
	}
	text := words.Percent(r.Rate)
	switch {
	case r.Untested != "":
		text = "untested"
	case r.Unknown > 0:
		text += "?" // some runs are undecided
	}
	if r.Jobs > 0 {
		text += " (" + words.WholePercent(float64(r.Finished)/float64(r.Jobs)) + ")"
	}
	return text
}

// widest says how far the intervals of a sweep reach from their rates. An interval of Wilson is not
// symmetric: that of 20 of 20 reaches 16.1 points down and none up.
func widest(s *results.Sweep) string {
	most := 0.0
	for _, point := range s.Points {
		for _, r := range point.Strategies {
			most = max(most, r.High-r.Rate, r.Rate-r.Low)
		}
	}
	return fmt.Sprintf("95 %% intervals reach up to %.1f points from the rate", 100*most)
}

// hitNothing warns of the points where no fault hit anything.
func hitNothing(s *results.Sweep) string {
	var values []string
	for i := range s.Points {
		if s.Points[i].Met == 0 {
			values = append(values, pointName(&s.Points[i]))
		}
	}
	switch len(values) {
	case 0:
		return ""
	case len(s.Points):
		return "no fault hit anything"
	}
	return "no fault hit anything at " + strings.Join(values, ", ")
}

// thresholdRows returns the table of thresholds, a row for each strategy.
func thresholdRows(s *results.Sweep) [][]string {
	axis := s.Axes[0]
	first, last := words.Plain(axis.Values[0], 30), words.Plain(axis.Values[len(axis.Values)-1], 30)
	margins := slices.ContainsFunc(s.Thresholds, func(t results.Threshold) bool { return t.Margin > 0 })
	head := []string{"strategy", "breaks", "holds", "precision"}
	if margins {
		head = append(head, "of its TTL")
	}
	rows := [][]string{head}
	for _, t := range s.Thresholds {
		row := []string{words.Plain(t.Label, 60)}
		switch t.Side {
		case results.Never:
			row = append(row, "at no step", fmt.Sprintf("%s to %s", first, last), "-")
		case results.Always:
			row = append(row, fmt.Sprintf("%s to %s", first, last), "at no step", "-")
		case results.Smallest:
			row = append(row, "from "+t.Breaks, "up to "+t.Holds, words.Percent(t.Precision))
		case results.Largest:
			row = append(row, "up to "+t.Breaks, "from "+t.Holds, words.Percent(t.Precision))
		}
		if margins {
			share := "-"
			if t.Margin > 0 {
				share = fmt.Sprintf("%.3g of %v", t.Margin, t.TTL)
			}
			row = append(row, share)
		}
		rows = append(rows, row)
	}
	return rows
}

// thresholdSentence describes the threshold of one strategy.
func thresholdSentence(axis results.Axis, t results.Threshold) string {
	first, last := words.Plain(axis.Values[0], 30), words.Plain(axis.Values[len(axis.Values)-1], 30)
	path, why := words.Plain(axis.Path, 60), words.Plain(t.Why, 200)
	text := words.Plain(t.Label, 60) + ": "
	switch t.Side {
	case results.Never:
		return fmt.Sprintf("%sit holds at every step of %s from %s to %s", text, path, first, last)
	case results.Always:
		text = fmt.Sprintf("%sit breaks at every step of %s from %s to %s", text, path, first, last)
		if why != "" {
			text += fmt.Sprintf(" (at %s: %s)", first, why)
		}
		return text
	case results.Smallest:
		text += fmt.Sprintf("up to %s = %s it holds (%s breaks: %s)", path, t.Holds, t.Breaks, why)
	case results.Largest:
		text += fmt.Sprintf("from %s = %s on it holds (%s breaks: %s)", path, t.Holds, t.Breaks, why)
	}
	if t.Jobs > 0 {
		text += fmt.Sprintf("; at %s it finished %s (%s)", t.Holds, words.Percent(float64(t.Finished)/float64(t.Jobs)), words.Interval(t.FinishedLow, t.FinishedHigh))
	}
	if t.Changes > 1 {
		text += fmt.Sprintf("; it changes %s over the range, and this is the first", words.Count(t.Changes, "time"))
	}
	return text
}

// SweepLabels lists the labels of the strategies of a sweep, in order of appearance.
func SweepLabels(s *results.Sweep) []string {
	var labels []string
	seen := map[string]bool{}
	for _, point := range s.Points {
		for _, r := range point.Strategies {
			if !seen[r.Label] {
				seen[r.Label] = true
				labels = append(labels, r.Label)
			}
		}
	}
	return labels
}

// SweepCounts names the violations that a sweep counts.
func SweepCounts(s *results.Sweep) string {
	if s.Check != "" {
		return "runs that violate " + words.Plain(s.Check, 40)
	}
	return "runs that violate a deciding check"
}

// SweepRuns names the number of runs at each point of a sweep, their seeds and settings. The points of a sweep that was
// stopped may have fewer runs; it names these points.
func SweepRuns(s *results.Sweep) string {
	n := int(s.Seeds.Last-s.Seeds.First) + 1
	each := words.Counted(n, "run") + " at each point"
	if short := shortPoints(s.Points, n); len(short) > 0 {
		each = fmt.Sprintf("up to %s (%s)", each, strings.Join(short, ", "))
	}
	parts := []string{each, seedRange(s.Seeds)}
	text := strings.Join(append(parts, overridden(s.Overrides)...), ", ")
	if s.Partial {
		text += "; stopped before the end"
	}
	return text
}

// shortPoints names the points at which a strategy has fewer than n runs, each with the fewest and the most runs of a
// strategy: "12 to 13 at 2s".
func shortPoints(points []results.SweepPoint, n int) []string {
	var short []string
	for _, point := range points {
		var done []int
		for _, r := range point.Strategies {
			done = append(done, r.Runs)
		}
		if len(done) == 0 || slices.Min(done) == n {
			continue
		}
		text := words.Thousands(slices.Min(done))
		if most := slices.Max(done); most > slices.Min(done) {
			text += " to " + words.Thousands(most)
		}
		short = append(short, text+" at "+pointName(&point))
	}
	return short
}

// pointName returns the values of a point.
func pointName(p *results.SweepPoint) string {
	return words.Plain(strings.Join(p.Values, " and "), 60)
}
