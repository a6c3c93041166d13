package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockquake/internal/stats"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Grade says how serious a sentence is.
type Grade string

// The grades, by the names that report.html uses as classes.
const (
	Failed Grade = "failed"  // the resource was corrupted, or the result is not expected
	Flawed Grade = "flawed"  // the lock served its users badly, or mishandled tokens
	Open   Grade = "unknown" // there is too little to tell
	Held   Grade = "held"    // nothing went wrong in the runs that were done
	Met    Grade = "met"     // everything is as the scenario expects
)

// Sentence is one sentence about a campaign.
type Sentence struct {
	Text  string
	Grade Grade
	Uses  []string // labels of the strategies that it is about, without their cases
}

// mostSentences is the number of sentences that a terminal and a summary show.
const mostSentences = 12

// mostAlone is the number of strategies with a failure up to which each has a sentence.
const mostAlone = 8

// Verdict returns what happened in a campaign and how often, a sentence for each strategy, the worst
// first. Strategies with equal results share a sentence. If many strategies failed, or if the campaign
// has cases, those that failed in the same way share one.
//
// The most serious violated check of a strategy makes its sentence, whatever the scenario expects.
// Checks that find no harm (checker.Check.Advisory) make none.
func Verdict(c *results.Campaign) []Sentence {
	var idle []Sentence
	if missed := c.IdleFaults(); len(missed) > 0 {
		idle = append(idle, Sentence{Text: missedAll(missed), Grade: Open})
	}
	if c.Vacuous() {
		idle = append(idle, Sentence{Text: "unknown: nothing competed for a lock and nothing failed, so the runs show nothing about mutual exclusion", Grade: Open})
	}
	return sentencesOf(accounts(c), idle)
}

// missedAll names the faults that hit nothing. Of several it gives the numbers: a reason of the verdict names each.
func missedAll(missed []results.FaultStats) string {
	if len(missed) == 1 {
		return fmt.Sprintf("fault %s hit no section, lease or call, so it tested nothing", missed[0].Name())
	}
	var numbers []string
	for _, f := range missed {
		numbers = append(numbers, strconv.Itoa(f.Spec+1))
	}
	return fmt.Sprintf("faults %s hit no section, lease or call, so they tested nothing", strings.Join(numbers, ", "))
}

// accounts sums up the strategies of a campaign, in their order.
func accounts(c *results.Campaign) []account {
	var all []account
	for _, label := range BaseLabels(c) {
		all = append(all, accountOf(c, label, hit(c, label)))
	}
	return all
}

// firstFailure returns the token of the first failing run of the worst strategy, "" if none failed. It
// prefers strategies with a lock: work without one fails in any scenario.
func firstFailure(c *results.Campaign) string {
	failed := slices.DeleteFunc(accounts(c), func(a account) bool { return a.replay == "" })
	if len(failed) == 0 {
		return ""
	}
	slices.SortStableFunc(failed, func(a, b account) int {
		return cmp.Or(cmp.Compare(unlocked(a.label), unlocked(b.label)), worseFirst(a, b))
	})
	return failed[0].replay
}

// unlocked returns 1 for the label of work without a lock, else 0.
func unlocked(label string) int {
	if label == "none" {
		return 1
	}
	return 0
}

// sentencesOf returns the sentences of accounts and about faults, the worst first.
func sentencesOf(all []account, idle []Sentence) []Sentence {
	var failed, open, held []account
	for _, a := range all {
		switch a.grade {
		case Failed, Flawed:
			failed = append(failed, a)
		case Open:
			open = append(open, a)
		case Held, Met:
			held = append(held, a)
		}
	}
	slices.SortStableFunc(failed, worseFirst)
	list := failures(failed)
	for _, group := range grouped(open, func(a account) string { return a.why }) {
		list = append(list, Sentence{fmt.Sprintf("unknown: %s %s", namesOf(group), group[0].why), Open, usesOf(group)})
	}
	list = append(list, idle...)
	for _, group := range grouped(held, func(a account) string { return fmt.Sprint(a.cases, a.decided, a.note) }) {
		list = append(list, Sentence{fmt.Sprintf("%s had no failure %s", namesOf(group), heldText(group)), Held, usesOf(group)})
	}
	return list
}

// VerdictOf returns the sentence about one use of a strategy.
func VerdictOf(c *results.Campaign, st results.StrategyStats) Sentence {
	alone := results.Campaign{Workload: c.Workload, Strategies: []results.StrategyStats{st}}
	return sentencesOf([]account{accountOf(&alone, st.Use(), alone.Strategies)}, nil)[0]
}

// Explained says what happened under one use of a strategy, and what of it is not expected or unknown.
func Explained(c *results.Campaign, st results.StrategyStats) string {
	verdict := VerdictOf(c, st)
	text := verdict.Text
	switch OutcomeOf(st) {
	case Unexpected:
		text += "; " + st.Contradiction().Text
	case Undecided:
		if verdict.Grade != Open {
			text += "; " + st.Undecided(c.Needed)
		}
	case AsExpected, Unasked:
	}
	return text
}

// Expectations returns whether the results are as the scenario expects: one sentence that says so, or
// one for each result that is not expected or unknown.
func Expectations(c *results.Campaign) []Sentence {
	if c.Verdict == results.Pass || len(c.Reasons) == 0 {
		return []Sentence{{Text: c.Summary(), Grade: Met}}
	}
	var failed, open []Sentence
	for _, reason := range c.Reasons {
		if results.IsUnknown(reason) {
			open = append(open, Sentence{Text: reason, Grade: Open})
		} else {
			failed = append(failed, Sentence{Text: reason, Grade: Failed})
		}
	}
	if contradicted := func(st results.StrategyStats) bool { return st.Expects != nil && OutcomeOf(st) == Unexpected }; len(c.Overrides) > 0 && slices.ContainsFunc(c.Strategies, contradicted) {
		failed = append(failed, Sentence{Text: "the expectation is that of the unchanged scenario, without --set " + strings.Join(c.Overrides, " --set "), Grade: Failed})
	}
	return append(failed, open...)
}

// Shortened returns the sentences that a terminal and a summary show, and how many it leaves out. It
// keeps a sentence of each grade.
func Shortened(list []Sentence) (shown []Sentence, more int) {
	more = max(0, len(list)-mostSentences)
	if more == 0 {
		return list, 0
	}
	// Keep sentences about the strategies that held: a reader looks for a lock to take.
	held := slices.IndexFunc(list, func(s Sentence) bool { return s.Grade == Held })
	kept := 0
	if held >= 0 {
		kept = min(len(list)-held, mostSentences/2)
	}
	return slices.Concat(list[:mostSentences-kept], list[len(list)-kept:]), more
}

// failures returns the sentences about the strategies that failed, the worst first.
func failures(list []account) []Sentence {
	var sentences []Sentence
	for _, group := range grouped(list, func(a account) string { return a.kind(len(list) <= mostAlone) }) {
		text := fmt.Sprintf("%s %s", namesOf(group), group[0].failure())
		if worst, least := group[0], group[len(group)-1]; worst.classes == nil && worst.failure() != least.failure() {
			text = fmt.Sprintf("%s %s in %s of runs%s", namesOf(group), worst.did, shares(least.share(), worst.share()), worst.more)
		}
		sentences = append(sentences, Sentence{text, group[0].grade, usesOf(group)})
	}
	return sentences
}

// heldText returns how much was run without a failure, and how much work was done.
func heldText(group []account) string {
	a := group[0]
	text := fmt.Sprintf("in %s (%s)", words.Counted(a.decided, "run"), words.Below(stats.AtMost(a.decided)))
	if a.cases > 1 {
		text = fmt.Sprintf("in any of %d cases, %s each (%s of each)", a.cases, words.Counted(a.decided, "run"), words.Below(stats.AtMost(a.decided)))
	}
	least := slices.MinFunc(group, func(a, b account) int { return cmp.Compare(a.finished, b.finished) }).finished
	most := slices.MaxFunc(group, func(a, b account) int { return cmp.Compare(a.finished, b.finished) }).finished
	whose := "its"
	if len(group) > 1 {
		whose = "their"
	}
	return fmt.Sprintf("%s, and finished %s of %s work%s", text, shares(least, most), whose, a.note)
}

// grouped puts accounts with the same key together, in the order of the first of each group.
func grouped(list []account, key func(account) string) [][]account {
	var keys []string
	var groups [][]account
	for _, a := range list {
		k := key(a)
		i := slices.Index(keys, k)
		if i < 0 {
			i, keys, groups = len(keys), append(keys, k), append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}
