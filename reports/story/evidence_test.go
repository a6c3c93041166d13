package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// Each line must also be true: its history has what the line says.
func TestEveryStoryOfABuiltInFailureHasItsEvidence(t *testing.T) {
	t.Parallel()
	seeds := uint64(5)
	if testing.Short() {
		seeds = 2
	}
	for _, name := range scenarios.Builtins() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := scenarios.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			last := seeds
			if len(s.Faults) > 0 && s.Faults[0].Case != "" { // many runs as it is
				last = 1
			}
			c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: last}, Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range c.Strategies {
				for _, f := range st.Failures {
					checkStory(t, fmt.Sprintf("%s, %s, seed %d", st.Label, f.Check, f.Seed), f.Trial, f.Check)
				}
			}
		})
	}
}

// checkStory checks one story: its evidence is there and marked, and its lines are true.
func checkStory(t *testing.T, name string, run *results.Trial, check string) {
	t.Helper()
	story := TellCheck(run, check)
	var problems []string
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	i := slices.IndexFunc(run.Results, func(r checker.Result) bool { return r.Check == check })
	decisive := 0
	for _, line := range story.Lines {
		if line.Decisive {
			decisive++
			if !line.Evidence {
				wrong("the marked line is no evidence: %s", line.Text)
			}
		}
	}
	if decisive != 1 {
		wrong("%d lines are decisive, want 1", decisive)
	}
	for _, seq := range run.Results[i].Findings[0].Events {
		if !slices.ContainsFunc(story.Lines, func(l Line) bool { return l.Evidence && tellsEvent(l, &run.History.Events[seq-1]) }) {
			wrong("event %d (%s) of the evidence is not told", seq, run.History.Events[seq-1].Type)
		}
	}
	problems = append(problems, untrue(run, story)...)
	if len(problems) > 0 {
		var out strings.Builder
		_ = story.Write(&out, words.Screen{Width: 160}) // a Builder takes everything
		t.Errorf("%s:\n%s\n%s", name, strings.Join(problems, "\n"), out.String())
	}
}

func tellsEvent(l Line, e *history.Event) bool {
	return l.Seq == e.Seq || slices.Contains(l.tells, e.Seq) || e.Request != 0 && l.request == e.Request
}

// untrue lists the lines of a story that its history contradicts.
func untrue(run *results.Trial, story Story) []string {
	var problems []string
	times, before := story.Times(), -1.0
	for _, line := range story.Lines {
		at, err := strconv.ParseFloat(strings.TrimSpace(times[line.At]), 64)
		if err != nil || at < before {
			problems = append(problems, fmt.Sprintf("time %s comes after %v", times[line.At], before))
		}
		before = at
		for _, claim := range claims {
			if claim.text.MatchString(line.Text) && !claim.holds(run, line) {
				problems = append(problems, "not so: "+line.Text)
			}
		}
		if text := line.Text; text != strings.Join(strings.Fields(text), " ") || strings.Contains(text, "for 0s") {
			problems = append(problems, fmt.Sprintf("not a sentence: %q", text))
		}
	}
	return problems
}

// claims maps words of a story to a test of the history at the moment of their line.
var claims = []struct {
	text  *regexp.Regexp
	holds func(run *results.Trial, l Line) bool
}{
	{regexp.MustCompile("^takes over"), happened(func(e *history.Event) bool { return e.Type == history.Promoted })},
	{regexp.MustCompile("^comes back"), happened(func(e *history.Event) bool { return e.Type == history.Restarted })},
	{regexp.MustCompile("^starts again"), happened(func(e *history.Event) bool {
		return e.Type == history.Restarted || e.Type == history.FaultEnd && e.Kind == "crash"
	})},
	{regexp.MustCompile("^(crashes|forgets)"), happened(func(e *history.Event) bool {
		return e.Type == history.Crashed || e.Type == history.FaultBegin && e.Kind == "crash"
	})},
	{regexp.MustCompile("'s lease is deleted"), happened(func(e *history.Event) bool { return e.Type == history.FaultBegin && e.Kind == "delete" })},
	{regexp.MustCompile("'s lease is evicted"), happened(func(e *history.Event) bool { return e.Type == history.FaultBegin && e.Kind == "evict" })},
	{regexp.MustCompile("^keys? .* (is|are) (deleted|evicted)"), func(run *results.Trial, l Line) bool {
		return happened(func(e *history.Event) bool {
			words := strings.Fields(l.Text)
			return e.Type == history.FaultBegin && strings.Contains(e.Hit, strings.Trim(words[1], ","))
		})(run, l)
	}},
	{regexp.MustCompile("arrives a second time"), func(run *results.Trial, _ Line) bool {
		return slices.ContainsFunc(run.Plan.Steps, func(s faults.Step) bool { return s.Kind() == "duplicate" })
	}},
	{regexp.MustCompile("^reads .*out of date"), func(run *results.Trial, l Line) bool {
		read := run.History.Events[l.Seq-1]
		return read.Prior != "" && read.Prior != read.Value || slices.ContainsFunc(run.History.Events[:l.Seq-1], func(e history.Event) bool {
			return e.Type == history.Applied && e.Op == "write" && e.Accepted && e.Key == read.Key && e.Value != read.Value
		})
	}},
	{regexp.MustCompile("got no answer$"), func(run *results.Trial, l Line) bool {
		of := run.History.Events[l.Seq-1]
		from := slices.IndexFunc(run.History.Events, func(e history.Event) bool {
			return e.Type == history.AcquireCalled && e.Worker == l.Actor && (of.Section == 0 || e.Section == of.Section)
		})
		return from >= 0 && !slices.ContainsFunc(run.History.Events[from:l.Seq-1], func(e history.Event) bool {
			return (e.Type == history.Granted || e.Type == history.Refused) && e.Worker == l.Actor && e.Sent >= run.History.Events[from].At
		})
	}},
	{regexp.MustCompile("never learns of it$"), func(run *results.Trial, l Line) bool {
		sections, err := run.History.Sections()
		return err == nil && !slices.ContainsFunc(sections, func(s *history.Section) bool { return s.Grant == l.Seq })
	}},
	{regexp.MustCompile("^[a-z-]+ ends$"), func(*results.Trial, Line) bool { return false }}, // a kind that the story has no words for
	{regexp.MustCompile(" hits "), func(*results.Trial, Line) bool { return false }},
}

// happened reports whether a history has such an event at the moment of a line.
func happened(such func(e *history.Event) bool) func(*results.Trial, Line) bool {
	return func(run *results.Trial, l Line) bool {
		return slices.ContainsFunc(run.History.Events, func(e history.Event) bool { return e.At == l.At && such(&e) })
	}
}
