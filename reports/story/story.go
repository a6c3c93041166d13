package story

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// maxLines bounds the lines of a story, so that it fits on a screen.
const maxLines = 25

// Story tells one run line by line.
type Story struct {
	Title    string
	NoLock   bool     // no worker holds a lock; a worker is in its section or not
	Finding  string   // the verdict of the check whose violation the story shows; "" if nothing was violated
	Lines    []Line   // at most 25
	Verdicts []string // the other verdicts: a sentence for each check that found something, one for each group of the others
	Replay   string   // token that repeats the run
	Program  string   // name of the program that repeats it, as in scenarios.Scenario
}

// Line is an event in words, with the state of the lock and the resource after it.
type Line struct {
	At    time.Duration // true time since the run began
	Actor string        // a worker, a lock server, "lock" for all of them, "resource", "network", or "others"
	Text  string

	Believes string // the workers that believe they hold the lock, or without a lock those in their sections
	Lease    string // the holder at the servers, the end of its lease, and its token
	Resource string // the value of the resource, and its answer to this line's request

	Evidence bool // this line has an event of the evidence
	Decisive bool // this line completes the violation

	Seq     int64   // number of its event; 0 if it has several
	tells   []int64 // numbers of other events that it covers
	request int64   // number of its operation; 0: none
	weight  weight
	loses   bool // it is a write that loses an update
	changes bool // it changes the value of the resource
	frees   bool // it is the end of a lease by the server
	again   int  // how many more times it tells the same fault
	ending  bool // it is the end of a section or of the run
	final   bool // it is the value of an item at the end of the run
}

// weight ranks a line: the lower, the more important.
type weight int

// The weights, the most important first. A story that is too long drops the lines with
// the highest weight first.
const (
	evidence weight = iota
	cause           // faults, leases that end without their holder's knowledge, and refused writes
	turning         // entries and other turns
	work            // reads, writes, cut links
	waiting         // refused polls, and other attempts without a result
	routine         // what a reader expects anyway
)

// Tell tells a run around the evidence of its most serious violation: of the checks that
// decide, or if they hold, of the others. It tells a run without violations from its
// beginning.
func Tell(run *results.Trial) Story { return TellCheck(run, "") }

// TellCheck tells a run around the evidence of one check. If that check found nothing, it
// does what Tell does.
func TellCheck(run *results.Trial, check string) Story {
	story := Story{Title: title(run), NoLock: NoLock(run), Replay: run.Replay, Program: run.Program}
	story.Finding, story.Verdicts = verdicts(run, check)
	if part := run.History.Meta.Part; part != nil {
		story.Verdicts = append(story.Verdicts, words.Plain(part.String(), 200))
	}
	sections, err := run.History.Sections()
	if err != nil {
		// A history that contradicts itself has no story.
		story.Verdicts = append(story.Verdicts, "no story: "+words.Plain(err.Error(), 200))
		return story
	}
	story.Lines, _ = Around(run, sections, check)
	return story
}

// NoLock reports whether the work of a run takes no lock: its strategy is lock-free, or the baseline.
func NoLock(run *results.Trial) bool {
	return run.History.Meta.LockFree || run.Strategy == "none"
}

// Around returns the lines of the story that TellCheck returns, and the part of the run
// that they cover.
func Around(run *results.Trial, sections []*history.Section, check string) ([]Line, Scope) {
	near := newScope(run.History, sections, chooseReason(run, check))
	whole := near
	whole.from, whole.to, whole.sections = firstCall(sections, near.locks), int64(len(run.History.Events)), nil
	lines := tell(run, sections, whole, routine)
	if len(lines) <= maxLines {
		return withoutAftermath(lines, near.closes), whole
	}
	if !near.evident() {
		return cut(lines), whole
	}
	// The story of a long run covers its evidence, and drops the least important lines.
	for limit := routine; limit >= evidence; limit-- {
		lines = withoutAftermath(tell(run, sections, near, limit), near.closes)
		if len(lines) <= maxLines {
			return lines, near
		}
	}
	return cut(lines), near
}

// firstCall returns the event with which a section first asked for one of the locks, or that of the begin of the run.
func firstCall(sections []*history.Section, locks []string) int64 {
	var first int64
	for _, s := range sections {
		if slices.Contains(locks, s.Key) && (first == 0 || s.Call < first) {
			first = s.Call
		}
	}
	return max(first, 1)
}

// maxAftermath bounds the lines after the one that completes the violation.
const maxAftermath = 6

// withoutAftermath shortens the story behind the line that completes the violation. Closes is the number of the event after
// which lines add nothing to it; nor do reads, refusals and the like, and the last writes before the end of the run. Of the
// other lines it keeps those of the evidence and of the end of the run, those that change the resource before a line of the
// evidence, and the first few.
func withoutAftermath(lines []Line, closes int64) []Line {
	decisive := slices.IndexFunc(lines, func(l Line) bool { return l.Decisive })
	if decisive < 0 {
		return lines
	}
	proven := decisive
	for i, l := range lines {
		if l.Evidence {
			proven = i
		}
	}
	kept, more := slices.Clone(lines[:decisive+1]), 0
	for i, l := range lines {
		switch {
		case i <= decisive:
			continue
		case l.Evidence || l.final || l.changes && i < proven:
		case l.frees || l.changes || l.Seq <= closes && (l.weight < work || l.ending):
			if more++; more > maxAftermath {
				continue
			}
		default:
			continue
		}
		kept = append(kept, l)
	}
	end := slices.IndexFunc(kept, func(l Line) bool { return l.final })
	if end < 0 {
		end = len(kept)
	}
	last := end
	for last > decisive+1 && kept[last-1].changes && !kept[last-1].loses && !kept[last-1].Evidence {
		last--
	}
	return slices.Delete(kept, last, end)
}

// cut shortens a story that is still too long. It keeps the lines of the evidence; if
// these are too many, only those of operations. If there is no evidence, or even these
// are too many, it keeps the first and the last lines.
func cut(lines []Line) []Line {
	if slices.ContainsFunc(lines, func(l Line) bool { return l.Evidence }) {
		lines = slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.weight != evidence })
		if len(lines) > maxLines {
			lines = operations(lines)
		}
		if len(lines) <= maxLines {
			return lines
		}
	}
	const head = maxLines / 2
	tail := len(lines) - (maxLines - head - 1)
	gap := Line{
		At: lines[tail-1].At, Actor: "...",
		Text:     fmt.Sprintf("%d lines are left out here", tail-head),
		Believes: lines[tail-1].Believes, Lease: lines[tail-1].Lease, Resource: lines[tail-1].Resource,
	}
	short := append([]Line{}, lines[:head]...)
	return append(append(short, gap), lines[tail:]...)
}

// operations keeps the lines of operations, the decisive line, and those of the end of
// the run. The events of a dropped line are covered by a neighbouring line of the same
// worker.
func operations(lines []Line) []Line {
	keeps := func(l Line) bool { return l.request != 0 || l.Decisive || !l.Evidence }
	kept := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !keeps(l) })
	for _, l := range lines {
		if keeps(l) {
			continue
		}
		near := -1
		for i := range kept {
			if kept[i].Actor == l.Actor && (near < 0 || kept[near].Seq < l.Seq) {
				near = i
			}
		}
		if near >= 0 {
			kept[near].tells = append(append(slices.Clone(kept[near].tells), l.Seq), l.tells...)
		}
	}
	return kept
}

func title(run *results.Trial) string {
	fence := run.History.Meta.Fence
	if fence == "" {
		fence = "off"
	}
	return fmt.Sprintf("%s: %s, seed %d, resource fence: %s", words.Plain(run.Scenario, 60), words.Labelled(run.Label, run.Strategy), run.Seed, words.Plain(fence, 30))
}

// verdicts returns the verdict of the check whose violation the story shows, and a sentence for each other
// violated or undecided check, and one for all others together. Checks with the same verdict and
// finding share a sentence.
func verdicts(run *results.Trial, check string) (finding string, others []string) {
	type sentence struct {
		checks []string
		says   string
	}
	var found []sentence
	var valid, idle []string
	for _, r := range run.Results {
		switch {
		case r.Verdict == checker.Valid && !r.Applies:
			idle = append(idle, r.Check)
		case r.Verdict == checker.Valid:
			valid = append(valid, r.Check)
		default:
			says := verdict(r)
			at := slices.IndexFunc(found, func(s sentence) bool { return s.says == says })
			if at < 0 {
				at, found = len(found), append(found, sentence{says: says})
			}
			found[at].checks = append(found[at].checks, r.Check)
		}
	}
	told := ""
	if why := chooseReason(run, check); why != nil {
		told = why.check
	} else if violated := checker.Serious(run.Checks(checker.Invalid)); len(violated) > 0 {
		told = violated[0]
	}
	for _, s := range found {
		line := strings.Join(s.checks, ", ") + " " + s.says
		if slices.Contains(s.checks, told) {
			finding = line
		} else {
			others = append(others, line)
		}
	}
	if len(valid) > 0 {
		others = append(others, "valid: "+strings.Join(valid, ", "))
	}
	if len(idle) > 0 {
		others = append(others, "nothing to judge: "+strings.Join(idle, ", "))
	}
	return finding, others
}

// verdict returns the verdict of a check with its first finding.
func verdict(r checker.Result) string {
	line := string(r.Verdict)
	if text := Finding(r); text != "" {
		line += ": " + text
	}
	return line
}

// Finding returns the first finding of a check in a line, "" for none. It does not repeat the name of the check, and
// says how many violations there are, if they are several.
func Finding(r checker.Result) string {
	if len(r.Findings) == 0 {
		return ""
	}
	text := words.Plain(strings.TrimPrefix(r.Findings[0].Text, strings.ReplaceAll(r.Check, "-", " ")+": "), 400)
	if r.Count > 1 {
		text += fmt.Sprintf(" (first of %d)", r.Count)
	}
	return text
}

// reason is the finding of a check that a story is told for.
type reason struct {
	check string
	*checker.Finding
}

// chooseReason returns the finding that a story is told for: the first finding of check.
// If check found nothing, it is the first finding of the trial's own choice, or else of
// the most serious check. It returns nil if there is no evidence.
func chooseReason(run *results.Trial, check string) *reason {
	var checks []string
	findings := map[string]*checker.Finding{}
	for i := range run.Results {
		r := &run.Results[i]
		if r.Verdict == checker.Invalid && len(r.Findings) > 0 && len(r.Findings[0].Events) > 0 {
			checks = append(checks, r.Check)
			findings[r.Check] = &r.Findings[0]
		}
	}
	for _, name := range append([]string{check, run.Telling}, checker.Serious(checks)...) {
		if f := findings[name]; f != nil {
			return &reason{name, f}
		}
	}
	return nil
}
