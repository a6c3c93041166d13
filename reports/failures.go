package reports

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/scenarios/results"
)

// shownFailure is a failure as the report shows it: the story and its pictures. Checks
// that fail in the same run for the same reason share one.
type shownFailure struct {
	stats    results.StrategyStats
	failures []results.Failure
	story    Story
	timeline Timeline
	svg, png []byte // nil if there is nothing to draw
}

// mostPictures bounds how many timelines are drawn, in the order of the
// strategies: each takes a fifth of a second. The page has all of them.
const mostPictures = 60

// shownFailures tells all failures of a campaign, in the order of its strategies.
func shownFailures(c *results.Campaign) ([]shownFailure, error) {
	var all []shownFailure
	for _, st := range failed(c) {
		first := len(all)
		for _, f := range st.Failures {
			story := TellCheck(f.Trial, f.Check)
			same := slices.IndexFunc(all[first:], func(t shownFailure) bool {
				return t.failures[0].Seed == f.Seed && slices.EqualFunc(t.story.Lines, story.Lines, sameLine)
			})
			if same >= 0 {
				t := &all[first+same]
				t.failures = append(t.failures, f)
				continue
			}
			all = append(all, shownFailure{
				stats: st, failures: []results.Failure{f}, story: story, timeline: TimelineOf(f.Trial, f.Check),
			})
		}
	}
	for i := range all {
		t := &all[i]
		t.timeline.Strategy, t.timeline.Check = plain(t.stats.Label, 60), strings.Join(t.checks(), ", ")
		if len(t.timeline.Lanes) == 0 || i >= mostPictures {
			continue
		}
		var err error
		if t.svg, t.png, err = timelinePicture(&t.timeline, name(t.stats)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sameLine reports whether two lines tell the same: what is evidence in one story
// may be what led to it in the other.
func sameLine(a, b Line) bool {
	return a.At == b.At && a.Actor == b.Actor && a.Text == b.Text && a.Decisive == b.Decisive &&
		a.Believes == b.Believes && a.Lease == b.Lease && a.Resource == b.Resource
}

func (t *shownFailure) checks() []string {
	var names []string
	for _, f := range t.failures {
		names = append(names, f.Check)
	}
	return names
}

// otherGrid lists the first failures that a campaign with cases does not keep
// whole, with the line that repeats each.
func otherGrid(c *results.Campaign) grid {
	g := grid{
		Title: "Other first failures",
		Note:  "Of each check and each class of faults one failure is kept whole, above. The line repeats the others, story and all.",
		Texts: 4, Head: []string{"strategy", "check", "seed", "repeat it"},
	}
	if !hasCases(c) {
		return g
	}
	for _, st := range c.Strategies {
		for _, check := range st.Order {
			stats := st.Checks[check]
			whole := slices.ContainsFunc(st.Failures, func(f results.Failure) bool { return f.Check == check })
			if stats.Replay != "" && !whole {
				g.Rows = append(g.Rows, []string{name(st), check, strconv.FormatUint(stats.FirstSeed, 10), results.ReplayLine(c.Program, stats.Replay)})
			}
		}
	}
	return g
}
