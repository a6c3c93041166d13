package tables

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Exploration prints a search of placements for a terminal: a row for each strategy, its
// first harmful placement of each fault, what was left out, and a map of the protocol.
func Exploration(w io.Writer, e *results.Exploration, on words.Screen) error {
	var b bytes.Buffer
	title := fmt.Sprintf("%s: %s at every point, %s, %s each, seed %d", words.Plain(e.Scenario, 60),
		[]string{"one fault", "one fault and two"}[e.Faults-1], words.Count(e.Workers, "worker"), words.Count(e.Sections, "section"), e.Seed)
	if e.Partial {
		title += ", stopped before the end"
	}
	on.Prose(&b, words.Bold, "", "  ", title)
	on.Prose(&b, "", "", "  ", exploreHead(e))
	lasts := "a fault lasts " + words.Short(e.For)
	if p := e.Pauses; p != nil {
		lasts += fmt.Sprintf(", a pause %s (the longest of %s in %s)", words.Short(p.Longest), words.Thousands(p.Count), words.Plain(p.File, 60))
	}
	on.Prose(&b, "", "", "  ", lasts)
	b.WriteByte('\n')
	rows := [][]string{{"strategy", "fence", "points", "placements", "corrupt", "break fencing", "break others", "cannot tell"}}
	for _, st := range e.Strategies {
		rows = append(rows, []string{
			words.Plain(st.Label, 60), words.Plain(st.Fence, 30), words.Thousands(st.Points), words.Thousands(st.Tried), words.Thousands(st.Corrupting), words.Thousands(st.Fencing),
			words.Thousands(st.Others), words.Thousands(st.Undecided),
		})
	}
	on.Table(&b, words.Table{Rows: rows, Figures: words.Figures{From: 2, To: 8}, Least: []int{1, 2, 7}})
	b.WriteString("\ncorrupt: updates lost, or two at work at once\nbreak fencing: tokens out of order, or wrongly accepted or refused\n\n")
	for _, st := range e.Strategies {
		on.Prose(&b, "", "", "  ", words.Plain(st.Label, 60)+exploreVerdict(&st))
	}
	if e.Tried() > 0 {
		exploreHarm(&b, e, on)
	}
	for _, st := range e.Strategies {
		exploredNotes(&b, st, on)
	}
	if e.Tried() > 0 {
		b.WriteString("\n")
		exploreMap(&b, e, on)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// exploreHead says what was tried with which locks, and what was looked for.
func exploreHead(e *results.Exploration) string {
	var labels []string
	for _, st := range e.Strategies {
		labels = append(labels, words.Plain(st.Label, 60))
	}
	if most := 8; len(labels) > most {
		labels = []string{words.Count(len(labels), "strategy")}
	}
	return fmt.Sprintf("tried %s of %s with %s, and looked for violations of %s",
		words.Counted(e.Tried(), "placement"), listed(e.Kinds), listed(labels), listed(e.Checks))
}

// exploreVerdict says what the placements of a strategy violate, and how many of them were tried if not all were.
func exploreVerdict(st *results.ExploredStats) string {
	singles, pairs := st.Untried()
	switch text := " violates " + checkCounts(st.Checks); {
	case st.Tried == 0:
		return ": no placement was tried"
	case pairs > 0: // how many pairs there are is known only when all single faults were tried
		return text + " so far, in " + words.Counted(st.Tried, "placement")
	case singles > 0:
		return fmt.Sprintf("%s so far, in %s of %s", text, words.Thousands(st.Tried), words.Counted(st.Tried+singles, "placement"))
	default:
		return text
	}
}

// checkCounts lists how many placements violate each check, most first.
func checkCounts(checks map[string]int) string {
	names := make([]string, 0, len(checks))
	for name := range checks {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if checks[a] != checks[b] {
			return checks[b] - checks[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, checks[name])
	}
	if len(names) == 0 {
		return "no check"
	}
	return strings.Join(names, ", ")
}

// exploredNotes prints what one strategy violates without a fault, and what was left out.
func exploredNotes(b *bytes.Buffer, st results.ExploredStats, on words.Screen) {
	if len(st.Without) > 0 {
		b.WriteByte('\n')
		on.Prose(b, "", "", "  ", fmt.Sprintf("%s violates without any fault: %s", words.Plain(st.Label, 60), strings.Join(st.Without, ", ")))
	}
	for _, left := range st.Pruned {
		b.WriteByte('\n')
		on.Prose(b, "", "", "  ", fmt.Sprintf("%s, left out: %s %s", words.Plain(st.Label, 60), words.Thousands(left.Count), left.Why))
	}
}

// exploreHarm prints a row for each strategy and kind of fault that does harm, with the
// number of harmful placements and the first of them. A pair counts for its first fault.
func exploreHarm(b *bytes.Buffer, e *results.Exploration, on words.Screen) {
	rows := [][]string{{"strategy", "fault", "harmful", "tried", "first harmful placement"}}
	for _, group := range e.HarmfulByKind() {
		pairs := countIf(group.Placements, func(p results.Placement) bool { return len(p.Places) > 1 })
		tried := countIf(group.Strategy.Singles, func(p results.Placement) bool { return p.Places[0].Kind == group.Kind && !p.Untried })
		cell := words.Thousands(len(group.Placements) - pairs)
		if pairs > 0 {
			cell += " and " + words.Count(pairs, "pair")
		}
		rows = append(rows, []string{
			words.Plain(group.Strategy.Label, 60), group.Kind, cell, words.Thousands(tried), strings.Join(group.Placements[0].Texts(), "; "),
		})
	}
	if len(rows) == 1 {
		said := "no placement breaks a check"
		if e.Partial {
			said = "no placement that was tried breaks a check"
		}
		b.WriteString("\n" + said + "\n")
		return
	}
	b.WriteByte('\n')
	on.Table(b, words.Table{Rows: rows, Figures: words.Figures{From: 2, To: 4}, Least: []int{3}, Whole: true})
}

func countIf(list []results.Placement, of func(results.Placement) bool) int {
	n := 0
	for _, p := range list {
		if of(p) {
			n++
		}
	}
	return n
}
