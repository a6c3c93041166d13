package tables

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// A campaign with cases has a use for each strategy and case, which are too many rows
// for a table. So its reports begin with a map: a row for each strategy, a column for
// each class of faults.

// HasCases reports whether the campaign ran each strategy under one case of faults after another. A
// campaign with only the case without faults has no cases.
func HasCases(c *results.Campaign) bool {
	return slices.ContainsFunc(c.Strategies, func(st results.StrategyStats) bool { return st.Case != "" && st.Case != results.NoFault })
}

// BaseLabels lists the labels of the strategies without their cases, each once.
func BaseLabels(c *results.Campaign) []string {
	var labels []string
	for _, st := range c.Strategies {
		if label := st.Use(); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// broken marks a strategy that violated its claims.
const broken = "BROKEN"

// noClass stands for the cases that belong to no class.
const noClass = "other"

// CaseClasses lists the classes of faults that the cases of a campaign belong to, in the
// order of the catalogue.
func CaseClasses(c *results.Campaign) []results.FaultClass {
	var classes []results.FaultClass
	for _, class := range append(results.FaultClasses(), results.FaultClass{Name: noClass}) {
		if slices.ContainsFunc(c.Strategies, func(st results.StrategyStats) bool { return st.Class == class.Letter }) {
			classes = append(classes, class)
		}
	}
	return classes
}

// CaseGrid returns a row for each strategy and a column for each class of faults: how the
// strategy does in the worst case of the class.
func CaseGrid(c *results.Campaign) Grid {
	g := Grid{
		Title: "Which faults each strategy survives",
		Note: "The worst case of each class of faults. A percentage is the share of the runs that corrupted the resource. A percentage in " +
			"brackets is the share of the runs with a flaw of the service (an answer, a recovery, a wait, a token). \"holds\": the resource " +
			"was not corrupted, as the strategy claims; \"clean\": no violation, but no claim either; a dash: no fault hit the strategy.",
		Texts: 1, Head: []string{"strategy"},
	}
	classes := CaseClasses(c)
	for _, class := range classes {
		g.Head = append(g.Head, strings.TrimSpace(class.Letter+" "+class.Name))
	}
	for _, label := range BaseLabels(c) {
		row := []string{words.Plain(label, 60)}
		for _, class := range classes {
			var uses []results.StrategyStats
			for _, st := range c.Strategies {
				if st.Use() == label && st.Class == class.Letter {
					uses = append(uses, st)
				}
			}
			row = append(row, classCell(uses))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// classCell returns the cell of a strategy and a class of faults, given the uses of the
// strategy under the cases of that class.
func classCell(uses []results.StrategyStats) string {
	var corrupted, flawed float64
	claims := false
	tested := false
	for _, st := range uses {
		if st.Hit == 0 {
			continue // no fault hit it
		}
		tested = true
		switch OutcomeOf(st) {
		case Unexpected:
			return broken
		case Undecided:
			return "unknown"
		case Unasked, AsExpected:
		}
		corruptedHere, flawedHere := Harm(st)
		corrupted, flawed = max(corrupted, corruptedHere), max(flawed, flawedHere)
		claims = claims || ClaimsSafety(st)
	}
	var parts []string
	switch {
	case !tested:
		return "-"
	case corrupted > 0:
		parts = append(parts, words.WholePercent(corrupted)+" %")
	case claims:
		parts = append(parts, "holds")
	case flawed == 0:
		return "clean"
	}
	if flawed > 0 {
		parts = append(parts, fmt.Sprintf("(%s %%)", words.WholePercent(flawed)))
	}
	return strings.Join(parts, " ")
}

// Harm returns two shares of a strategy's runs: those that violated the worst check of the
// resource (corrupted), and those that violated the worst check of the service (flawed).
func Harm(st results.StrategyStats) (corrupted, flawed float64) {
	for check, stats := range st.Checks {
		if st.Runs == 0 {
			continue
		}
		share := float64(stats.Violating) / float64(st.Runs)
		switch checker.Concerns(check) {
		case checker.Corruption:
			corrupted = max(corrupted, share)
		case checker.Service, checker.Fencing:
			flawed = max(flawed, share)
		default:
		}
	}
	return corrupted, flawed
}

// ClaimsSafety reports whether a strategy claims to hold a check of the resource.
func ClaimsSafety(st results.StrategyStats) bool {
	return st.Expects != nil && slices.ContainsFunc(st.Expects.Holds, func(check string) bool {
		return checker.Concerns(check) == checker.Corruption
	})
}

// Notable returns the uses that a report lists one by one: those that violated a check or
// were not as expected. Of a campaign without cases it returns all.
func Notable(c *results.Campaign) []results.StrategyStats {
	if !HasCases(c) {
		return c.Strategies
	}
	return slices.DeleteFunc(slices.Clone(c.Strategies), func(st results.StrategyStats) bool {
		return Violated(st) == "none" && !isUnexpected(st)
	})
}

// unexpected returns the uses that are not as the scenario expects, or undecided.
func unexpected(c *results.Campaign) []results.StrategyStats {
	return slices.DeleteFunc(slices.Clone(c.Strategies), func(st results.StrategyStats) bool {
		return !isUnexpected(st)
	})
}

func isUnexpected(st results.StrategyStats) bool {
	o := OutcomeOf(st)
	return o == Unexpected || o == Undecided
}
