package tables

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Advice prints an answer for a terminal: what happened to the lock in question, what helps, the TTL,
// the costs, what would change the answer, and what is not simulated.
func Advice(w io.Writer, a *results.Advice, on words.Screen) error {
	return writeSections(w, AdviceSections(a), on)
}

func writeSections(w io.Writer, sections []AdviceSection, on words.Screen) error {
	var b bytes.Buffer
	for _, s := range sections {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		on.Prose(&b, words.Bold, "", "  ", s.Title)
		sentences(&b, on, s.Text)
		if len(s.Grid.Rows) > 0 {
			writeWords(&b, on, s.Grid)
		}
		sentences(&b, on, s.Notes)
		for _, command := range s.Commands {
			fmt.Fprintln(&b, "  "+command)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeWords prints a grid. If it holds words only and does not fit, each row is a sentence of its heads and
// cells, below its first cell.
func writeWords(b *bytes.Buffer, on words.Screen, g Grid) {
	if g.Texts < len(g.Head) || on.Fits(g.table()) {
		on.Table(b, g.table())
		return
	}
	for i, row := range g.Rows {
		if row[0] != "" && (i == 0 || row[0] != g.Rows[i-1][0]) {
			on.Prose(b, "", "", "  ", row[0])
		}
		var parts []string
		for i, cell := range row[1:] {
			parts = append(parts, g.Head[i+1]+" "+cell)
		}
		on.Prose(b, "", "  ", "    ", strings.Join(parts, ", "))
	}
}

// sentences prints texts, and indents their other lines.
func sentences(b *bytes.Buffer, on words.Screen, texts []string) {
	for _, text := range texts {
		on.Prose(b, "", "", "  ", text)
	}
}

// AdviceSection is a part of an answer: sentences, then a table, then notes on it, then commands.
type AdviceSection struct {
	Title    string
	Text     []string
	Grid     Grid
	Notes    []string
	Commands []string
}

// AdviceSections returns the parts of an answer.
func AdviceSections(a *results.Advice) []AdviceSection {
	sections := []AdviceSection{adviceYours(a)}
	if s := adviceNeeds(a); len(s.Grid.Rows) > 0 {
		sections = append(sections, s)
	}
	sections = append(sections, adviceOthers(a))
	if a.TTL != nil {
		sections = append(sections, adviceTTL(a))
	}
	return append(sections, adviceCosts(a), adviceChanges(a),
		AdviceSection{Title: "Assumed, because you gave no value", Text: a.Assumed},
		AdviceSection{Title: "Not simulated for this lock", Text: a.Missing}, adviceRuns(a))
}

// adviceYours answers for the lock in question: what happens to it and through what, what helps, and what
// did not harm it.
func adviceYours(a *results.Advice) AdviceSection {
	l := &a.Locks[0]
	s := AdviceSection{Title: "Your lock: " + a.Lock}
	if t := a.TTL; t != nil && t.Taken { // the user asked for a TTL, so it comes first
		s.Text = append(s.Text, ttlHolds(t, causeWords(a, t.Cause)))
	}
	if text := adviceNamed(a, l); text != "" {
		s.Text = append(s.Text, text)
	}
	s.Text = append(s.Text, adviceVerdict(a, l))
	for _, text := range []string{adviceRemedy(a), unharmed(a, l.Cells), adviceSurvivors(a), adviceFenced(a)} {
		if text != "" {
			s.Text = append(s.Text, text)
		}
	}
	s.Text = append(s.Text, "A run is "+a.World+". Values that you did not give are assumed; they are listed below.")
	return s
}

// adviceNamed says that the causes that the inputs name did no harm to the lock, "" if one of them did, if one is
// not decided, or if no cause did harm.
func adviceNamed(a *results.Advice, l *results.AdviceLock) string {
	var named []string
	runs := 0
	for _, c := range l.Cells {
		if c.Cause == results.NoFault || rankOf(a, c.Cause) > 0 {
			continue
		}
		if c.Lost > 0 || c.Stuck > 0 || c.Unknown > 0 || c.Hit == 0 {
			return ""
		}
		named, runs = append(named, causeWords(a, c.Cause)), c.Runs
	}
	if named == nil || l.Worst() == 0 {
		return ""
	}
	return fmt.Sprintf("What you have named did no harm in %d runs (%s): %s.", runs, words.Below(stats.AtMost(runs)), strings.Join(named, "; "))
}

// adviceVerdict says in one sentence what happens to the lock in question and through what. Causes that
// the inputs name come first, and then the worst.
func adviceVerdict(a *results.Advice, l *results.AdviceLock) string {
	cells := byHarm(l.Cells)
	slices.SortStableFunc(cells, func(x, y results.AdviceCell) int {
		return cmp.Compare(rankOf(a, x.Cause), rankOf(a, y.Cause))
	})
	var losing, stuck []results.AdviceCell
	open := 0
	for _, c := range cells {
		switch {
		case c.Lost > 0:
			losing = append(losing, c)
		case c.Stuck > 0:
			stuck = append(stuck, c)
		case c.Unknown > 0 || c.Hit == 0 && c.Cause != results.NoFault:
			open++
		}
	}
	switch {
	case len(losing) > 0 && len(stuck) > 0:
		return "NOT SAFE: it " + through(a, losing) + ". It also " + through(a, stuck) + "."
	case len(losing) > 0:
		return "NOT SAFE: it " + through(a, losing) + "."
	case len(stuck) > 0:
		return "It lost nothing, and " + through(a, stuck) + "."
	case open > 0:
		return fmt.Sprintf("It lost nothing; %d of %d kinds of faults are not decided.", open, len(l.Cells)-1)
	}
	return fmt.Sprintf("It lost nothing: in %d runs under each kind of fault (%s).", l.Cells[0].Runs, words.Below(stats.AtMost(l.Cells[0].Runs)))
}

// rankOf orders causes: those that the inputs name, and the case without faults, before those that are
// assumed.
func rankOf(a *results.Advice, cause string) int {
	if cause == results.NoFault || slices.ContainsFunc(a.Causes, func(c results.AdviceCause) bool { return c.Name == cause && c.Asked }) {
		return 0
	}
	return 1
}

// through lists what a lock did under causes, with rates, as in "lost updates in 9 % of runs (5 to 15 %)
// through crashes of the workers". What it did is said again only if it differs.
func through(a *results.Advice, cells []results.AdviceCell) string {
	var parts []string
	last := ""
	for _, c := range cells {
		did, text := harmOf(c), "in "+howOften(c)+" without a fault"
		if c.Cause != results.NoFault {
			text = "in " + howOften(c) + " through " + causeWords(a, c.Cause)
		}
		if did != last {
			text = did + " " + text
		}
		if rankOf(a, c.Cause) > 0 {
			text += " (assumed)"
		}
		parts, last = append(parts, text), did
	}
	return strings.Join(parts, ", and ")
}

// harmOf says what a lock did in the violating runs of a cell.
func harmOf(c results.AdviceCell) string {
	name := c.Check
	if c.Lost == 0 {
		name = c.Service
	}
	check, _ := checker.Lookup(name)
	return check.Predicate("counter", &checker.Metrics{}) // the work of advise
}

// howOften prints how often, as in "9 % of runs (5 to 15 %)".
func howOften(c results.AdviceCell) string {
	n, low, high := c.Lost, c.Low, c.High
	if n == 0 {
		n = c.Stuck
		low, high = stats.Wilson(n, c.Runs)
	}
	return fmt.Sprintf("%s of runs (%s)", share(n, c.Runs), words.Interval(low, high))
}

func share(some, all int) string { return words.Percent(float64(some) / float64(max(1, all))) }

// remedy is a change of the lock in question that is run as a neighbour.
type remedy struct{ label, text string }

func remedies() []remedy {
	return []remedy{
		{"yours+looks", "the work checks its context before each write"},
		{"yours+looks-always", "the work always checks its context"},
		{"yours+clock", "the holder checks its clock before each write"},
		{"yours+renewal", "a task renews the lease while the job runs"},
		{"yours+wait", "the replica confirms each grant (WAIT)"},
		{"yours+token", "the resource checks a fencing token"},
	}
}

// adviceRemedy names the first change with which the lock in question loses nothing, "" if it loses nothing
// as it is, or no single change helps against all causes.
func adviceRemedy(a *results.Advice) string {
	if a.Locks[0].Worst() == 0 {
		return ""
	}
	for _, r := range remedies() {
		if l := a.Find(r.label); l != nil && l.Worst() == 0 && l.Needs == "" {
			return fmt.Sprintf("It loses nothing if %s: 0 of %d runs under each kind of fault (%s).", r.text, l.Cells[0].Runs, words.Below(stats.AtMost(l.Cells[0].Runs)))
		}
	}
	return ""
}

// adviceSurvivors names the other locks that lost nothing, "" if there are none.
func adviceSurvivors(a *results.Advice) string {
	var labels []string
	for i := range a.Locks[1:] {
		if l := &a.Locks[1+i]; l.Worst() == 0 && l.Needs == "" {
			labels = append(labels, l.Label)
		}
	}
	if labels == nil {
		return ""
	}
	return "Other locks that lost nothing: " + strings.Join(labels, ", ") + "; they are described below."
}

// adviceFenced says what happens to the locks with a fencing token, if no input says that the resource can
// check one; "" if an input says it.
func adviceFenced(a *results.Advice) string {
	var did []string
	needs := ""
	for i := range a.Locks {
		if l := &a.Locks[i]; l.Needs != "" {
			needs = l.Needs
			did = append(did, l.Label+" "+fate(a, l))
		}
	}
	if did == nil {
		return ""
	}
	return fmt.Sprintf("If the resource can check a fencing token (%s): %s.", needs, strings.Join(did, "; "))
}

// byHarm returns cells, those that lose most first.
func byHarm(cells []results.AdviceCell) []results.AdviceCell {
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, func(x, y results.AdviceCell) int {
		return cmp.Or(cmp.Compare(y.Rate(), x.Rate()), cmp.Compare(y.Stuck, x.Stuck))
	})
	return cells
}

// causeWords returns the words for a cause.
func causeWords(a *results.Advice, name string) string {
	for _, c := range a.Causes {
		if c.Name == name {
			return c.With
		}
	}
	return "no fault"
}

// unharmed names the causes under which nothing happened, if others did harm, "" if there are none.
func unharmed(a *results.Advice, cells []results.AdviceCell) string {
	var names []string
	runs := 0
	for _, c := range cells {
		if c.Lost == 0 && c.Stuck == 0 && c.Unknown == 0 && (c.Hit > 0 || c.Cause == results.NoFault) {
			names = append(names, causeWords(a, c.Cause))
			runs = c.Runs
		}
	}
	if len(names) == 0 || len(names) == len(cells) {
		return ""
	}
	return fmt.Sprintf("Nothing was lost in %d runs each (%s) with %s.", runs, words.Below(stats.AtMost(runs)), strings.Join(names, "; "))
}

// adviceNeeds compares the lock in question with each change of it, under the causes with which it loses
// clearly more than with the change.
func adviceNeeds(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "What would make it safer", Grid: Grid{Head: []string{"if ...", "under", "lost in", "instead of"}, Texts: 4}}
	for _, r := range remedies() {
		with := a.Find(r.label)
		if with == nil {
			continue
		}
		text := r.text
		for _, c := range byHarm(a.Locks[0].Cells) {
			if after := with.Cell(c.Cause); c.Lost > 0 && after != nil && after.High < c.Low {
				s.Grid.Rows = append(s.Grid.Rows, []string{text, c.Cause, lossOf(*after), lossOf(c)})
				text = "" // the next row is of the same change
			}
		}
	}
	return s
}

// lossOf prints the runs that lose something, with the interval of their share.
func lossOf(c results.AdviceCell) string {
	if c.Lost == 0 {
		return fmt.Sprintf("0 of %d (%s)", c.Runs, words.Below(stats.AtMost(c.Runs)))
	}
	return fmt.Sprintf("%d of %d (%s)", c.Lost, c.Runs, words.Interval(c.Low, c.High))
}

// adviceOthers says which of the other locks survived, the safest first.
func adviceOthers(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "Other locks for the same work, the safest first"}
	for i := range a.Locks[1:] {
		l := &a.Locks[1+i]
		s.Text = append(s.Text, fmt.Sprintf("%s (%s) %s.", l.Label, l.What, fate(a, l)))
	}
	return s
}

// fate says what happened to a lock under all causes.
func fate(a *results.Advice, l *results.AdviceLock) string {
	var bad []results.AdviceCell
	for _, c := range byHarm(l.Cells) {
		if c.Lost > 0 || c.Stuck > 0 {
			bad = append(bad, c)
		}
	}
	if len(bad) > 0 {
		return through(a, bad)
	}
	runs := l.Cells[0].Runs
	return fmt.Sprintf("lost nothing in %d runs under each of %s (%s of each)", runs, words.Count(len(l.Cells), "case"), words.Below(stats.AtMost(runs)))
}
