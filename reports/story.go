package reports

import (
	"fmt"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios"
)

// maxLines is how many lines a story has at most: more than a screen is read
// by nobody.
const maxLines = 25

// Story is one run, told line by line to somebody who was not there.
type Story struct {
	Title    string
	Lines    []Line   // at most 25
	Verdicts []string // one sentence for each check that found something, one for each group of the others
	Replay   string   // token that repeats the run
	Program  string   // that repeats it, as in scenarios.Scenario
}

// Line is something that happened, and how things stood after it.
type Line struct {
	At    time.Duration // true time since the run began
	Actor string        // a worker, "lock", "resource", "network", or "others"
	Text  string

	Believes string // the workers that believe to hold the lock
	Lease    string // who holds it in truth, until when, and with which token
	Resource string // what the resource holds, and what it did on this line

	Decisive bool // this line completes the violation

	seq    int64 // the event that it tells, 0 if it stands for several
	weight weight
	loses  bool // it is a write that loses an update
	ending bool // it is how a section or the run ended
}

// weight says how much a story would miss a line.
type weight int

// The weights, from the line that a story is told for to one that a reader
// can guess. A story that is too long loses its lightest lines first.
const (
	evidence weight = iota
	turning         // who got in, what ended, what went wrong
	work            // reads, writes, cut links
	waiting         // refused polls, and whatever came to nothing
	routine         // what everybody expects
)

// Tell tells a run by the evidence of its most telling violation: a lost
// update if there is one, else an overlap, and so on. A run in which no check
// found anything is told from its beginning.
func Tell(run *scenarios.Trial) Story { return TellCheck(run, "") }

// TellCheck is Tell by the evidence of one check, if that found something.
func TellCheck(run *scenarios.Trial, check string) Story {
	story := Story{Title: title(run), Verdicts: verdicts(run.Results), Replay: run.Replay, Program: run.Program}
	sections, err := run.History.Sections()
	if err != nil {
		// Nothing can be told of a record that contradicts itself.
		story.Verdicts = append(story.Verdicts, "no story: "+plain(err.Error(), 200))
		return story
	}
	story.Lines, _ = tellAround(run, sections, telling(run.Results, check))
	return story
}

// tellAround tells a run by a piece of evidence, and says what part of it that
// is.
func tellAround(run *scenarios.Trial, sections []*history.Section, finding *checker.Finding) ([]Line, scope) {
	near := newScope(run.History, sections, finding)
	whole := near
	whole.from, whole.to, whole.sections = 1, int64(len(run.History.Events)), nil
	lines := tell(run, sections, whole, routine)
	if len(lines) <= maxLines {
		return lines, whole
	}
	if !near.evident() {
		return cut(lines), whole
	}
	// A long run is told around its evidence, and the lightest lines go first.
	for limit := routine; limit >= evidence; limit-- {
		lines = tell(run, sections, near, limit)
		if len(lines) <= maxLines {
			return lines, near
		}
	}
	return cut(lines), near
}

// cut keeps the two ends of a story that is still too long.
func cut(lines []Line) []Line {
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

func title(run *scenarios.Trial) string {
	fence := run.History.Meta.Fence
	if fence == "" {
		fence = "off"
	}
	return fmt.Sprintf("%s: %s, seed %d, fence of the resource: %s", plain(run.Scenario, 60), labelled(run.Label, run.Strategy), run.Seed, plain(fence, 30))
}

// verdicts gives a violated or undecided check a sentence of its own and puts
// all others together.
func verdicts(results []checker.Result) []string {
	var lines, valid, idle []string
	for _, r := range results {
		switch {
		case r.Verdict == checker.Valid && !r.Applies:
			idle = append(idle, r.Check)
		case r.Verdict == checker.Valid:
			valid = append(valid, r.Check)
		default:
			lines = append(lines, verdict(r))
		}
	}
	if len(valid) > 0 {
		lines = append(lines, "valid: "+strings.Join(valid, ", "))
	}
	if len(idle) > 0 {
		lines = append(lines, "nothing to judge: "+strings.Join(idle, ", "))
	}
	return lines
}

func verdict(r checker.Result) string {
	line := r.Check + " " + string(r.Verdict)
	if len(r.Findings) > 0 {
		line += ": " + plain(r.Findings[0].Text, 400)
	}
	if r.Count > 1 {
		line += fmt.Sprintf(" (first of %d)", r.Count)
	}
	return line
}

// telling returns the finding that a story is told for: the first of check
// or, if that found nothing, of the check whose evidence is easiest to follow.
func telling(results []checker.Result, check string) *checker.Finding {
	best, rank := (*checker.Finding)(nil), 0
	order := []string{check, "lost-update", "exclusion", "linearizable", "fencing", "belief"}
	for i := range results {
		r := &results[i]
		if r.Verdict != checker.Invalid || len(r.Findings) == 0 || len(r.Findings[0].Events) == 0 {
			continue
		}
		n := 0
		for n < len(order) && order[n] != r.Check {
			n++
		}
		if best == nil || n < rank {
			best, rank = &r.Findings[0], n
		}
	}
	return best
}

// sectionID names a section by its worker and number.
type sectionID struct {
	worker string
	n      int
}

// scope is the part of a run that a story is about.
type scope struct {
	from, to int64              // sequence numbers, inclusive
	key      string             // the lock
	sections map[sectionID]bool // nil stands for all of the lock
	workers  map[string]bool    // who is in these sections; nil stands for all
	events   map[int64]bool     // the evidence
	requests map[int64]bool     // operations that belong to it
	last     int64              // its last event
}

// newScope finds the sections that the evidence lies in. Without evidence it
// is the whole of the first lock that anybody asked for.
func newScope(h *history.History, sections []*history.Section, f *checker.Finding) scope {
	s := scope{from: 1, to: int64(len(h.Events))}
	if len(sections) > 0 {
		s.key = sections[0].Key
	}
	if f == nil {
		return s
	}
	s.events, s.requests = map[int64]bool{}, map[int64]bool{}
	for _, seq := range f.Events {
		if seq >= 1 && seq <= int64(len(h.Events)) {
			s.events[seq] = true
			s.last = max(s.last, seq)
			if r := h.Events[seq-1].Request; r != 0 {
				s.requests[r] = true
			}
		}
	}
	var in []*history.Section
	for _, section := range sections {
		if s.touches(section) {
			in = append(in, section)
		}
	}
	if len(in) == 0 {
		return s
	}
	s.key, s.sections, s.workers = in[0].Key, map[sectionID]bool{}, map[string]bool{}
	s.from, s.to = s.to, s.from
	for _, section := range in {
		s.sections[sectionID{section.Worker, section.N}] = true
		s.workers[section.Worker] = true
		first, last := bounds(section, int64(len(h.Events)))
		s.from, s.to = min(s.from, first), max(s.to, last)
	}
	return s
}

// evident reports whether there is evidence to tell around.
func (s *scope) evident() bool { return len(s.events) > 0 }

// touches reports whether a piece of the evidence is of this section.
func (s *scope) touches(section *history.Section) bool {
	for _, o := range section.Ops {
		if s.requests[o.Request] {
			return true
		}
	}
	for _, seq := range []int64{section.Call, section.Grant, section.Enter, section.Told, section.Leave, section.Return} {
		if seq != 0 && s.events[seq] {
			return true
		}
	}
	return false
}

// bounds returns the first and the last event of a section that matter. Its
// wait for the lock does not, if it got in.
func bounds(s *history.Section, end int64) (first, last int64) {
	switch {
	case s.Grant != 0:
		first = s.Grant
	case s.Enter != 0:
		first = s.Enter
	default:
		first = s.Call
	}
	last = s.Return
	if last == 0 {
		last = end
	}
	for _, o := range s.Ops {
		last = max(last, o.Applied)
	}
	return first, last
}

// tells reports whether the story has a line for what a section does.
func (s *scope) tells(id sectionID) bool { return s.sections == nil || s.sections[id] }

// follows reports whether the story is about a worker.
func (s *scope) follows(worker string) bool { return s.workers == nil || s.workers[worker] }
