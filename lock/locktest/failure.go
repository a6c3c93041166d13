package locktest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
	"lockquake/scenarios/search"
)

// failure says what was not as expected. If a run violates a check that had to hold, the story of the
// smallest such run follows, with the command that repeats it.
func (r *request) failure(ctx context.Context, s *scenarios.Scenario, c *results.Campaign) string {
	var b strings.Builder
	b.WriteString(r.verdict(s, c))
	b.WriteString(r.notAcquired(s, c))
	found := unexpected(s, c)
	if found == nil {
		return b.String()
	}
	small, path := r.shrink(ctx, s, found)
	trial := found.Trial
	if small != nil {
		trial = small.Trial
	}
	r.tell(&b, trial, found.Check)
	if small != nil {
		fmt.Fprintf(&b, "scenario: %s, with %v, where seed %d has %v\n", path, small.To, found.Seed, small.From)
	}
	if r.remember(trial.Replay) {
		fmt.Fprintf(&b, "the test begins with this run until it passes: %s\n", r.file(".token"))
	}
	return b.String()
}

// verdict says how often the lock violated which check, and whether that was expected.
func (r *request) verdict(s *scenarios.Scenario, c *results.Campaign) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seeds %d to %d\n", s.Name, c.Seeds.First, c.Seeds.Last)
	for _, said := range tables.Verdict(r.named(c)) {
		b.WriteString(said.Text + "\n")
	}
	b.WriteString(c.Summary() + "\n")
	return b.String()
}

// named returns the campaign with only the checks that the options name, if they name some: the others decide nothing.
func (r *request) named(c *results.Campaign) *results.Campaign {
	if !r.names() {
		return c
	}
	only := *c
	only.Strategies = slices.Clone(c.Strategies)
	for i := range only.Strategies {
		st := &only.Strategies[i]
		st.Order = slices.DeleteFunc(slices.Clone(st.Order), func(check string) bool {
			return !slices.Contains(r.expect.Holds, check) && !slices.Contains(r.expect.Violates, check)
		})
	}
	return &only
}

// notAcquired returns a line with the first error of the lock, if no work was finished under it; "" if some was, or if no call
// failed.
func (r *request) notAcquired(s *scenarios.Scenario, c *results.Campaign) string {
	i := slices.IndexFunc(c.Strategies, func(st results.StrategyStats) bool { return st.Metrics.Jobs > 0 && st.Metrics.Finished == 0 })
	if i < 0 {
		return ""
	}
	trial, err := run.Once(s, run.Request{Label: c.Strategies[i].Label, Seed: c.Seeds.First, Stall: r.stall()})
	if err != nil {
		return "" // the campaign has run this seed without an error
	}
	sections, err := trial.History.Sections()
	if err != nil {
		return ""
	}
	first, failed := "", 0
	for _, section := range sections {
		if !section.Entered() && section.Err != "" {
			first = cmp.Or(first, section.Err)
			failed++
		}
	}
	if failed == 0 {
		return ""
	}
	return fmt.Sprintf("with seed %d the lock was not acquired by %d of %d calls, the first with the error: %s\n", trial.Seed, failed, len(sections), first)
}

// unexpected returns the most serious failure that was not expected, nil if there is none: then
// something that was expected is missing.
func unexpected(s *scenarios.Scenario, c *results.Campaign) *results.Failure {
	for i, st := range c.Strategies {
		if !st.Decides || st.Expected != results.NotAsExpected {
			continue
		}
		for j, f := range st.Failures {
			wanted := st.Expects != nil && slices.Contains(st.Expects.Violates, f.Check)
			if !wanted && s.Decides(st.Label, f.Check) {
				return &c.Strategies[i].Failures[j]
			}
		}
	}
	return nil
}

// tell writes the story of a run, and the command that repeats it.
func (r *request) tell(b *strings.Builder, t *results.Trial, check string) {
	told := story.TellCheck(t, check)
	told.Replay = "" // it is a command of go test
	b.WriteByte('\n')
	_ = told.Write(b, story.InFile()) // a strings.Builder returns no error
	fmt.Fprintf(b, "\nrun it again with: %s\n", r.command(t.Replay))
}

// shrink makes a failing run smaller, and writes it as a scenario. It returns nil if that fails: the
// original run tells the same.
func (r *request) shrink(ctx context.Context, s *scenarios.Scenario, f *results.Failure) (*search.Shrunk, string) {
	if r.patience == 0 {
		return nil, ""
	}
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	path := r.file(".yaml")
	small, _ := search.Shrink(ctx, s, search.ShrinkRequest{
		Label: f.Trial.Label, Seed: f.Seed, Check: f.Check, Path: path, Stall: r.stall(),
		Comment: func(uint64) string { return "Made by a failure of " + r.test + "." },
	})
	if small == nil || os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, small.Scenario.Text, 0o644) != nil {
		return nil, ""
	}
	return small, path
}

// command returns the command that repeats a run in this test.
func (r *request) command(token string) string {
	return fmt.Sprintf("go test -run '%s' -lockquake.replay %s", r.pattern(), token)
}

// pattern returns the pattern with which go test selects this test.
func (r *request) pattern() string {
	var parts []string
	for part := range strings.SplitSeq(r.test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}
