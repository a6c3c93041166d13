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
	var b bytes.Buffer
	for _, s := range AdviceSections(a) {
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
	sections := []AdviceSection{adviceYours(a), adviceOthers(a)}
	if a.TTL != nil {
		sections = append(sections, adviceTTL(a))
	}
	return append(sections, adviceCosts(a), adviceChanges(a), AdviceSection{Title: "Not simulated here", Text: a.Missing}, adviceRuns(a))
}

// harm says in words what a run that violates a check has done.
func harm(check string) string {
	known := map[string]string{
		"lost-update": "lost updates", "linearizable": "wrong values read", "exclusion": "two workers at work at once",
		"recovery": "a lock that stays taken", "progress": "a worker that waits for ever",
	}
	return cmp.Or(known[check], check)
}

// adviceYours says what happened to the lock in question, the worst first.
func adviceYours(a *results.Advice) AdviceSection {
	l := &a.Locks[0]
	s := AdviceSection{Title: "Your lock: " + a.Lock}
	for _, c := range byHarm(l.Cells) {
		if c.Lost > 0 || c.Stuck > 0 {
			s.Text = append(s.Text, adviceSentence(a, c)+".")
			s.Commands = append(s.Commands, c.Command)
		}
	}
	if text := unharmed(a, l.Cells); text != "" {
		s.Text = append(s.Text, text)
	}
	s.Text = append(s.Text, adviceVerdicts(a)...)
	s.Text = append(s.Text, "A run is "+a.World+".")
	if len(a.Assumed) > 0 {
		s.Text = append(s.Text, "Not given, and assumed: "+strings.Join(a.Assumed, "; ")+".")
	}
	return s
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
	text := fmt.Sprintf("%s in %s of the runs (%s) with %s", upper(harm(c.Check)), share(c.Lost, c.Runs), words.Interval(c.Low, c.High), causeWords(a, c.Cause))
	if c.Lost == 0 {
		low, high := stats.Wilson(c.Stuck, c.Runs)
		text = fmt.Sprintf("%s in %s of the runs (%s) with %s; nothing was lost", upper(harm(c.Service)), share(c.Stuck, c.Runs), words.Interval(low, high), causeWords(a, c.Cause))
	}
	return text
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
		if c.Lost == 0 && c.Stuck == 0 && c.Unknown == 0 && (c.Hit > 0 || c.Cause == noFault) {
			names = append(names, causeWords(a, c.Cause))
			runs = c.Runs
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Nothing lost in %d runs each (%s) with %s.", runs, words.Below(stats.AtMost(runs)), strings.Join(names, "; "))
}

// noFault is the case without faults.
const noFault = "no-fault"

// adviceVerdicts draws the conclusions about the lock in question from its neighbours: each sentence
// follows from two rows.
func adviceVerdicts(a *results.Advice) []string {
	var all []string
	for _, rule := range []struct{ label, text string }{
		{"yours+looks", "The work must look at its context before each write"},
		{"yours+always-looks", "The work must look at its context all the time"},
		{"yours+clock", "The holder must look at its clock before each write"},
		{"yours+renewal", "The lease must be renewed while the job runs"},
		{"yours+wait", "A grant must be confirmed by the replica (WAIT)"},
		{"yours+token", "The resource must check a fencing token"},
	} {
		with := adviceLock(a, rule.label)
		if with == nil {
			continue
		}
		var better []string
		for _, c := range a.Locks[0].Cells {
			if after := with.Cell(c.Cause); c.Lost > 0 && after != nil && after.High < c.Low {
				better = append(better, fmt.Sprintf("%s instead of %s of the runs with %s", share(after.Lost, after.Runs), share(c.Lost, c.Runs), causeWords(a, c.Cause)))
			}
		}
		if len(better) > 0 {
			all = append(all, fmt.Sprintf("%s: then %s lose something.", rule.text, strings.Join(better, ", and ")))
		}
	}
	return all
}

func adviceLock(a *results.Advice, label string) *results.AdviceLock {
	for i := range a.Locks {
		if a.Locks[i].Label == label {
			return &a.Locks[i]
		}
	}
	return nil
}

// adviceOthers says which of the other locks survived, worst first.
func adviceOthers(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "Neighbours, worst first"}
	for i := range a.Locks[1:] {
		l := &a.Locks[1+i]
		var bad []string
		for _, c := range byHarm(l.Cells) {
			if c.Lost > 0 || c.Stuck > 0 {
				text := adviceSentence(a, c)
				bad = append(bad, strings.ToLower(text[:1])+text[1:])
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

// adviceTTL says which TTL is enough.
func adviceTTL(a *results.Advice) AdviceSection {
	t := a.TTL
	s := AdviceSection{Title: "Which TTL", Commands: []string{t.Command}}
	with := causeWords(a, t.Cause)
	switch {
	case t.Holds == "":
		s.Text = append(s.Text, fmt.Sprintf("No TTL from %s to %s is enough: with %s, %s.", t.Shortest, t.Longest, with, cmp.Or(t.Why, "a longer one is worse")))
	case t.Breaks == "":
		s.Text = append(s.Text, fmt.Sprintf("Each TTL from %s on is enough: %d of %d jobs are finished with %s, and nothing is lost.", t.Holds, t.Finished, t.Jobs, with))
	default:
		s.Text = append(s.Text, fmt.Sprintf("The smallest TTL is between %s and %s: from %s on %d of %d jobs (%s) are finished with %s, and nothing is lost in %d runs. With %s, %s.",
			t.Breaks, t.Holds, t.Holds, t.Finished, t.Jobs, words.Interval(t.Low, t.High), with, t.Runs, t.Breaks, t.Why))
	}
	if t.Taken {
		s.Text = append(s.Text, "All other figures are those of this TTL, rounded up.")
	}
	for _, c := range t.Helpless {
		s.Text = append(s.Text, fmt.Sprintf("No TTL helps against %s: with a TTL of %s %d of %d runs still lose something.", causeWords(a, c.Cause), t.Longest, c.Lost, c.Runs))
		s.Commands = append(s.Commands, c.Command)
	}
	return s
}

// adviceCosts has a row for each lock.
func adviceCosts(a *results.Advice) AdviceSection {
	g := Grid{Head: []string{"lock", "commands for each acquisition", "wait p99", "without service after a crash", "work done under faults"}, Texts: 1}
	for i := range a.Locks {
		l := &a.Locks[i]
		outage := "-"
		if l.Cost.Outage != nil {
			outage = shortWait(*l.Cost.Outage)
		}
		var jobs, finished int64
		for _, c := range l.Cells {
			jobs, finished = jobs+c.Jobs, finished+c.Finished
		}
		g.Rows = append(g.Rows, []string{l.Label, words.Figure(l.Cost.PerAcquisition), shortWait(l.Cost.WaitP99), outage, words.WholePercent(float64(finished)/float64(max(1, jobs))) + " %"})
	}
	return AdviceSection{Title: "What each costs", Text: []string{"Commands and waits are those of runs without faults."}, Grid: g}
}

// adviceChanges names the assumption with the steepest effect.
func adviceChanges(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "What would change the answer"}
	if len(a.Changes) == 0 {
		return s
	}
	first := a.Changes[0]
	if first.Effect() == 0 {
		s.Text = append(s.Text, "None of these assumptions changes what your lock loses.")
	} else {
		s.Text = append(s.Text, fmt.Sprintf("The steepest: %s %s. Then %s of the runs with %s lose something, instead of %s.",
			first.Assumption, first.Value, share(first.After.Lost, first.After.Runs), causeWords(a, first.Cause), share(first.Before.Lost, first.Before.Runs)))
		s.Commands = append(s.Commands, first.After.Command)
	}
	s.Grid = Grid{Head: []string{"assumption", "value", "cause", "runs that lose", "instead of", "work done", "instead of"}, Texts: 3}
	for _, c := range a.Changes {
		s.Grid.Rows = append(s.Grid.Rows, []string{
			c.Assumption, c.Value, c.Cause, ofRuns(c.After), ofRuns(c.Before), words.WholePercent(c.After.Done()) + " %", words.WholePercent(c.Before.Done()) + " %",
		})
	}
	return s
}

func ofRuns(c results.AdviceCell) string { return fmt.Sprintf("%d of %d", c.Lost, c.Runs) }

// adviceRuns says how to repeat the figures.
func adviceRuns(a *results.Advice) AdviceSection {
	program := cmp.Or(a.Program, "lockquake")
	s := AdviceSection{Title: "Run it again", Text: []string{fmt.Sprintf("%s runs in all. The scenario is %s; change what is not yours.", words.Thousands(a.Runs), a.Scenario)}}
	for _, l := range a.Locks {
		for _, c := range byHarm(l.Cells)[:1] {
			s.Commands = append(s.Commands, c.Command)
			if c.Replay != "" {
				s.Commands = append(s.Commands, words.ReplayLine(program, c.Replay))
			}
		}
	}
	return s
}
