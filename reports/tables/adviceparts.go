package tables

import (
	"cmp"
	"fmt"
	"strings"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// adviceTTL says which TTL is enough.
func adviceTTL(a *results.Advice) AdviceSection {
	t := a.TTL
	with := causeWords(a, t.Cause)
	s := AdviceSection{Title: "Which TTL for the " + with, Commands: []string{t.Command}}
	if t.Cause == results.NoFault {
		s.Title = "Which TTL without a fault"
	}
	if t.Holds == "" {
		s.Text = append(s.Text, fmt.Sprintf("No TTL from %s to %s was enough: with %s, %s.", t.Shortest, t.Longest, with, cmp.Or(t.Why, "a longer one is worse")))
	} else {
		s.Text = append(s.Text, ttlHolds(t, with))
		if t.HoldsCommand != "" {
			s.Commands = append(s.Commands, t.HoldsCommand)
		}
	}
	s.Text[0] += " For the other faults see below."
	for _, c := range a.Changes {
		if c.Lock == a.Locks[0].Label && c.Assumption == "TTL" && c.Value == "half as long" && c.Clear() && c.Effect() > 0 {
			s.Text = append(s.Text, fmt.Sprintf("With half the TTL more is lost through %s: %s, instead of %s.", causeWords(a, c.Cause), lossOf(c.After), lossOf(c.Before)))
		}
	}
	if t.Taken {
		s.Text = append(s.Text, "All other figures are those of this TTL, rounded up.")
	}
	for _, c := range t.Helped {
		s.Text = append(s.Text, fmt.Sprintf("A TTL of %s also helps against %s: nothing was lost in %d runs (%s).", t.Longest, causeWords(a, c.Cause), c.Runs, words.Below(stats.AtMost(c.Runs))))
		s.Commands = append(s.Commands, c.Command)
	}
	for _, c := range t.Helpless {
		s.Text = append(s.Text, fmt.Sprintf("No TTL up to %s helps against %s: with the longest %s still lose something.", t.Longest, causeWords(a, c.Cause), ofRuns(c)))
		s.Commands = append(s.Commands, c.Command)
	}
	return s
}

// ttlHolds says what happened with the TTL that was found, and with the longest one that is too short.
func ttlHolds(t *results.AdviceTTL, with string) string {
	text := fmt.Sprintf("With a TTL of %s nothing was lost in %d runs (%s) with %s, and %d of %d jobs were finished (%s).",
		t.Holds, t.HoldsRuns, words.Below(stats.AtMost(t.HoldsRuns)), with, t.Finished, t.Jobs, words.Interval(t.Low, t.High))
	if t.Breaks == "" {
		return text + " No shorter one was tried."
	}
	return fmt.Sprintf("%s With %s, %s.", text, t.Breaks, t.Why)
}

// adviceCosts has a row for each lock.
func adviceCosts(a *results.Advice) AdviceSection {
	g := Grid{Head: []string{"lock", "commands/acquisition", "wait p99", "outage of a crash", "work done"}, Texts: 1}
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
	return AdviceSection{Title: "What each costs", Grid: g, Notes: []string{
		"Commands go to the servers of the lock. Commands and waits are those of runs without faults. Outage: the time without service that a crash of a worker adds. " +
			"Work done: the share of the jobs under all faults that were finished; an attempt that fails because a server is down does not count as a job.",
	}}
}

// adviceChanges names the assumptions with a clear effect, the steepest first.
func adviceChanges(a *results.Advice) AdviceSection {
	s := AdviceSection{Title: "What would change the answer", Grid: Grid{Head: []string{"lock", "with", "under", "lost in", "instead of"}, Texts: 5}}
	named := map[string]bool{} // by lock and direction
	var unclear []string
	harmed := map[string]bool{} // locks of which a change has a clear effect
	for _, c := range a.Changes {
		if !c.Clear() {
			if c.Lock == a.Locks[0].Label {
				unclear = append(unclear, c.Assumption+" "+c.Value)
			}
			continue
		}
		harmed[c.Lock] = true
		if key := fmt.Sprint(c.Lock, c.Effect() > 0); !named[key] { // the steepest of its direction
			named[key] = true
			s.Commands = append(s.Commands, c.After.Command)
		}
		s.Grid.Rows = append(s.Grid.Rows, []string{c.Lock, c.Assumption + " " + c.Value, c.Cause, lossOf(c.After), lossOf(c.Before)})
	}
	if !harmed[a.Locks[0].Label] {
		s.Text = append(s.Text, "None of the assumptions that were varied clearly changes what your lock loses.")
	}
	if last := a.Changes[max(0, len(a.Changes)-1):]; len(last) > 0 && last[0].Lock != a.Locks[0].Label && !harmed[last[0].Lock] {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: no change for the worse has a clear effect.", last[0].Lock))
	}
	if len(unclear) > 0 {
		s.Notes = append(s.Notes, "No clear effect on your lock, since the 95 % intervals overlap: "+strings.Join(unclear, "; ")+".")
	}
	return s
}

func ofRuns(c results.AdviceCell) string { return fmt.Sprintf("%d of %d runs", c.Lost, c.Runs) }

// adviceRuns says how to repeat the figures.
func adviceRuns(a *results.Advice) AdviceSection {
	program := cmp.Or(a.Program, "lockquake")
	s := AdviceSection{Title: "Run it again", Text: []string{
		fmt.Sprintf("These are the results of %s runs. The scenario is %s: change the values in it that do not fit your system. A line with run repeats the figures of a lock, with --strategy 'LOCK under CASE' those of one kind of fault. A line with replay repeats its first failing run.", words.Thousands(a.Runs), a.Scenario),
	}}
	for i := range a.Locks {
		l := &a.Locks[i]
		s.Commands = append(s.Commands, l.Command)
		for _, c := range byHarm(l.Cells) {
			if c.Replay != "" {
				s.Commands = append(s.Commands, words.ReplayLine(program, c.Replay))
				break
			}
		}
	}
	return s
}
