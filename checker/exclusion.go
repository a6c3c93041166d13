package checker

import (
	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func exclusionCheck() Check {
	return Check{
		Name: "exclusion",
		Doc:  "no two sections of one lock work on the resource at the same time",
		Did:  "had two holders at work at once",
		DidIn: map[string]string{
			"leader":          "had two leaders at work at once",
			"leader-election": "had two leaders at work at once",
		},
		About: Corruption, Rank: 3,
		OfHolders: true,
		Unit:      "a section that was at work when another one began to work",
		run:       exclusion,
	}
}

// exclusion looks for two sections of one lock that were at work on the resource at the same time.
// A section is at work from the first to the last of its operations that the resource accepted.
// Without the resource's record, it is at work from the call of its first operation with outcome ok
// to the return of the last.
//
// One violation is a section during whose work another one began to work; usually it had lost its
// lock. It counts once, no matter how many others began.
//
// Overlap alone is not corruption: two sections that only read do each other no harm. The check
// linearizable judges the effect on the data.
func exclusion(in *input, r *Result) {
	in.overlapping(r, in.work, "overlap: %s and %s were both at work under lock %s %s")
}

// work returns the interval in which s worked on the resource, and whether it did.
func (in *input) work(s *history.Section) (interval, bool) {
	x := interval{section: s}
	for _, o := range s.Ops {
		if in.Effect(o) != evidence.Accepted {
			continue
		}
		took := span(o)
		if x.from == 0 || took.from < x.from {
			x.from, x.fromAt = took.from, took.fromAt
		}
		if took.to > x.to {
			x.to, x.toAt = took.to, took.toAt
		}
	}
	return x, x.from != 0
}
