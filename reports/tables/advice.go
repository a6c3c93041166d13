package tables

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Advice prints an answer for a terminal: what happened to the lock in question, what helps, the TTL,
// the costs, what would change the answer, and what is not simulated.
func Advice(w io.Writer, a *results.Advice, color bool) error {
	return writeSections(w, AdviceSections(a), color)
}

func writeSections(w io.Writer, sections []AdviceSection, color bool) error {
	var b bytes.Buffer
	for _, s := range sections {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		words.Paint(&b, color, words.Bold, s.Title)
		for _, text := range s.Text {
			fmt.Fprintln(&b, strings.Join(words.Wrap(text, words.LineWidth-2), "\n  "))
		}
		if len(s.Grid.Rows) > 0 {
			words.WriteTable(&b, color, append([][]string{s.Grid.Head}, s.Grid.Rows...), words.Figures{From: s.Grid.Texts, To: math.MaxInt}, nil)
		}
		for _, command := range s.Commands {
			fmt.Fprintln(&b, "  "+command)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// AdviceSection is a part of an answer: sentences, then a table, then commands.
type AdviceSection struct {
	Title    string
	Text     []string
	Grid     Grid
	Commands []string
}

// AdviceSections returns the parts of an answer.
func AdviceSections(a *results.Advice) []AdviceSection {
	sections := []AdviceSection{adviceYours(a)}
	if s := adviceNeeds(a); len(s.Text) > 0 {
		sections = append(sections, s)
	}
	sections = append(sections, adviceOthers(a))
	if a.TTL != nil {
		sections = append(sections, adviceTTL(a))
	}
	return append(sections, adviceCosts(a), adviceChanges(a), AdviceSection{Title: "Not simulated for this lock", Text: a.Missing}, adviceRuns(a))
}

// harm says in words what a run that violates a check has done.
func harm(check string) string {
	known := map[string]string{
		"lost-update": "lost updates", "linearizable": "wrong values read", "exclusion": "two workers at work at once",
		"recovery": "a lock that stays taken", "progress": "a worker that waits for too long",
	}
	return cmp.Or(known[check], check)
}

// adviceYours says what happened to the lock in question, the worst first.
func adviceYours(a *results.Advice) AdviceSection {
	l := &a.Locks[0]
	s := AdviceSection{Title: "Your lock: " + a.Lock}
	for _, c := range byHarm(l.Cells) {
		if c.Lost > 0 || c.Stuck > 0 {
			s.Text = append(s.Text, upper(adviceSentence(a, c))+".")
			s.Commands = append(s.Commands, c.Command)
		}
	}
	if text := unharmed(a, l.Cells); text != "" {
		s.Text = append(s.Text, text)
	}
	s.Text = append(s.Text, "A run is "+a.World+".")
	if len(a.Assumed) > 0 {
		s.Text = append(s.Text, "Not given, and assumed: "+strings.Join(a.Assumed, "; ")+".")
	}
	s.Text = slices.Insert(s.Text, 0, adviceVerdict(l))
	if text := adviceSurvivors(a); text != "" {
		s.Text = slices.Insert(s.Text, 1, text)
	}
	return s
}

// adviceVerdict says in one sentence whether the lock in question survived.
func adviceVerdict(l *results.AdviceLock) string {
	lost, stuck, open := 0, 0, 0
	for _, c := range l.Cells {
		switch {
		case c.Lost > 0:
			lost++
		case c.Stuck > 0:
			stuck++
		case c.Unknown > 0 || c.Hit == 0 && c.Cause != results.NoFault:
			open++
		}
	}
	switch all := len(l.Cells) - 1; { // one cell is without faults
	case lost > 0:
		return fmt.Sprintf("NOT SAFE: it loses something under %d of %d kinds of faults.", lost, all)
	case stuck > 0:
		return fmt.Sprintf("It loses nothing, and fails to serve under %d of %d kinds of faults.", stuck, all)
	case open > 0:
		return fmt.Sprintf("It loses nothing; %d of %d kinds of faults are not decided.", open, all)
	}
	return "It loses nothing here: see how many runs say so, and what is not simulated."
}

// adviceSurvivors names the other locks that lost nothing, "" if there are none.
func adviceSurvivors(a *results.Advice) string {
	var labels []string
	for i := range a.Locks[1:] {
		if l := &a.Locks[1+i]; l.Worst() == 0 {
			labels = append(labels, l.Label)
		}
	}
	if labels == nil {
		return ""
	}
	return "Other locks that lost nothing: " + strings.Join(labels, ", ") + "; they are described below."
}

// byHarm returns cells, those that lose most first.
func byHarm(cells []results.AdviceCell) []results.AdviceCell {
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, func(x, y results.AdviceCell) int {
		return cmp.Or(cmp.Compare(y.Rate(), x.Rate()), cmp.Compare(y.Stuck, x.Stuck))
	})
	return cells
}

// adviceSentence says what happened in the runs of a cell.
func adviceSentence(a *results.Advice, c results.AdviceCell) string {
	if c.Lost == 0 {
		low, high := stats.Wilson(c.Stuck, c.Runs)
		return fmt.Sprintf("%s in %s of the runs (%s) with %s; nothing was lost", harm(c.Service), share(c.Stuck, c.Runs), words.Interval(low, high), causeWords(a, c.Cause))
	}
	return fmt.Sprintf("%s in %s of the runs (%s) with %s", harm(c.Check), share(c.Lost, c.Runs), words.Interval(c.Low, c.High), causeWords(a, c.Cause))
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func share(some, all int) string { return words.Percent(float64(some) / float64(max(1, all))) }

// causeWords returns the words for a cause.
func causeWords(a *results.Advice, name string) string {
	for _, c := range a.Causes {
		if c.Name == name {
			return c.With
		}
	}
	return "no fault"
}

// unharmed names the causes under which nothing happened, "" if there are none.
func unharmed(a *results.Advice, cells []results.AdviceCell) string {
	var names []string
	runs := 0
	for _, c := range cells {
		if c.Lost == 0 && c.Stuck == 0 && c.Unknown == 0 && (c.Hit > 0 || c.Cause == results.NoFault) {
			names = append(names, causeWords(a, c.Cause))
			runs = c.Runs
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Nothing lost in %d runs each (%s) with %s.", runs, words.Below(stats.AtMost(runs)), strings.Join(names, "; "))
}

// adviceNeeds says what would make the lock in question safer. Each sentence compares it with one
// neighbour: their intervals do not overlap.
func adviceNeeds(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "What would make it safer"}
	for _, rule := range []struct{ label, text string }{
		{"yours+looks", "The work looks at its context before each write"},
		{"yours+clock", "The holder looks at its clock before each write"},
		{"yours+renewal", "The lease is renewed while the job runs"},
		{"yours+wait", "A grant counts only if the replica confirms it (WAIT)"},
		{"yours+token", "The resource checks a fencing token"},
	} {
		with := a.Find(rule.label)
		if with == nil {
			continue
		}
		var better []string
		for _, c := range byHarm(a.Locks[0].Cells) {
			if after := with.Cell(c.Cause); c.Lost > 0 && after != nil && after.High < c.Low {
				better = append(better, fmt.Sprintf("%s instead of %s with %s", ofRuns(*after), ofRuns(c), causeWords(a, c.Cause)))
			}
		}
		if len(better) > 0 {
			s.Text = append(s.Text, fmt.Sprintf("%s: %s lose something.", rule.text, strings.Join(better, ", and ")))
		}
	}
	return s
}

// adviceOthers says which of the other locks survived, worst first.
func adviceOthers(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "Other locks for the same work, worst first"}
	for i := range a.Locks[1:] {
		l := &a.Locks[1+i]
		var bad []string
		for _, c := range byHarm(l.Cells) {
			if c.Lost > 0 || c.Stuck > 0 {
				bad = append(bad, adviceSentence(a, c))
			}
		}
		if len(bad) == 0 {
			runs := 0
			for _, c := range l.Cells {
				runs += c.Runs
			}
			bad = []string{fmt.Sprintf("nothing lost in %d runs (%s)", runs, words.Below(stats.AtMost(runs)))}
		}
		s.Text = append(s.Text, fmt.Sprintf("%s, %s: %s.", l.Label, l.What, strings.Join(bad, "; ")))
	}
	return s
}
