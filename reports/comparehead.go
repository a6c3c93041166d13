package reports

import (
	"fmt"
	"slices"
	"strings"

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

	figures string // as in "from 0 of 40 runs to 3 of 40 runs"
}

// Worsened lists what is worse in head, the most serious check first, without harmless checks.
func (c *Comparison) Worsened() []Difference { return c.differences(worse, gotWorse) }

// gotWorse has the words of a sentence about a strategy that got worse.
const gotWorse = "got worse"

// Unsure lists the differences that may be chance, without harmless checks.
func (c *Comparison) Unsure() []Difference { return c.differences(cannotTell, "may have changed") }

// differences lists the checks and the measures with a judgement, with its words.
func (c *Comparison) differences(verdict judgement, said string) []Difference {
	var list []Difference
	add := func(label, about, from, to string) {
		if from == to {
			return
		}
		figures := fmt.Sprintf("from %s to %s", from, to)
		list = append(list, Difference{label, about, sentenceOf(label, said, about+" "+figures), figures})
	}
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict == verdict && !check.Harmless {
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

// sentenceOf returns the sentence about a strategy.
func sentenceOf(label, said, changes string) string {
	return fmt.Sprintf("%s %s: %s", words.Plain(label, 60), said, changes)
}

// byStrategy returns a sentence for each strategy with all of its differences, in the order of its first one. Successive checks
// with the same figures share them.
func byStrategy(list []Difference, said string) []tables.Sentence {
	var sentences []tables.Sentence
	for i, d := range list {
		of := func(other Difference) bool { return other.Strategy == d.Strategy }
		if slices.ContainsFunc(list[:i], of) {
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(list), func(other Difference) bool { return !of(other) })
		var changes, shared []string
		for k, one := range mine {
			shared = append(shared, one.About)
			if k == len(mine)-1 || mine[k+1].figures != one.figures {
				changes, shared = append(changes, strings.Join(shared, ", ")+" "+one.figures), nil
			}
		}
		sentences = append(sentences, tables.Sentence{Text: sentenceOf(d.Strategy, said, strings.Join(changes, "; ")), Grade: tables.Failed, Uses: []string{d.Strategy}})
	}
	return sentences
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

// headline says what got worse. If nothing did, it says what got better and how much is not clear.
func (c *Comparison) headline() string {
	if c.Verdict == worse {
		return c.worsened()[0].Text // the other strategies have sentences of their own
	}
	gains, unsure := c.differences(better, "got better"), c.Unsure()
	n, unclear := c.unclear()
	switch {
	case len(gains) == 1 && n == 0:
		return gains[0].Text
	case len(gains) > 0:
		var labels []string
		for _, d := range gains {
			if label := words.Plain(d.Strategy, 60); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		text := "better: " + strings.Join(labels, ", ")
		if n > 0 {
			text += "; not clear: " + unclear
		}
		return text
	case n == 1 && len(unsure) == 1:
		return unsure[0].Text
	case n > 0:
		return "no clear difference in " + unclear
	}
	return "the same"
}

// unclear counts the checks and measures that may have changed, in words too.
func (c *Comparison) unclear() (n int, text string) {
	checks, measures := 0, 0
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict == cannotTell && !check.Harmless {
				checks++
			}
		}
		for _, m := range st.Measures {
			if m.Verdict == cannotTell {
				measures++
			}
		}
	}
	text = words.Count(checks, "check")
	switch {
	case checks == 0:
		text = words.Count(measures, "measure")
	case measures > 0:
		text += " and " + words.Count(measures, "measure")
	}
	return checks + measures, text
}

// worsened returns a sentence for each strategy that got worse.
func (c *Comparison) worsened() []tables.Sentence { return byStrategy(c.Worsened(), gotWorse) }

// alsoWorse returns what got worse beside what the headline says.
func (c *Comparison) alsoWorse() []tables.Sentence { return c.worsened()[min(1, len(c.Worsened())):] }
