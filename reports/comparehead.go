package reports

import (
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/reports/tables"
	"lockquake/reports/words"
)

// Difference is a check or a measure of a strategy that differs between two results.
type Difference struct {
	Strategy string // label
	About    string // the check or the measure
	Text     string // a sentence with both figures
}

// Worsened lists what is worse in head, the most serious check first.
func (c *Comparison) Worsened() []Difference { return c.differences(worse, "got worse") }

// Unsure lists the differences that may be chance.
func (c *Comparison) Unsure() []Difference { return c.differences(cannotTell, "may have changed") }

// differences lists the checks and the measures with a judgement, with its words.
func (c *Comparison) differences(verdict judgement, said string) []Difference {
	var list []Difference
	add := func(label, about, from, to string) {
		list = append(list, Difference{label, about, fmt.Sprintf("%s %s: %s from %s to %s", words.Plain(label, 60), said, about, from, to)})
	}
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict == verdict {
				add(st.Label, check.Check, check.Base.sentence(), check.Head.sentence())
			}
		}
		for _, m := range st.Measures {
			if m.Verdict == verdict {
				add(st.Label, m.Measure, m.Base, m.Head)
			}
		}
	}
	order := checker.Serious(checker.Names())
	slices.SortStableFunc(list, func(a, b Difference) int { return place(order, a.About) - place(order, b.About) })
	return list
}

// place returns the position of a check in an order, the end for a measure.
func place(order []string, about string) int {
	if i := slices.Index(order, about); i >= 0 {
		return i
	}
	return len(order)
}

// sentence prints the violating runs among the decided ones, with the interval of their rate.
func (t tally) sentence() string {
	n := t.decided()
	switch {
	case n == 0:
		return "no decided run"
	case t.Violating == 0:
		return fmt.Sprintf("0 of %s runs (%s)", words.Thousands(n), words.Below(stats.AtMost(n)))
	}
	low, high := stats.Wilson(t.Violating, n)
	return fmt.Sprintf("%s of %s runs (%s)", words.Thousands(t.Violating), words.Thousands(n), words.Interval(low, high))
}

// headline says in one sentence what changed most.
func (c *Comparison) headline() string {
	list := c.Worsened()
	switch c.Verdict {
	case worse:
	case cannotTell:
		list = c.Unsure()
	case better:
		list = c.differences(better, "got better")
	case same:
	}
	switch more := len(list) - 1; {
	case c.Verdict == same || len(list) == 0:
		return "the same"
	case more > 0 && c.Verdict != worse: // what is also worse has sentences of its own
		return fmt.Sprintf("%s, and %d more", list[0].Text, more)
	}
	return list[0].Text
}

// alsoWorse returns what got worse beside what the headline says.
func (c *Comparison) alsoWorse() []tables.Sentence {
	var list []tables.Sentence
	for i, d := range c.Worsened() {
		if i > 0 {
			list = append(list, tables.Sentence{Text: d.Text, Grade: tables.Failed, Uses: []string{d.Strategy}})
		}
	}
	return list
}
