package story

import (
	"slices"
	"time"

	"lockquake/history"
)

// sectionID names a section by its worker and number.
type sectionID struct {
	worker string
	n      int
}

// Scope is the part of a run that a story tells.
type Scope struct {
	from, to int64              // sequence numbers, inclusive
	closes   int64              // the last event of the sections of the evidence that had begun their work when it was complete
	locks    []string           // by their keys
	sections map[sectionID]bool // nil stands for all of the locks
	workers  map[string]bool    // the workers of these sections; nil stands for all
	events   map[int64]bool     // the evidence
	requests map[int64]bool     // operations of the evidence
	spans    bool               // the check judges whole sections, so the end of one completes no violation
	waits    bool               // the check judges how long sections wait
	units    bool               // the check judges how often a unit of work is done
	begins   bool               // a section violates the check when it begins its work
	leases   bool               // the check judges changes of leases
}

// newScope returns the scope of the sections with events of the evidence. Without
// evidence it is all of the first lock.
func newScope(h *history.History, sections []*history.Section, f *reason) Scope {
	s := Scope{from: 1, to: int64(len(h.Events))}
	if len(sections) > 0 {
		s.locks = []string{sections[0].Key}
	}
	if f == nil {
		return s
	}
	s.spans = slices.Contains([]string{"exclusion", "belief", "linearizable"}, f.check)
	s.leases = f.check == "ownership"
	s.waits = f.check == "progress"
	s.units = f.check == "once" || f.check == "stampede"
	s.begins = f.check == "exclusion" || f.check == "capacity"
	s.events, s.requests = map[int64]bool{}, map[int64]bool{}
	var in []*history.Section
	for _, seq := range f.Events {
		if seq < 1 || seq > int64(len(h.Events)) {
			continue
		}
		s.events[seq] = true
		switch e := &h.Events[seq-1]; {
		case ByServer(e.Type):
			if section := askedIn(sections, e); section != nil {
				in = append(in, section)
			}
		case e.Request != 0:
			s.requests[e.Request] = true
		case e.Type == history.Final:
			s.locks = locksOf(sections, e.Key, s.locks)
		}
	}
	for _, section := range sections {
		if s.touches(section) && !slices.Contains(in, section) {
			in = append(in, section)
		}
	}
	if len(in) == 0 {
		return s
	}
	judged := len(in)
	if f.check == "progress" || f.check == "once" {
		in = append(in, holdersMeanwhile(h, sections, in)...)
	}
	holders := slices.Clone(in[judged:])
	slices.SortFunc(in, func(a, b *history.Section) int { return int(a.Call - b.Call) })
	s.locks, s.sections, s.workers = nil, map[sectionID]bool{}, map[string]bool{}
	proven := slices.Max(f.Events)
	s.from, s.to, s.closes = slices.Min(f.Events), proven, proven
	for _, section := range in {
		if !slices.Contains(s.locks, section.Key) {
			s.locks = append(s.locks, section.Key)
		}
		s.sections[sectionID{section.Worker, section.N}] = true
		s.workers[section.Worker] = true
		first, last := bounds(section, int64(len(h.Events)))
		s.from, s.to = min(s.from, first), max(s.to, last)
		if section.Entered() && first <= proven && !slices.Contains(holders, section) {
			s.closes = max(s.closes, last)
		}
	}
	return s
}

// holdersMeanwhile returns the sections that held a lock for at least half of the time
// for which one of the given sections waited for it, or when one gave up.
func holdersMeanwhile(h *history.History, sections, waiting []*history.Section) []*history.Section {
	var holders []*history.Section
	for _, w := range waiting {
		until := w.EnterAt
		if !w.Entered() {
			until = endOf(h, w)
		}
		for _, s := range sections {
			if s.Key != w.Key || !s.Entered() || slices.Contains(waiting, s) || slices.Contains(holders, s) {
				continue
			}
			within := min(endOf(h, s), until) - max(s.EnterAt, w.CallAt)
			if within > 0 && (2*within >= until-w.CallAt || !w.Entered() && endOf(h, s) >= until) {
				holders = append(holders, s)
			}
		}
	}
	return holders
}

// endOf returns when a section returned or crashed, or the run was over.
func endOf(h *history.History, s *history.Section) time.Duration {
	switch {
	case s.Return != 0:
		return s.ReturnAt
	case s.Crash != 0:
		return s.CrashAt
	}
	return h.Meta.End
}

// askedIn returns the section in which a worker sent the command of a server's event: the
// last one that had begun by then, or nil.
func askedIn(sections []*history.Section, e *history.Event) *history.Section {
	var last *history.Section
	for _, s := range sections {
		if s.Worker == e.Worker && s.Key == e.Key && s.Call < e.Seq && (e.Sent == 0 || s.CallAt <= e.Sent) {
			last = s
		}
	}
	return last
}

// locksOf returns the locks under which an item was read or written. If there are none,
// it returns otherwise.
func locksOf(sections []*history.Section, item string, otherwise []string) []string {
	var locks []string
	for _, s := range sections {
		if !slices.Contains(locks, s.Key) && slices.ContainsFunc(s.Ops, func(o *history.Op) bool { return o.Item == item }) {
			locks = append(locks, s.Key)
		}
	}
	if locks == nil {
		return otherwise
	}
	return locks
}

// evident reports whether there is evidence.
func (s *Scope) evident() bool { return len(s.events) > 0 }

// About reports whether the story is about a lock, given by its key.
func (s *Scope) About(lock string) bool { return slices.Contains(s.locks, lock) }

// touches reports whether a section has an event of the evidence.
func (s *Scope) touches(section *history.Section) bool {
	for _, o := range section.Ops {
		if s.requests[o.Request] {
			return true
		}
	}
	for _, seq := range []int64{section.Call, section.Grant, section.Enter, section.Told, section.Leave, section.Return, section.Crash} {
		if seq != 0 && s.events[seq] {
			return true
		}
	}
	return false
}

// bounds returns the first and the last event of a section for a story, without its wait
// for the lock if it got the lock.
func bounds(s *history.Section, end int64) (first, last int64) {
	switch {
	case s.Grant != 0:
		first = s.Grant
	case s.Enter != 0:
		first = s.Enter
	default:
		first = s.Call
	}
	switch {
	case s.Return != 0:
		last = s.Return
	case s.Crash != 0:
		last = s.Crash
	default:
		last = end
	}
	for _, o := range s.Ops {
		last = max(last, o.Applied)
	}
	return first, last
}

// Tells reports whether a section is in the story.
func (s *Scope) Tells(worker string, section int) bool {
	return s.sections == nil || s.sections[sectionID{worker, section}]
}

// follows reports whether the story is about a worker.
func (s *Scope) follows(worker string) bool { return s.workers == nil || s.workers[worker] }

// Involves reports whether a section of the worker has an event of the evidence.
func (s *Scope) Involves(worker string) bool { return s.workers[worker] }
