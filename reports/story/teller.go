package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// tell returns the lines of the events in scope. It walks the whole history, so that
// the state columns are right from the first line on. It leaves out lines whose weight
// is above the limit, but none of the evidence.
func tell(run *results.Trial, sections []*history.Section, s Scope, limit weight) []Line {
	t := newTeller(run, sections, s, limit)
	t.walk()
	if untold := t.untoldEvidence(); len(untold) > 0 {
		t = newTeller(run, sections, s, limit)
		t.forced = untold
		t.walk()
	}
	t.markDecisive()
	return t.lines
}

func (t *teller) walk() {
	t.tellClocks()
	events := t.run.History.Events
	for i := range events {
		t.event(&events[i])
		if t.forced[events[i].Seq] {
			t.tellPlainly(&events[i])
		}
	}
}

// teller holds the state of the locks, the workers and the resource while it walks a
// history.
type teller struct {
	run        *results.Trial
	scope      Scope
	limit      weight
	sections   map[sectionID]*history.Section // of the locks in scope
	ops        map[int64]*history.Op          // of these sections, by request
	byGrant    map[int64]*history.Section     // entered sections, by their grant
	otherLocks map[string]bool                // locks that the story is not about
	changes    map[change]bool                // promotions and restarts of servers
	forced     map[int64]bool                 // events of the evidence that need a line of their own
	witnessed  bool                           // the resource has events of its own
	hasServers bool                           // the lock's servers have events of their own
	refuses    bool                           // they refuse requests that they do not let wait
	primaries  Primaries

	holders     []sectionID // sections that believe they hold a lock, in the order of their entries
	current     map[string]sectionID
	asking      map[asker]sectionID       // the last section of a worker for a lock
	refused     map[sectionID]bool        // sections that were refused before they got the lock
	answered    map[sectionID]bool        // sections whose request a server has granted or refused
	won         map[sectionID]bool        // sections that had the lock on a majority of its servers
	freed       map[sectionID]bool        // sections whose own command ended their lease
	freers      map[grantOf]string        // the worker whose command ended the grant last
	step        map[string]string         // the step of its work that a worker is in
	locks       map[string]*lockState     // by key
	copied      map[int64]history.Event   // the fault that copied a request
	leaseEnder  *history.Event            // the last fault that can end leases
	open        map[faultID]history.Event // faults that have not ended
	down        map[string]bool           // workers and servers that have crashed
	items       []*item
	touched     *item          // the last one that was read or written
	sentInLease map[int64]bool // requests that were sent while their worker held the lease

	lines   []Line
	folded  map[foldKey]*foldedLine
	skipped skippedWrites
}

// asker is a worker that asks for a lock.
type asker struct{ worker, lock string }

// grantOf is the grants of a lock to an owner.
type grantOf struct{ lock, owner string }

// change is a moment at which a replica was promoted or a server started again.
type change struct {
	at   time.Duration
	what history.Type
}

// item is one value of the resource.
type item struct {
	name   string
	value  string
	writes int        // accepted so far
	last   *lastWrite // the last of them
	reads  map[sectionID]int64
	had    map[string]bool // its earlier values
	done   int             // writes of the evidence, if the check judges units of work
}

// lastWrite is the last write that an item accepted.
type lastWrite struct {
	seq   int64
	who   sectionID
	value string
}

// foldKey identifies the line that repeated events of one section share.
type foldKey struct {
	section sectionID
	text    string
}

// foldedLine is such a line. It counts its events.
type foldedLine struct {
	line  int // index
	count int
	first time.Duration
}

// skippedWrites collects the writes that were accepted since the last line and have no
// line. They get a common line before the next one, so that no value changes without
// a reason.
type skippedWrites struct {
	count   int
	workers []string
	first   time.Duration
	line    Line // with the state after the last of them
}

func newTeller(run *results.Trial, sections []*history.Section, s Scope, limit weight) *teller {
	t := &teller{
		run: run, scope: s, limit: limit,
		sections:    map[sectionID]*history.Section{},
		ops:         map[int64]*history.Op{},
		byGrant:     map[int64]*history.Section{},
		otherLocks:  map[string]bool{},
		changes:     map[change]bool{},
		witnessed:   run.History.Witnessed(),
		primaries:   PrimariesOf(run.History),
		current:     map[string]sectionID{},
		asking:      map[asker]sectionID{},
		refused:     map[sectionID]bool{},
		answered:    map[sectionID]bool{},
		won:         map[sectionID]bool{},
		freed:       map[sectionID]bool{},
		freers:      map[grantOf]string{},
		step:        map[string]string{},
		locks:       map[string]*lockState{},
		copied:      map[int64]history.Event{},
		open:        map[faultID]history.Event{},
		down:        map[string]bool{},
		sentInLease: map[int64]bool{},
		folded:      map[foldKey]*foldedLine{},
	}
	for _, section := range sections {
		if !s.About(section.Key) {
			t.otherLocks[section.Key] = true
			continue
		}
		t.sections[sectionID{section.Worker, section.N}] = section
		if section.Grant != 0 {
			t.byGrant[section.Grant] = section
		}
		for _, o := range section.Ops {
			t.ops[o.Request] = o
			t.item(o.Item)
		}
	}
	for i := range run.History.Events {
		e := &run.History.Events[i]
		t.hasServers, t.refuses = t.hasServers || ByServer(e.Type), t.refuses || e.Type == history.Refused
		if e.Type == history.Promoted || e.Type == history.Restarted {
			t.changes[change{e.At, e.Type}] = true
		}
	}
	return t
}

// item returns the item with a name, and creates it if it is new.
func (t *teller) item(name string) *item {
	for _, it := range t.items {
		if it.name == name {
			return it
		}
	}
	it := &item{name: name, value: t.run.History.Meta.Initial[name], reads: map[sectionID]int64{}, had: map[string]bool{}}
	t.items = append(t.items, it)
	return it
}

// event updates the state by one event, and adds its line.
func (t *teller) event(e *history.Event) {
	switch e.Type {
	case history.AcquireCalled, history.Acquired, history.Told, history.ReleaseCalled, history.Released:
		if section := t.sections[sectionID{e.Worker, e.Section}]; section != nil {
			t.tellSection(e, section)
		}
	case history.Crashed:
		told := *e
		if t.holdsOne(e.Worker) {
			told.Worker = "" // it matters to those that wait for the lock, whether or not they follow the worker
		}
		t.holders = slices.DeleteFunc(t.holders, func(id sectionID) bool { return id.worker == e.Worker })
		t.crashes(e.Worker)
		t.say(&told, e.Worker, turning, "crashes")
	case history.Granted, history.Refused, history.Renewed, history.Freed, history.Expired, history.Evicted:
		if e.Type == history.Freed {
			t.freers[grantOf{e.Key, e.Owner}] = e.Worker
		}
		if t.scope.About(e.Key) {
			t.tellServer(e)
		}
	case history.NotRenewed:
		if t.scope.About(e.Key) {
			by := "it has released"
			if freer := t.freers[grantOf{e.Key, e.Owner}]; freer != "" && freer != e.Worker {
				by = freer + " has freed"
			}
			t.say(e, e.Worker, turning, "asks to renew the lock that %s%s", by, t.which(e.Key))
		}
	case history.LeftQueue:
		if t.scope.About(e.Key) {
			t.say(t.forAsker(e, e.Worker), t.primaries.At(e), cause, "%s's %s ends in the queue%s", e.Worker, cmp.Or(e.With, "lease"), t.which(e.Key))
		}
	case history.Promoted, history.Restarted:
		t.tellChange(e)
	case history.Invoke, history.OK, history.Fail, history.Info, history.Applied:
		if o := t.ops[e.Request]; o != nil {
			t.tellOperation(e, o)
		}
	case history.FaultBegin, history.FaultEnd:
		t.tellFault(e)
	case history.Final:
		t.final(e)
	}
}

// holdsOne reports whether a worker believes that it holds a lock that the story is about.
func (t *teller) holdsOne(worker string) bool {
	return slices.ContainsFunc(t.scope.locks, func(key string) bool { return t.believesItself(worker, key) })
}

// say adds a line for an event, with its actor, if the event is in scope and the weight
// within the limit. It reports whether it did.
func (t *teller) say(e *history.Event, actor string, w weight, format string, args ...any) bool {
	return t.sayWith(e, nil, actor, w, format, args...)
}

// sayWith is say for a line that also covers other events, by their numbers.
func (t *teller) sayWith(e *history.Event, also []int64, actor string, w weight, format string, args ...any) bool {
	proves := t.proves(e) || slices.ContainsFunc(also, func(seq int64) bool { return t.scope.events[seq] })
	if proves {
		w = evidence
	} else {
		if !t.inside(e) || w > t.limit || !t.scope.follows(e.Worker) && e.Worker != "" {
			return false
		}
		if id := (sectionID{e.Worker, e.Section}); e.Section != 0 && !t.scope.Tells(id.worker, id.n) {
			return false
		}
	}
	if t.skipped.count > 0 {
		t.lines = append(t.lines, t.skipped.line)
		t.skipped = skippedWrites{}
	}
	line := t.stateLine(e.At)
	line.Actor, line.Text, line.Seq, line.weight, line.Evidence = actor, fmt.Sprintf(format, args...), e.Seq, w, proves
	line.tells, line.request = also, e.Request
	switch e.Type {
	case history.Told, history.ReleaseCalled, history.Released, history.Final:
		line.ending, line.final = true, e.Type == history.Final
	default:
	}
	t.lines = append(t.lines, line)
	return true
}

// inside reports whether an event is in the part of the run that the story is about, or
// is a fault that lasts into it.
func (t *teller) inside(e *history.Event) bool {
	switch {
	case e.Type == history.Final:
		return true
	case e.Type == history.FaultBegin && e.Seq < t.scope.from:
		return e.Until > t.run.History.Events[t.scope.from-1].At
	}
	return e.Seq >= t.scope.from && e.Seq <= t.scope.to
}

// repeat is say for an event that happens many times in one section. All times share the
// line of the first one; only an event of the evidence has a line of its own. The line
// is text for one time, and begins with many for several. Its actor is the first one, or the lock for several servers.
func (t *teller) repeat(e *history.Event, id sectionID, actor string, w weight, text, many string) {
	key := foldKey{id, many}
	f := t.folded[key]
	proves := t.proves(e)
	if f != nil && !proves {
		f.count++
		line := &t.lines[f.line]
		line.Text = fmt.Sprintf("%s %d times, %s to %s%s", many, f.count, moment(f.first), moment(e.At), t.which(e.Key))
		if line.Actor != actor {
			line.Actor = LockServer
		}
		return
	}
	if t.say(t.inSection(e, id), actor, w, "%s%s", text, t.which(e.Key)) && !proves {
		t.folded[key] = &foldedLine{line: len(t.lines) - 1, count: 1, first: e.At}
	}
}

// which returns a suffix that names the lock. It is "" in a story about one lock.
func (t *teller) which(lock string) string {
	if len(t.scope.locks) <= 1 {
		return ""
	}
	return " (" + words.Plain(lock, 30) + ")"
}

// skip records an accepted write that has no line.
func (t *teller) skip(e *history.Event, o *history.Op) {
	if e.Seq < t.scope.from {
		return
	}
	u := &t.skipped
	if u.count == 0 {
		u.first = e.At
	}
	u.count++
	if !slices.Contains(u.workers, o.Worker) {
		u.workers = append(u.workers, o.Worker)
	}
	u.line = t.stateLine(e.At)
	u.line.Actor, u.line.weight, u.line.changes = o.Worker, work, true
	writes := words.Count(u.count, "write")
	if len(u.workers) > 1 {
		u.line.Actor, u.line.Text = "others", fmt.Sprintf("%s by %d workers", writes, len(u.workers))
	} else {
		u.line.Text = "makes " + writes
	}
	if u.count > 1 {
		u.line.Text += " since " + moment(u.first)
	}
}

// stateLine returns a line with the current state and without text.
func (t *teller) stateLine(at time.Duration) Line {
	return Line{At: at, Believes: t.believes(), Lease: t.leaseCell(), Resource: t.values()}
}

// believes names the workers that believe they hold the lock. It counts those after the
// first if there are more than two.
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
		return words.Plain(strings.Join(names, " "), 40)
	}
	return words.Plain(fmt.Sprintf("%s and %d more", names[0], len(names)-1), 40)
}

// believesItself reports whether a worker believes that it holds a lock.
func (t *teller) believesItself(worker, lock string) bool {
	return slices.ContainsFunc(t.holders, func(id sectionID) bool { return id.worker == worker && t.sections[id].Key == lock })
}

// values returns the value of the resource, if the resource has events of its own. Of
// several items it is the one that was read or written last.
func (t *teller) values() string {
	switch {
	case !t.witnessed || len(t.items) == 0:
		return "-"
	case len(t.items) == 1 && t.run.History.Meta.Workload == "counter":
		return words.Plain("n="+words.Quoted(t.items[0].value), 24)
	}
	it := t.touched
	if it == nil {
		it = t.items[0]
	}
	return words.Plain(t.shortName(it)+"="+words.Quoted(it.value), 30)
}

// shortName returns the shortest end of an item's path that no other item has.
func (t *teller) shortName(it *item) string {
	for slash := strings.LastIndexByte(it.name, '/'); slash >= 0; slash = strings.LastIndexByte(it.name[:slash], '/') {
		short := it.name[slash+1:]
		if !slices.ContainsFunc(t.items, func(other *item) bool {
			return other != it && strings.HasSuffix("/"+other.name, "/"+short)
		}) {
			return short
		}
	}
	return it.name
}

// final adds the line for the value of an item at the end of the run.
func (t *teller) final(e *history.Event) {
	if !slices.ContainsFunc(t.items, func(it *item) bool { return it.name == e.Key }) {
		return
	}
	t.tellUnended(e)
	it := t.item(e.Key)
	it.value, t.touched = e.Value, it
	text := "ends at " + words.Quoted(e.Value)
	if t.counts() && t.witnessed {
		text += t.shortfall(it)
	}
	if len(t.items) > 1 {
		text += " (" + words.Plain(it.name, 30) + ")"
	}
	t.say(e, "resource", evidence, "%s", text)
}

// counts reports whether the workload increments counters.
func (t *teller) counts() bool {
	workload := t.run.History.Meta.Workload
	return slices.Contains([]string{"counter", "multi-lock", "leader", "leader-election", "nested"}, workload)
}

// builds reports whether the sections of the workload build on the value that they read, so that a
// write can undo another one.
func (t *teller) builds() bool {
	return t.counts() || slices.Contains([]string{"set-add", "transfer", "flash-sale"}, t.run.History.Meta.Workload)
}

// shortfall returns how many writes a counter accepted, and how many of these are lost.
func (t *teller) shortfall(it *item) string {
	first, errFirst := strconv.Atoi(orZero(t.run.History.Meta.Initial[it.name]))
	last, errLast := strconv.Atoi(orZero(it.value))
	writes := ": took " + words.Count(it.writes, "write")
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
