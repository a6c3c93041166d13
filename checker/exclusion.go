package checker

import "lockquake/history"

// exclusion looks for two sections of one lock that were at work on the
// resource at once, each from the first to the last of its operations that
// the resource accepted. Where the resource kept no record, a section was at
// work from the call of its first operation that was ok to the return of the
// last.
//
// One violation is a section during whose work another one began to work: mostly
// it had lost its lock. How many came while it stood still does not matter.
//
// Overlap alone is not corruption: two sections that only read do no harm to
// each other. What it did to the data is for linearizable to say.
func exclusion(in *input, r *Result) {
	in.overlapping(r, in.work, "overlap: %s and %s were both at work under lock %s %s")
}

// work returns the interval in which s worked on the resource, if it did.
func (in *input) work(s *history.Section) (interval, bool) {
	x := interval{section: s}
	for _, o := range s.Ops {
		if in.effect(o) != accepted {
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
