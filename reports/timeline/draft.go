package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/story"
	"lockquake/reports/words"
)

// addSections draws the waits, the beliefs and the operations of the workers.
func (d *drafter) addSections(sections []*history.Section) {
	end := d.run.History.Meta.End
	for _, s := range sections {
		if !d.scope.About(s.Key) {
			continue
		}
		from, to := s.EnterAt, believedUntil(s, end)
		lane := d.lane(s.Worker)
		if !d.told(s.Worker, s.N) {
			if !d.hasLane(s.Worker) {
				lane = d.lane("others")
			}
			if s.Entered() {
				d.quiet = append(d.quiet, quietSpan{lane, s.Worker, from, to})
			}
			continue
		}
		d.addWait(s, lane, end)
		if s.Entered() {
			label, does := "holds", "believes that it holds the lock"
			if d.t.NoLock {
				label, does = "works", "is in its section"
			}
			d.span(Span{
				Lane: lane, Kind: "belief", From: Moment(from), To: Moment(to), Label: label + fence(s.Token),
				Text: fmt.Sprintf("%s %s%s, for %s", words.Plain(s.Worker, 40), does, withToken(s.Token), words.Short(to-from)),
				seqs: []int64{s.Enter, s.Leave, s.Told, s.Return, s.Crash},
			})
			d.addAfter(s, lane, to, end)
		}
		for _, o := range s.Ops {
			d.addOperation(o, lane, end)
		}
	}
}

// believedUntil returns when a worker stopped to believe that it holds the lock: it left,
// was told of a loss, or crashed.
func believedUntil(s *history.Section, end time.Duration) time.Duration {
	until := end
	for _, moment := range []struct {
		seq int64
		at  time.Duration
	}{{s.Told, s.ToldAt}, {s.Leave, s.LeaveAt}, {s.Return, s.ReturnAt}, {s.Crash, s.CrashAt}} {
		if moment.seq != 0 {
			until = min(until, moment.at)
		}
	}
	return until
}

// addAfter draws the rest of a call after its worker stopped to believe that it holds the lock.
func (d *drafter) addAfter(s *history.Section, lane int, from, end time.Duration) {
	until, how := end, "and has not returned when the run ends"
	switch {
	case s.Return != 0:
		until, how = s.ReturnAt, "and returns"
	case s.Crash != 0:
		until, how = s.CrashAt, "and crashes"
	}
	if until <= from {
		return
	}
	d.span(Span{
		Lane: lane, Kind: "after", From: Moment(from), To: Moment(until), Label: "call goes on",
		Text: fmt.Sprintf("the call of %s goes on for %s, %s", words.Plain(s.Worker, 40), words.Short(until-from), how),
		seqs: []int64{s.Return, s.Crash},
	})
}

func (d *drafter) addWait(s *history.Section, lane int, end time.Duration) {
	until := end
	switch {
	case s.Entered():
		until = s.EnterAt
	case s.Return != 0:
		until = s.ReturnAt
	case s.Crash != 0:
		until = s.CrashAt
	}
	d.span(Span{
		Lane: lane, Kind: "wait", From: Moment(s.CallAt), To: Moment(until), Label: "waits",
		Text: fmt.Sprintf("%s asks for the lock, and waits %s", words.Plain(s.Worker, 40), words.Short(until-s.CallAt)),
		seqs: []int64{s.Call},
	})
}

// addOperation draws a request and its reply. If the resource has no events of its own, the
// request lasts until the reply.
func (d *drafter) addOperation(o *history.Op, lane int, end time.Duration) {
	resource := d.lane("resource")
	what := o.Kind
	if o.Write() {
		what += " of " + words.Quoted(o.Value)
	}
	request := Arrow{
		From: lane, To: resource, Sent: Moment(o.InvokeAt), Label: fence(o.Token), seqs: []int64{o.Invoke, o.Applied},
		Text: fmt.Sprintf("%s sends its %s%s", words.Plain(o.Worker, 40), what, withToken(o.Token)),
	}
	switch {
	case o.Applied != 0:
		request.Arrived, request.Failed = Moment(o.AppliedAt), !o.Accepted
		request.Text += fmt.Sprintf("; it arrives %s later", words.Short(o.AppliedAt-o.InvokeAt))
		if !o.Accepted {
			request.Text += " and is refused"
		}
	case o.Return != 0:
		request.Arrived, request.Failed = Moment(o.ReturnAt), o.Outcome != history.OutcomeOK
		request.seqs = append(request.seqs, o.Return)
	default:
		request.Arrived, request.Failed = Moment(end), true
		request.Text += "; nobody knows what became of it"
	}
	d.arrow(request)
	if o.Applied == 0 || o.Return == 0 || o.Outcome == history.OutcomeInfo || o.ReturnAt < o.AppliedAt {
		return
	}
	d.arrow(Arrow{
		From: resource, To: lane, Sent: Moment(o.AppliedAt), Arrived: Moment(o.ReturnAt), Failed: !o.Accepted,
		Text: fmt.Sprintf("%s gets the reply to its %s", words.Plain(o.Worker, 40), what), seqs: []int64{o.Applied, o.Return},
	})
}

// fence prints a token for a label.
func fence(token int64) string {
	if token == 0 {
		return ""
	}
	return fmt.Sprintf(" #%d", token)
}

func withToken(token int64) string {
	if token == 0 {
		return ""
	}
	return fmt.Sprintf(" with token %d", token)
}

// walk draws what servers and faults do, from the first event on.
func (d *drafter) walk() {
	w := walker{d: d, leases: map[place][]*openLease{}, current: map[string]int{}, asked: map[string]call{}, freed: map[string]history.Event{}}
	for i := range d.events {
		if e := &d.events[i]; e.Type == history.Acquired {
			w.entries = append(w.entries, e)
		}
	}
	for i := range d.events {
		w.event(&d.events[i])
	}
	end := d.run.History.Meta.End
	for _, at := range w.order {
		w.endLeases(at, end, 0, "lasts until the run ends", all)
	}
	for _, f := range w.faults {
		w.addFault(f, end, 0)
	}
}

// walker holds the leases, calls and faults that are open while a history is walked.
type walker struct {
	d       *drafter
	leases  map[place][]*openLease // one, or those of holders that share a lock
	order   []place                // in the order of their first grants
	current map[string]int         // by worker, the section that it is in
	asked   map[string]call        // by worker, its last call
	freed   map[string]history.Event
	entries []*history.Event // acquired events
	faults  []*history.Event
}

// place identifies a lease: a lock at a server.
type place struct{ server, lock string }

// openLease is a lease that has not ended yet.
type openLease struct {
	grant    *history.Event
	shared   bool           // others can have the lock at the same time
	since    *history.Event // the grant, or the failover that made its server the primary
	told     bool           // it is in the story
	token    int64
	renewals int
}

// call is a call of a strategy that no server has answered yet.
type call struct {
	kind history.Type
	at   time.Duration
	seq  int64
}

func (w *walker) event(e *history.Event) {
	d := w.d
	if story.ByServer(e.Type) && !d.scope.About(e.Key) {
		return
	}
	server := d.primaries.Before(e)
	at := place{server, e.Key}
	switch e.Type {
	case history.AcquireCalled, history.ReleaseCalled:
		w.current[e.Worker] = e.Section
		w.asked[e.Worker] = call{e.Type, e.At, e.Seq}
	case history.Granted:
		w.endLeases(at, e.At, e.Seq, "ends", func(l *openLease) bool { return !l.staysBeside(e) })
		w.beginLease(at, e)
		w.granted(e, server)
	case history.Refused:
		delete(w.asked, e.Worker) // a later grant answers another request
	case history.Renewed:
		w.renewed(at, e)
	case history.Freed:
		w.endLeases(at, e.At, e.Seq, "is released", of(e))
		w.request(e, server, history.ReleaseCalled, "asks to release the lock")
		w.freed[e.Worker] = *e
	case history.Expired:
		w.endLeases(at, e.At, e.Seq, "expires", of(e))
	case history.Evicted:
		w.endLeases(at, e.At, e.Seq, "is evicted", of(e))
	case history.Released:
		if f, ok := w.freed[e.Worker]; ok && d.told(e.Worker, e.Section) {
			d.arrow(Arrow{
				From: d.lane(d.primaries.Before(&f)), To: d.lane(e.Worker), Sent: Moment(f.At), Arrived: Moment(e.At),
				Text: words.Plain(e.Worker, 40) + " learns that the lock is released", seqs: []int64{f.Seq, e.Seq},
			})
		}
		delete(w.freed, e.Worker)
	case history.Promoted:
		w.moveLeases(e)
	case history.FaultBegin:
		w.faults = append(w.faults, e)
	case history.FaultEnd:
		if i := slices.IndexFunc(w.faults, func(f *history.Event) bool { return f.Fault == e.Fault && f.Target == e.Target }); i >= 0 {
			w.addFault(w.faults[i], e.At, e.Seq)
			w.faults = slices.Delete(w.faults, i, i+1)
		}
	default:
	}
}

// told reports whether the current section of a worker is in the story.
func (w *walker) told(worker string) bool { return w.d.told(worker, w.current[worker]) }

// request draws the call of a worker as an arrow to the server, if e is the first answer
// to it.
func (w *walker) request(e *history.Event, server string, kind history.Type, text string) {
	call, ok := w.asked[e.Worker]
	if !ok || call.kind != kind || !w.told(e.Worker) {
		return
	}
	w.d.arrow(Arrow{
		From: w.d.lane(e.Worker), To: w.d.lane(server), Sent: Moment(call.at), Arrived: Moment(e.At),
		Text: words.Plain(e.Worker, 40) + " " + text, seqs: []int64{call.seq, e.Seq},
	})
}

// granted draws the request for a grant, and the reply to the worker.
func (w *walker) granted(e *history.Event, server string) {
	w.request(e, server, history.AcquireCalled, "asks for the lock")
	if !w.told(e.Worker) {
		return
	}
	i, _ := slices.BinarySearchFunc(w.entries, e.Seq, func(a *history.Event, seq int64) int { return cmp.Compare(a.Seq, seq) })
	for _, entry := range w.entries[i:] {
		if entry.Worker != e.Worker {
			continue
		}
		open := w.leases[place{server, e.Key}]
		if l := open[len(open)-1]; l.token == 0 {
			l.token = entry.Token // the server may not know it
		}
		w.d.arrow(Arrow{
			From: w.d.lane(server), To: w.d.lane(e.Worker), Sent: Moment(e.At), Arrived: Moment(entry.At), Label: fence(entry.Token),
			Text: fmt.Sprintf("%s learns of its grant%s", words.Plain(e.Worker, 40), withToken(entry.Token)), seqs: []int64{e.Seq, entry.Seq},
		})
		return
	}
}

// staysBeside reports whether a lease goes on when the lock is given to another owner: both share the lock, or the lock is wrong.
func (l *openLease) staysBeside(granted *history.Event) bool {
	before, now := l.grant.Owner, granted.Owner
	if l.shared != (granted.Mode == shared) { // without a name it may be the same owner
		return before != now && before != "" && now != ""
	}
	return before != now && l.shared
}

// shared is the mode of a grant that shares the lock with others.
const shared = "shared"

// of selects the leases that a renewal or an end is about: that of its owner, or all if it or they do not name one.
func of(e *history.Event) func(*openLease) bool {
	return func(l *openLease) bool { return e.Owner == "" || l.grant.Owner == "" || l.grant.Owner == e.Owner }
}

func all(*openLease) bool { return true }

// beginLease adds the lease of a grant to a server.
func (w *walker) beginLease(at place, e *history.Event) {
	w.addLease(at, &openLease{grant: e, shared: e.Mode == shared, since: e, told: w.told(e.Worker), token: e.Token})
}

func (w *walker) addLease(at place, l *openLease) {
	if !slices.Contains(w.order, at) {
		w.order = append(w.order, at)
	}
	w.leases[at] = append(w.leases[at], l)
}

// renewed counts a renewal. A late one of a lease that was over begins it again.
func (w *walker) renewed(at place, e *history.Event) {
	known := false
	for _, l := range w.leases[at] {
		if of(e)(l) {
			known = true
			l.renewals++
			l.shared = e.Mode == shared
		}
	}
	if !known && e.Late {
		w.beginLease(at, e)
	}
}

// moveLeases moves the leases of the old primary to the new one.
func (w *walker) moveLeases(promoted *history.Event) {
	old := w.d.primaries.Before(promoted)
	if !w.d.primaries.Known() || old == promoted.Node {
		return
	}
	for _, at := range slices.Clone(w.order) {
		if at.server != old {
			continue
		}
		var list []*openLease
		for _, l := range w.leases[at] {
			moved := *l
			moved.since = promoted
			list = append(list, &moved)
		}
		w.endLeases(at, promoted.At, promoted.Seq, "goes on at "+words.Plain(promoted.Node, 24), func(l *openLease) bool { return l.since.At < promoted.At })
		w.leases[at] = nil
		for _, l := range list {
			w.addLease(place{promoted.Node, at.lock}, l)
		}
	}
}

// endLeases draws the leases at a place that end.
func (w *walker) endLeases(p place, at time.Duration, seq int64, how string, ends func(*openLease) bool) {
	w.leases[p] = slices.DeleteFunc(w.leases[p], func(l *openLease) bool {
		if !ends(l) {
			return false
		}
		w.drawLease(l, w.d.lane(p.server), at, seq, how)
		return true
	})
}

// drawLease draws a lease that is over.
func (w *walker) drawLease(l *openLease, lane int, at time.Duration, seq int64, how string) {
	worker, since := l.grant.Worker, l.since.At
	if !l.told {
		w.d.quiet = append(w.d.quiet, quietSpan{lane, worker, since, at})
		return
	}
	text := fmt.Sprintf("lease of %s%s, %s; it %s", words.Plain(worker, 40), withToken(l.token), words.Short(at-since), how)
	if l.renewals > 0 {
		text += ", renewed " + words.Count(l.renewals, "time")
	}
	w.d.span(Span{
		Lane: lane, Kind: "lease", From: Moment(since), To: Moment(at), Label: words.Plain(worker, 24) + fence(l.token), Text: text,
		seqs: []int64{l.since.Seq, seq},
	})
}

// addFault draws a fault on the lane of its target, if that has a lane.
func (w *walker) addFault(begin *history.Event, to time.Duration, seq int64) {
	lane := w.d.lane(w.d.primaries.Hit(begin.Target, begin))
	if lane < 0 && begin.Target == story.LockServer { // all servers: their leader has a lane
		lane = w.d.lane(w.d.primaries.Before(begin))
	}
	if info, _ := faults.Lookup(faults.Kind(begin.Kind)); info.OnNetwork {
		lane = w.d.lane("network")
	}
	text := words.Plain(begin.Kind, 20)
	if step := story.Planned(w.d.run, begin); step != nil {
		text = words.Plain(step.String(), 200)
	}
	label := words.Plain(begin.Kind, 20)
	if to > begin.At {
		label += " " + words.Short(to-begin.At)
	}
	w.d.span(Span{
		Lane: lane, Kind: "fault", From: Moment(begin.At), To: Moment(to), Label: label, Text: "fault: " + text,
		seqs: []int64{begin.Seq, seq},
	})
}

// addQuiet draws the sections and leases that are not in the story. It merges those
// between two moments of the story into one bar, because there can be thousands.
func (d *drafter) addQuiet() {
	slices.SortStableFunc(d.quiet, func(a, b quietSpan) int {
		return cmp.Or(cmp.Compare(a.lane, b.lane), cmp.Compare(a.from, b.from))
	})
	for i := 0; i < len(d.quiet); {
		first, to, workers := d.quiet[i], time.Duration(0), []string(nil)
		next := slices.IndexFunc(d.t.Ruler, func(k Knot) bool { return k.At > Moment(first.from) })
		n := 0
		for ; i < len(d.quiet); i++ {
			q := d.quiet[i]
			if q.lane != first.lane || n > 0 && next >= 0 && Moment(q.from) >= d.t.Ruler[next].At {
				break
			}
			n, to = n+1, max(to, q.to)
			if !slices.Contains(workers, q.worker) {
				workers = append(workers, q.worker)
			}
		}
		what := "section"
		if first.lane >= 0 && d.t.Lanes[first.lane].Kind == "server" {
			what = "lease"
		}
		text := fmt.Sprintf("%s of %s", words.Count(n, what), words.Count(len(workers), "worker"))
		if len(workers) == 1 {
			text = fmt.Sprintf("%s of %s", words.Count(n, what), words.Plain(workers[0], 40))
		}
		d.span(Span{Lane: first.lane, Kind: "quiet", From: Moment(first.from), To: Moment(to), Label: text, Text: text})
	}
}

// maxRows bounds the rows of a lane. Further leases cover others in the last row.
const maxRows = 6

// addRows puts leases that overlap into rows of their lane, in the order of their beginnings, and the quiet bars of that lane into
// rows where there is room.
func (d *drafter) addRows() {
	spans := d.t.Spans
	for lane := range d.t.Lanes {
		var leases, quiet []*Span
		for i := range spans {
			switch s := &spans[i]; {
			case s.Lane != lane:
			case s.Kind == "lease":
				leases = append(leases, s)
			case s.Kind == "quiet":
				quiet = append(quiet, s)
			}
		}
		var until []Moment // by row, when its last bar ends
		place := func(s *Span) {
			row := slices.IndexFunc(until, func(end Moment) bool { return end <= s.From })
			switch {
			case row >= 0:
			case len(until) < maxRows:
				row, until = len(until), append(until, 0)
			default:
				row = maxRows - 1
			}
			s.Row, until[row] = row, max(until[row], s.To)
		}
		slices.SortStableFunc(leases, func(a, b *Span) int { return cmp.Compare(a.From, b.From) })
		for _, s := range leases {
			place(s)
		}
		if len(until) < 2 {
			continue
		}
		for _, s := range quiet {
			place(s)
		}
		d.t.Lanes[lane].Rows = len(until)
	}
}
