package reports

import (
	"fmt"
	"slices"

	"lockquake/reports/tables"
	"lockquake/reports/timeline"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// cardGroup has the cards of one strategy. They fold if there are several.
type cardGroup struct {
	Label  string
	Checks []string // of all its cards, each once
	Open   bool
	Cards  []pageCard
}

// pageCard is one failing run of a strategy, with all checks that the run violates. The card
// tells the story of the most serious one.
type pageCard struct {
	ID, Label string
	Checks    []string
	Seed      uint64
	Finding   string   // what completes the violation
	Verdicts  []string // of the other checks
	Open      bool
	Timeline  timeline.Timeline
	Replay    string
	Dir       string
	SVG, PNG  bool // there is such a file

	use results.StrategyStats
}

// anchorKey names the first failure of a check under one use of a strategy.
func anchorKey(st results.StrategyStats, check string) string { return st.Label + "\x00" + check }

// cardGroups returns the cards of a campaign by strategy, and the ID of the card of each failure
// by anchorKey. Failures of harmless checks have no card.
func cardGroups(failures []shownFailure) (groups []cardGroup, anchors map[string]string) {
	anchors = map[string]string{}
	var cards []*pageCard
	for i := range failures {
		shown := &failures[i]
		checks := slices.DeleteFunc(shown.checks(), shown.stats.Harmless)
		if len(checks) == 0 {
			continue
		}
		seed := shown.failures[0].Seed
		at := slices.IndexFunc(cards, func(c *pageCard) bool { return c.use.Label == shown.stats.Label && c.Seed == seed })
		if at < 0 {
			at = len(cards)
			cards = append(cards, newCard(shown, fmt.Sprintf("failure-%d", at+1)))
		}
		card := cards[at]
		for _, check := range checks {
			anchors[anchorKey(shown.stats, check)] = card.ID
		}
		card.Checks = append(card.Checks, checks...)
	}
	opened := openingCard(cards)
	for i, card := range cards {
		card.Open = i == opened
		label := words.Labelled(card.use.Use(), card.use.Name)
		if n := len(groups); n == 0 || groups[n-1].Label != label {
			groups = append(groups, cardGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Cards = append(g.Cards, *card)
		g.Open = g.Open || card.Open
		for _, check := range card.Checks {
			if !slices.Contains(g.Checks, check) {
				g.Checks = append(g.Checks, check)
			}
		}
	}
	return groups, anchors
}

func newCard(shown *shownFailure, id string) *pageCard {
	f := shown.failures[0]
	label := words.Plain(shown.stats.Label, 60)
	if shown.stats.Use() != shown.stats.Name {
		label = tables.Name(shown.stats)
	}
	return &pageCard{
		ID: id, Label: label, Seed: f.Seed, Timeline: shown.timeline,
		Replay: words.ReplayLine(f.Trial.Program, f.Trial.Replay), Dir: failureDir(shown.stats, f) + "/", SVG: shown.svg != nil, PNG: shown.svg != nil && shown.stats.Case == "",
		Finding: shown.story.Finding, Verdicts: shown.story.Verdicts,
		use: shown.stats,
	}
}

// openingCard chooses the card that the page shows first: an unexpected one, else the first
// one of a lock, else one of the strategy "none", whose failures are no surprise.
func openingCard(cards []*pageCard) int {
	best, rank := -1, 3
	for i, card := range cards {
		r := 1
		switch {
		case tables.OutcomeOf(card.use) == tables.Unexpected:
			r = 0
		case card.use.Name == "none":
			r = 2
		}
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}
