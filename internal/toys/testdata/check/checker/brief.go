package checker

import "time"

const longestBrief = 500 * time.Millisecond

func briefCheck() Check {
	return Check{
		Name:  "brief",
		Doc:   "no section holds its lock for longer than half a second",
		Did:   "kept a lock for too long",
		About: Efficiency, Rank: 8,
		Unit: "a section that held its lock for longer",
		run:  brief,
	}
}

func brief(in *input, r *Result) {
	for _, s := range in.Sections {
		if s.Enter == 0 || s.Leave == 0 {
			continue
		}
		r.Applies = true
		if took := s.LeaveAt - s.EnterAt; took > longestBrief {
			r.find(Invalid, []int64{s.Enter, s.Leave}, "long: %s's section %d held lock %s for %v", s.Worker, s.N, s.Key, took)
		}
	}
}
