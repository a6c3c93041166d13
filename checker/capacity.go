package checker

import (
	"cmp"
	"slices"
	"strings"

	"lockquake/checker/internal/evidence"
)

func capacityCheck() Check {
	return Check{
		Name:  "capacity",
		Doc:   "no more sections of one lock are at work on the resource at the same time than it has permits",
		Did:   "had more holders at work than permits",
		About: Corruption, Rank: 3,
		Workloads: []string{"limited"},
		OfHolders: true,
		Unit:      "a section that began to work while the number of sections at work had already reached the number of permits",
		run:       capacity,
	}
}

// capacity counts the sections of each lock that are at work at the same time, as exclusion does for
// two: from the first to the last operation that the resource accepted. Each section that begins to
// work beside as many others as there are permits is a violation.
func capacity(in *input, r *Result) {
	if in.Meta.Permits == 0 {
		return
	}
	for _, group := range groups(in.Sections, lockOf) {
		var list []interval
		for _, s := range group {
			if x, ok := in.work(s); ok {
				r.Applies = true
				list = append(list, x)
			}
		}
		slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
		var open []interval
		for _, x := range list {
			open = slices.DeleteFunc(open, func(before interval) bool { return before.to < x.from })
			if len(open) >= in.Meta.Permits {
				in.beyond(r, open, x)
			}
			open = append(open, x)
		}
	}
}

// beyond reports a section that began to work beside all that were at work.
func (in *input) beyond(r *Result, open []interval, x interval) {
	events := []int64{x.from}
	for _, before := range open {
		events = append(events, before.from, before.to)
	}
	r.find(Invalid, events, "over capacity: %s was at work under lock %s beside %s: %d at once, and there are permits for %d",
		evidence.NameOf(x.section), x.section.Key, namesOf(open), len(open)+1, in.Meta.Permits)
}

// namesOf lists the sections of intervals.
func namesOf(list []interval) string {
	var names []string
	for _, x := range list {
		names = append(names, evidence.NameOf(x.section))
	}
	return strings.Join(names, ", ")
}
