package checker

import "lockquake/history"

func stampedeCheck() Check {
	return Check{
		Name:  "stampede",
		Doc:   "a cache entry is computed only once after each expiry",
		Did:   "computed an entry of the cache more than once",
		About: Efficiency, Rank: 7,
		Workloads: []string{"cache-fill"},
		Unit:      "an expiry after which the entry was computed more than once",
		Advisory:  true,
		run:       stampede,
	}
}

// stampede looks for entries that were computed more than once after one expiry. No data is wrong
// then, but a lock around the computation is there to avoid it.
func stampede(in *input, r *Result) {
	for _, sections := range groups(in.Sections, func(s *history.Section) string { return s.Unit }) {
		unit := sections[0].Unit
		if unit == "" {
			continue
		}
		r.Applies = true
		if done, _ := in.effects(sections); len(done) > 1 {
			events, within, who := repeated(done)
			r.find(Invalid, events, "stampede: %s was computed %d times within %s, by %s", unit, len(done), within, who)
		}
	}
}
