package advise

import (
	"slices"

	"lockquake/scenarios/campaign"
)

// pace estimates how much of its work an answer has done. The work of a run is its cost in requests, as for the
// number of seeds. The first runs show the cost of each lock under each cause.
type pace struct {
	pairs    []pair
	learning bool             // from the first runs
	first    map[string]spent // the first runs, by the label of their pair
	all      spent            // all first runs
	done     int64            // the cost of all runs that have ended
	expected float64          // the cost of all runs of the answer
}

// spent is a number of runs and what they cost together.
type spent struct{ runs, cost int64 }

// each returns the cost of one run.
func (s spent) each() float64 { return float64(s.cost) / float64(max(1, s.runs)) }

// count adds the cost of a run. As long as the pace is learned, it estimates the rest of the answer from the runs so far.
func (a *adviser) count(run campaign.Progress) {
	i := slices.IndexFunc(a.pace.pairs, func(p pair) bool { return p.label() == run.Label })
	if i < 0 {
		return
	}
	cost := run.Requests*weight(a.in.familyOf(a.pace.pairs[i].candidate.strategy)) + runCost
	a.pace.done += cost
	if !a.pace.learning {
		return
	}
	first, all := a.pace.first[run.Label], &a.pace.all
	a.pace.first[run.Label], *all = spent{first.runs + 1, first.cost + cost}, spent{all.runs + 1, all.cost + cost}
	screened := all.cost * screenSeeds * int64(len(a.pace.pairs)) / all.runs
	if a.seeds = int(min(mostSeeds, max(leastSeeds, budget*screenSeeds/screened))); a.Seeds > 0 {
		a.seeds = min(a.seeds, a.Seeds)
	}
	a.expect(a.later)
}

// later returns how many runs of a pair are left of the first ones and after them, about.
func (a *adviser) later(p pair) int {
	n := screenSeeds - int(a.pace.first[p.label()].runs) + a.seeds
	if p.candidate.label != yours {
		return n
	}
	all := a.changes()
	n += (len(all) + 1 + (len(worse(all))+1)/2) * a.fewer() // every other answer changes a second lock
	if a.in.leased() && p.cause == a.ttlCause() {
		n += (ttlSteps + ttlProbes) * a.fewer()
	}
	return n
}

// expect takes the number of runs of each pair that are left.
func (a *adviser) expect(left func(p pair) int) {
	a.total, a.pace.expected = a.done, float64(a.pace.done)
	for _, p := range a.pace.pairs {
		each := a.pace.all.each() // if none of the pair has ended yet
		if first := a.pace.first[p.label()]; first.runs > 0 {
			each = first.each()
		}
		n := left(p)
		a.total, a.pace.expected = a.total+n, a.pace.expected+float64(n)*each
	}
}

// share returns the share of the work that is done.
func (p *pace) share() float64 {
	done := float64(p.done)
	return done / max(1, done, p.expected)
}
