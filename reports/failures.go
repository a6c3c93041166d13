package reports

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/reports/picture"
	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/reports/timeline"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// shownFailure is a failure as the report shows it: the story and its pictures. Checks
// that fail in the same run for the same reason share one.
type shownFailure struct {
	stats    results.StrategyStats
	failures []results.Failure
	story    story.Story
	timeline timeline.Timeline
	svg, png []byte // nil if there is nothing to draw
}

// maxPictures bounds how many timelines are drawn as pictures, in the order of the
// strategies: each takes a fifth of a second. The page has all timelines.
const maxPictures = 60

// shownFailures returns all failures of a campaign with their stories, in the order of its
// strategies.
func shownFailures(c *results.Campaign) ([]shownFailure, error) {
	var all []shownFailure
	for _, st := range failed(c) {
		first := len(all)
		for _, f := range st.Failures {
			told := story.TellCheck(f.Trial, f.Check)
			same := slices.IndexFunc(all[first:], func(t shownFailure) bool {
				return t.failures[0].Seed == f.Seed && slices.EqualFunc(t.story.Lines, told.Lines, sameLine)
			})
			if same >= 0 {
				t := &all[first+same]
				t.failures = append(t.failures, f)
				continue
			}
			all = append(all, shownFailure{
				stats: st, failures: []results.Failure{f}, story: told, timeline: timeline.Of(f.Trial, f.Check),
			})
		}
	}
	for i := range all {
		t := &all[i]
		t.timeline.Strategy, t.timeline.Check = words.Plain(t.stats.Label, 60), strings.Join(t.checks(), ", ")
		if len(t.timeline.Lanes) == 0 || i >= maxPictures {
			continue
		}
		var err error
		if t.svg, t.png, err = picture.Timeline(&t.timeline, tables.Name(t.stats)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sameLine reports whether two lines have the same text and state. It ignores whether a
// line is marked as evidence, which depends on the check.
func sameLine(a, b story.Line) bool {
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

// otherGrid lists the first failures that a campaign with cases, or one of large runs, does not
// keep whole, with the line that repeats each.
func otherGrid(c *results.Campaign) tables.Grid {
	g := tables.Grid{
		Title: "Other first failures",
		Note:  "For each check and each class of faults one failure is above. The command repeats another one, with its story.",
		Texts: 4, Head: []string{"strategy", "check", "seed", "repeat it"},
	}
	switch {
	case tables.HasCases(c):
	default: // of large runs, or read from a file
		g.Title, g.Note = "First failures that are not kept", "These runs were too large to keep, or the results were read from a file. The command repeats one, with its story."
	}
	for _, st := range c.Strategies {
		replays := map[string]int{} // its rows, by token
		for _, check := range st.Order {
			stats := st.Checks[check]
			whole := slices.ContainsFunc(st.Failures, func(f results.Failure) bool { return f.Check == check && f.Trial != nil })
			if stats.Replay == "" || whole || st.Harmless(check) {
				continue
			}
			if row, same := replays[stats.Replay]; same {
				g.Rows[row][1] += ", " + check
				continue
			}
			replays[stats.Replay] = len(g.Rows)
			g.Rows = append(g.Rows, []string{tables.Name(st), check, strconv.FormatUint(stats.FirstSeed, 10), words.ReplayLine(c.Program, stats.Replay)})
		}
	}
	return g
}

// failed lists the uses with a failure whose run is there, in their order. A campaign
// that was read from a file has no runs.
func failed(c *results.Campaign) []results.StrategyStats {
	var list []results.StrategyStats
	for _, st := range c.Strategies {
		st.Failures = slices.DeleteFunc(slices.Clone(st.Failures), func(f results.Failure) bool { return f.Trial == nil })
		if len(st.Failures) > 0 {
			list = append(list, st)
		}
	}
	return list
}
