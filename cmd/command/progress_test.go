package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// shownOn returns the progress output of a campaign of two strategies with a run every step.
func shownOn(terminal bool, runs int, step time.Duration) string {
	var out bytes.Buffer
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &progress{out: &out, title: "pauses", labels: []string{"redis", "fenced"}, now: func() time.Time { return at }, redraws: terminal, width: func() int { return 100 }}
	p.begin()
	for i := 1; i <= runs; i++ {
		at = at.Add(step)
		p.show(campaign.Progress{Done: i, Total: runs, Label: p.labels[(i-1)%2], Violated: i%4 == 1})
	}
	p.end()
	return out.String()
}

func TestProgressOnATerminalRedrawsOneLine(t *testing.T) {
	want := "\r\x1b[Kpauses: 1/4 runs, 3s left; rates: redis 100 %, fenced -" +
		"\r\x1b[Kpauses: 2/4 runs, 2s left; rates: redis 100 %, fenced 0 %" +
		"\r\x1b[Kpauses: 3/4 runs, 1s left; rates: redis 50 %, fenced 0 %" +
		"\r\x1b[Kpauses: 4/4 runs, 0s left; rates: redis 50 %, fenced 0 %" +
		"\r\x1b[K"
	if diff := cmp.Diff(want, shownOn(true, 4, time.Second)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	// For a thousand runs in a second the line is drawn ten times, and cleared.
	if n := strings.Count(shownOn(true, 1000, time.Millisecond), "\r"); n != 11 {
		t.Errorf("drawn %d times", n-1)
	}
	if got := shownOn(true, 0, time.Second); got != "" {
		t.Errorf("nothing was run, and this is shown: %q", got)
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	p := &progress{title: "pauses", labels: []string{"redis", "fenced", "漢字"}, now: time.Now}
	p.begin()
	p.last = campaign.Progress{Done: 12, Total: 34}
	for width, want := range map[int]string{
		61: "pauses: 12/34 runs, 5s left; rates: redis -, fenced -, 漢字 -",
		60: "pauses: 12/34 runs, 5s left; rates: redis -, fenced -, ...",
		48: "pauses: 12/34 runs, 5s left; rates: redis -, ...",
		47: "pauses: 12/34 runs, 5s left",
		10: "pauses: 12",
	} {
		if got := p.line("5s left", width); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
	for width := 1; width < 80; width++ {
		if got := p.line("5s left", width); words.Width(got) > width {
			t.Errorf("%q is wider than %d columns", got, width)
		}
	}
}

func TestProgressInAFileIsALineEveryTenSeconds(t *testing.T) {
	if got := shownOn(false, 9, time.Second); got != "" {
		t.Errorf("after 9s this is shown: %q", got)
	}
	want := fmt.Sprintln("pauses: 10/24 runs, 14s left; rates: redis 60 %, fenced 0 %") +
		fmt.Sprintln("pauses: 20/24 runs, 4s left; rates: redis 50 %, fenced 0 %") +
		fmt.Sprintln("pauses: 24/24 runs, took 24s; rates: redis 50 %, fenced 0 %")
	if diff := cmp.Diff(want, shownOn(false, 24, time.Second)); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// Two runs of a under one case hold, and one under another fails: 33 %.
func TestProgressCountsTheCasesOfAStrategyTogether(t *testing.T) {
	s := &scenarios.Scenario{Strategies: []scenarios.Strategy{{Label: "a under pauses", Case: "pauses"}, {Label: "a under crashes", Case: "crashes"}, {Label: "b"}}}
	var out bytes.Buffer
	p := newProgress(&out, "cases", s, nil)
	for i, label := range []string{"a under pauses", "a under pauses", "a under crashes"} {
		p.show(campaign.Progress{Done: i + 1, Total: 4, Label: label, Violated: i == 2})
	}
	if got, want := p.line("1s left", 80), "cases: 3/4 runs, 1s left; rates: a 33 %, b -"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// 10 of 100 runs in 30 s leave 270 s. If they are a quarter of the work, they leave 90 s. 4 of the 10 runs from a journal
// took no time: 6 took 30 s, so that 90 take 450 s.
func TestTheTimeLeftFollowsTheShareOfTheWork(t *testing.T) {
	for _, test := range []struct {
		at   campaign.Progress
		want time.Duration
	}{
		{campaign.Progress{Done: 10, Total: 100}, 270 * time.Second},
		{campaign.Progress{Done: 10, Total: 100, Share: 0.25}, 90 * time.Second},
		{campaign.Progress{Done: 10, Total: 100, Recalled: 4}, 450 * time.Second},
	} {
		if got := left(test.at, 30*time.Second); got != test.want {
			t.Errorf("%+v: %v left, want %v", test.at, got, test.want)
		}
	}
}

func TestQuietShowsNoProgress(t *testing.T) {
	s := &scenarios.Scenario{Strategies: []scenarios.Strategy{{Label: "a"}}}
	for _, quiet := range []bool{false, true} {
		show, end := (&delivery{quiet: quiet}).progress(io.Discard, "small", s, nil)
		if (show == nil) != quiet {
			t.Errorf("quiet %v shows progress: %v", quiet, show != nil)
		}
		end()
	}
}
