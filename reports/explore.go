package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/scenarios/results"
)

// ExploreTable prints what a search has found: a row for each strategy, the
// first placement of each that does harm, what was left out, and the map.
func ExploreTable(w io.Writer, e *results.Exploration, o Options) error {
	var b bytes.Buffer
	title := fmt.Sprintf("%s: %s at every point, %s, %s each, seed %d", plain(e.Scenario, 60),
		[]string{"one fault", "one fault and two"}[e.Faults-1], count(e.Workers, "worker"), count(e.Sections, "section"), e.Seed)
	if e.Partial {
		title += ", stopped before the end"
	}
	paint(&b, o, bold, title)
	fmt.Fprintf(&b, "a fault lasts %s\n\n", short(e.For))
	rows := [][]string{{"strategy", "fence", "points", "placements", "corrupt", "unfence", "break others", "cannot tell"}}
	for _, st := range e.Strategies {
		rows = append(rows, []string{
			labelled(st.Label, st.Name), plain(st.Fence, 30), thousands(st.Points), thousands(st.Tried), thousands(st.Corrupting), thousands(st.Fencing),
			thousands(st.Others), thousands(st.Undecided),
		})
	}
	writeTable(&b, o, rows, figures{2, 8}, nil)
	b.WriteString("\ncorrupt: updates lost, or two at work at once\nunfence: tokens out of order, or wrongly accepted or refused\n\n")
	for _, st := range e.Strategies {
		head := plain(st.Label, 60) + " violates "
		fmt.Fprintf(&b, "%s\n", strings.Join(wrap(head+checkCounts(st.Checks), lineWidth-2), "\n  "))
	}
	exploreHarm(&b, e, o)
	for _, st := range e.Strategies {
		exploredNotes(&b, st)
	}
	b.WriteString("\n")
	exploreMap(&b, e, o)
	_, err := w.Write(b.Bytes())
	return err
}

// ExploreJSON prints a search as one document.
func ExploreJSON(w io.Writer, e *results.Exploration) error {
	return writeJSON(w, e)
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

// exploredNotes says of one strategy what the table has no room for.
func exploredNotes(b *bytes.Buffer, st results.ExploredStats) {
	if len(st.Without) > 0 {
		fmt.Fprintf(b, "\n%s violates without any fault: %s\n", plain(st.Label, 60), strings.Join(st.Without, ", "))
	}
	for _, left := range st.Pruned {
		fmt.Fprintf(b, "\n%s, left out: %s %s\n", plain(st.Label, 60), thousands(left.Count), left.Why)
	}
}

// exploreHarm prints a row for each strategy and kind of fault that does harm:
// at how many places, and which is the first. A pair counts for its first fault.
func exploreHarm(b *bytes.Buffer, e *results.Exploration, o Options) {
	rows := [][]string{{"strategy", "fault", "does harm", "of", "the first of them"}}
	for _, st := range e.Strategies {
		harmful := st.Harmful(results.Breaks)
		for _, kind := range e.Kinds {
			of := func(p results.Placement) bool { return p.Places[0].Kind == kind }
			first := slices.IndexFunc(harmful, of)
			if first < 0 {
				continue
			}
			pairs := 0
			for _, p := range harmful {
				if of(p) && len(p.Places) > 1 {
					pairs++
				}
			}
			n, tried := numberOf(harmful, of)-pairs, numberOf(st.Singles, of)
			cell := thousands(n)
			if pairs > 0 {
				cell += " and " + count(pairs, "pair")
			}
			var texts []string
			for _, at := range harmful[first].Places {
				texts = append(texts, at.Text)
			}
			rows = append(rows, []string{
				plain(st.Label, 60), kind, cell, thousands(tried), strings.Join(texts, "; "),
			})
		}
	}
	if len(rows) == 1 {
		b.WriteString("\nno placement breaks a check\n")
		return
	}
	b.WriteByte('\n')
	writeTable(b, o, rows, figures{2, 4}, nil)
}

func numberOf(list []results.Placement, of func(results.Placement) bool) int {
	n := 0
	for _, p := range list {
		if of(p) {
			n++
		}
	}
	return n
}
