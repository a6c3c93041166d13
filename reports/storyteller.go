package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/scenarios"
)

// tell walks the whole history, so that the state columns are true from the
// first line on, and tells the part that is in scope. It leaves out lines
// lighter than the limit.
func tell(run *scenarios.Trial, sections []*history.Section, s scope, limit weight) []Line {
	t := newTeller(run, sections, s, limit)
	events := run.History.Events
	for i := range events {
		t.event(&events[i])
	}
	t.markDecisive()
	return t.lines
}

// teller holds how things stand while it walks a history.
type teller struct {
	run       *scenarios.Trial
	scope     scope
	limit     weight
	sections  map[sectionID]*history.Section // of the lock in scope
	ops       map[int64]*history.Op          // of these sections, by request
	heard     map[int64]*history.Section     // by the grant that let them in
	witnessed bool
	spoken    bool // the lock server has a voice in this history

	holders []sectionID // who believe to hold, in the order in which they came in
	current map[string]sectionID
	doing   map[string]string // what a pause of the worker falls into
	lease   lease
	robbed  history.Event    // the last fault that can have taken leases from a server
	leases  map[string]lease // by server, of a lock that has several
	items   []*item
	early   map[int64]bool // requests sent while their worker held the lease

	lines  []Line
	folded map[fold]*tally
	untold untold
}

// lease is the truth about the lock. The zero value is a free lock.
type lease struct {
	worker string
	until  time.Duration
	token  int64
}

// item is one value of the resource.
type item struct {
	name   string
	value  string
	writes int       // accepted so far
	last   *lastDone // the last of them
	reads  map[sectionID]int64
}

type lastDone struct {
	seq   int64
	who   sectionID
	value string
}

// fold names the line that repeated events of one section share.
type fold struct {
	section sectionID
	kind    history.Type
}

// tally is such a line while it grows.
type tally struct {
	line  int // index
	count int
	first time.Duration
}

// untold are the writes that were accepted since the last line without a
// line of their own. Values would seem to jump without them.
type untold struct {
	count   int
	workers []string
	first   time.Duration
	line    Line // as things stood after the last of them
}

func newTeller(run *scenarios.Trial, sections []*history.Section, s scope, limit weight) *teller {
	t := &teller{
		run: run, scope: s, limit: limit,
		sections:  map[sectionID]*history.Section{},
		ops:       map[int64]*history.Op{},
		heard:     map[int64]*history.Section{},
		witnessed: run.History.Witnessed(),
		current:   map[string]sectionID{},
		doing:     map[string]string{},
		early:     map[int64]bool{},
		leases:    map[string]lease{},
		folded:    map[fold]*tally{},
	}
	for _, section := range sections {
		if section.Key != s.key {
			continue
		}
		t.sections[sectionID{section.Worker, section.N}] = section
		if section.Grant != 0 {
			t.heard[section.Grant] = section
		}
		for _, o := range section.Ops {
			t.ops[o.Request] = o
			t.item(o.Item)
		}
	}
	t.spoken = slices.ContainsFunc(run.History.Events, func(e history.Event) bool { return byServer(e.Type) })
	return t
}

// item returns the item of a name, which it may meet for the first time.
func (t *teller) item(name string) *item {
	for _, it := range t.items {
		if it.name == name {
			return it
		}
	}
	it := &item{name: name, value: t.run.History.Meta.Initial[name], reads: map[sectionID]int64{}}
	t.items = append(t.items, it)
	return it
}

// event lets one event change how things stand, and tells it.
func (t *teller) event(e *history.Event) {
	switch e.Type {
	case history.AcquireCalled, history.Acquired, history.Told, history.ReleaseCalled, history.Released:
		if section := t.sections[sectionID{e.Worker, e.Section}]; section != nil {
			t.ofSection(e, section)
		}
	case history.Crashed:
		t.holders = slices.DeleteFunc(t.holders, func(id sectionID) bool { return id.worker == e.Worker })
		t.say(e, e.Worker, turning, "crashes")
	case history.Granted, history.Refused, history.Renewed, history.Freed, history.Expired, history.Evicted:
		if e.Key == t.scope.key {
			t.ofServer(e)
		}
	case history.NotRenewed:
		if e.Key == t.scope.key {
			t.say(e, e.Worker, turning, "asks to renew the lock that it has given back")
		}
	case history.Invoke, history.OK, history.Fail, history.Info, history.Applied:
		if o := t.ops[e.Request]; o != nil {
			t.ofOperation(e, o)
		}
	case history.FaultBegin, history.FaultEnd:
		t.ofFault(e)
	case history.Final:
		t.final(e)
	}
}

// say adds a line of actor to the story, if it is in scope and heavy enough,
// and reports whether it did.
func (t *teller) say(e *history.Event, actor string, w weight, format string, args ...any) bool {
	if t.scope.events[e.Seq] || e.Request != 0 && t.scope.requests[e.Request] {
		w = evidence
	}
	inside := e.Seq >= t.scope.from && e.Seq <= t.scope.to || e.Type == history.Final
	if !inside || w > t.limit || !t.scope.follows(e.Worker) && e.Worker != "" {
		return false
	}
	if id := (sectionID{e.Worker, e.Section}); e.Section != 0 && !t.scope.tells(id) {
		return false
	}
	if t.untold.count > 0 {
		t.lines = append(t.lines, t.untold.line)
		t.untold = untold{}
	}
	line := t.standing(e.At)
	line.Actor, line.Text, line.seq, line.weight = actor, fmt.Sprintf(format, args...), e.Seq, w
	switch e.Type {
	case history.Told, history.ReleaseCalled, history.Released, history.Freed, history.Final:
		line.ending = true
	default:
	}
	t.lines = append(t.lines, line)
	return true
}

// repeat is say for what happens many times in one section: all of it shares
// the line of the first time. text is of one time, many of several.
func (t *teller) repeat(e *history.Event, id sectionID, w weight, text, many string) {
	key := fold{id, e.Type}
	if f := t.folded[key]; f != nil {
		f.count++
		t.lines[f.line].Text = fmt.Sprintf("%s %d times, %s to %s", many, f.count, brief(f.first), brief(e.At))
		return
	}
	if t.say(t.ofCurrent(e, id.worker), id.worker, w, "%s", text) {
		t.folded[key] = &tally{line: len(t.lines) - 1, count: 1, first: e.At}
	}
}

// omit notes an accepted write that has no line.
func (t *teller) omit(e *history.Event, o *history.Op) {
	if e.Seq < t.scope.from {
		return
	}
	u := &t.untold
	if u.count == 0 {
		u.first = e.At
	}
	u.count++
	if !slices.Contains(u.workers, o.Worker) {
		u.workers = append(u.workers, o.Worker)
	}
	u.line = t.standing(e.At)
	u.line.Actor, u.line.weight = o.Worker, work
	times := count(u.count, "write")
	if len(u.workers) > 1 {
		u.line.Actor = "others"
		times += fmt.Sprintf(" by %d workers", len(u.workers))
	}
	if u.count > 1 {
		times += " since " + brief(u.first)
	}
	u.line.Text = times
}

// standing is a line that says how things stand.
func (t *teller) standing(at time.Duration) Line {
	return Line{At: at, Believes: t.believes(), Lease: t.lease.cell(t.spoken), Resource: t.values()}
}

// believes names those who believe to hold the lock. From the third on a
// number is enough, since workers are called alike.
func (t *teller) believes() string {
	if len(t.holders) == 0 {
		return "nobody"
	}
	var names []string
	for _, id := range t.holders {
		if !slices.Contains(names, id.worker) {
			names = append(names, id.worker)
		}
	}
	if len(names) <= 2 {
		return plain(strings.Join(names, " "), 40)
	}
	return plain(fmt.Sprintf("%s and %d more", names[0], len(names)-1), 40)
}

// believesItself reports whether a worker believes to hold the lock.
func (t *teller) believesItself(worker string) bool {
	return slices.ContainsFunc(t.holders, func(id sectionID) bool { return id.worker == worker })
}

func (l lease) cell(spoken bool) string {
	switch {
	case !spoken:
		return "-"
	case l.worker == "":
		return "free"
	}
	cell := l.worker
	if l.until != 0 {
		cell += " " + seconds(l.until, time.Millisecond) + "s"
	}
	if l.token != 0 {
		cell += fmt.Sprintf(" #%d", l.token)
	}
	return plain(cell, 40)
}

// values is what the resource holds, as far as it has a voice of its own.
func (t *teller) values() string {
	if !t.witnessed {
		return "-"
	}
	var cells []string
	for _, it := range t.items {
		name := it.name
		if t.run.History.Meta.Workload == "counter" && len(t.items) == 1 {
			name = "n"
		}
		cells = append(cells, name+"="+quoted(it.value))
	}
	return plain(strings.Join(cells, " "), 24)
}

// markDecisive marks the line that completes the violation: the write that
// loses an update, else the last piece of the evidence that is not merely how
// a section ended.
func (t *teller) markDecisive() {
	decisive := -1
	for i := range t.lines {
		line := &t.lines[i]
		if line.weight != evidence || line.ending {
			continue
		}
		if decisive < 0 || !t.lines[decisive].loses || line.loses {
			decisive = i
		}
	}
	if decisive >= 0 {
		t.lines[decisive].Decisive = true
	}
}

// final tells what an item holds when all is over.
func (t *teller) final(e *history.Event) {
	if !slices.ContainsFunc(t.items, func(it *item) bool { return it.name == e.Key }) {
		return
	}
	t.tellUnended(e)
	it := t.item(e.Key)
	it.value = e.Value
	text := "ends at " + quoted(e.Value)
	if t.run.History.Meta.Workload == "counter" && t.witnessed {
		text += t.shortfall(it)
	}
	t.say(e, "resource", evidence, "%s", text)
}

// tellUnended tells, at the end of the run, of the sections that never came to
// theirs, if that is what the story is about.
func (t *teller) tellUnended(final *history.Event) {
	var open []*history.Section
	for _, section := range t.sections {
		if section.Return == 0 && !section.Crashed && t.scope.events[section.Call] {
			open = append(open, section)
		}
	}
	slices.SortFunc(open, func(a, b *history.Section) int { return cmp.Compare(a.Call, b.Call) })
	for _, section := range open {
		delete(t.sections, sectionID{section.Worker, section.N}) // told once
		e, text := *final, "still waits for the lock"
		e.Worker, e.Section = section.Worker, section.N
		if section.Entered() {
			text = "has not come to an end"
		}
		if t.say(&e, section.Worker, evidence, "%s", text) {
			t.lines[len(t.lines)-1].ending = false
		}
	}
}

// shortfall compares a counter with the writes that it accepted.
func (t *teller) shortfall(it *item) string {
	first, errFirst := strconv.Atoi(orZero(t.run.History.Meta.Initial[it.name]))
	last, errLast := strconv.Atoi(orZero(it.value))
	writes := ": took " + count(it.writes, "write")
	if lost := first + it.writes - last; errFirst == nil && errLast == nil && lost > 0 {
		return fmt.Sprintf("%s, lost %d", writes, lost)
	}
	return writes
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}
