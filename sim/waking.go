package sim

import (
	"slices"
	"time"

	"lockquake/internal/draw"
)

// waking is what a process has to see that came due while it was stopped, and how
// far it has come with that since it went on.
//
// A process has Config.Cores processors and a network poller. Each of them is a
// lane. On waking, each late deadline belongs to the lane of a processor that is
// drawn, and each late message to the poller's; each lane takes a lag of its own
// and then sees what is its own, in order. So with two processors a task that
// sleeps can wake and send before the processor beside it sees that the lease is
// over:
//
//	processor 1  waking ....... hold ends, "write" leaves
//	processor 2  waking ................................. lease is over: cancel
//
// With one processor there is one lane: deadlines first, then messages.
type waking struct {
	count uint64    // of all wakings, also of earlier lives of the process
	draws draw.Draw // of the present waking
	late  []lateEvent
	lanes []lane // processors, and then the poller unless there is one lane for all
	ahead int    // lanes that still lag
	since uint64 // events scheduled from here on are of tasks that are awake
}

// lateEvent came due while its process was stopped, or before the lane that is to
// see it had caught up.
type lateEvent struct {
	class class
	at    int64
	lane  int
	event *event
}

// lane is a processor, or the poller, of a process that has been stopped.
type lane struct {
	process *Process
	number  int
	event   event
	awake   bool
}

// lags reports whether the process is awake again, but not yet aware of all that
// came in meanwhile.
func (k *waking) lags() bool { return k.ahead > 0 }

// makeLanes makes the lanes when they are first needed.
func (p *Process) makeLanes() {
	cfg := &p.node.world.cfg
	n := 1
	if cfg.Cores > 1 && !cfg.ArrivalFirst {
		n = cfg.Cores + 1
	}
	p.waking.lanes = make([]lane, n)
	for i := range p.waking.lanes {
		l := &p.waking.lanes[i]
		l.process, l.number, l.event.what = p, i, l
	}
}

// laneOf is the lane that a late event belongs to. For a deadline it is drawn.
func (k *waking) laneOf(c class) int {
	processors := len(k.lanes) - 1
	switch {
	case processors == 0:
		return 0
	case c == classMessage:
		return processors
	}
	return int(k.draws.Int64N(int64(processors)))
}

// wake lets work in hand go on at once, and each lane after a lag.
func (p *Process) wake() {
	w, k := p.node.world, &p.waking
	if k.lanes == nil {
		p.makeLanes()
	}
	k.draws = w.source.Stream("wake", p.name).At(k.count)
	k.count++
	k.since = w.seq
	k.ahead = len(k.lanes)
	for i := range k.lanes {
		l := &k.lanes[i]
		l.awake = false
		w.cancel(&l.event) // of a waking that a new pause cut short
		w.schedule(&l.event, w.now+int64(w.cfg.WakeLag.Sample(&k.draws)))
	}
	var atWork []*event
	k.late = slices.DeleteFunc(k.late, func(e lateEvent) bool {
		if e.class == classStep {
			atWork = append(atWork, e.event)
		}
		return e.class == classStep
	})
	for i := range k.late {
		k.late[i].lane = k.laneOf(k.late[i].class)
	}
	for _, e := range atWork {
		e.late = nil
		e.what.fire()
	}
}

// fire hands over what belongs to the lane.
func (l *lane) fire() {
	p := l.process
	if p.stops > 0 || p.crashed {
		return // stopped again: the next waking hands it over
	}
	w, k := p.node.world, &p.waking
	l.awake = true
	k.ahead--
	slices.SortStableFunc(k.late, func(a, b lateEvent) int {
		if !w.cfg.ArrivalFirst && a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return compareOrder(a.at, 0, b.at, 0)
	})
	for p.stops == 0 { // what it does may stop it again
		i := slices.IndexFunc(k.late, func(e lateEvent) bool { return e.lane == l.number })
		if i < 0 {
			return
		}
		e := k.late[i].event
		k.late = slices.Delete(k.late, i, i+1)
		e.late = nil
		e.what.fire()
		// The tasks that it woke see it before the next one comes.
		w.catchingUp = true
		w.runReady()
		w.catchingUp = false
	}
}

// postpone keeps an event for later if the process cannot take it now, and
// reports whether it did.
func (p *Process) postpone(e *event, c class) bool {
	k := &p.waking
	lane := 0
	if p.stops == 0 {
		if !k.lags() || c == classStep || k.sees(e, c) {
			return false
		}
		lane = k.laneOf(c)
	}
	e.late = p
	k.late = append(k.late, lateEvent{class: c, at: p.node.world.now, lane: lane, event: e})
	return true
}

// sees reports whether an event that comes due while the process lags is seen at
// once: a message if the poller is awake, a deadline if any processor is, or if it
// was set by a task that is.
func (k *waking) sees(e *event, c class) bool {
	processors := k.lanes[:max(len(k.lanes)-1, 1)]
	if c == classMessage {
		return k.lanes[len(k.lanes)-1].awake
	}
	return e.seq > k.since || slices.ContainsFunc(processors, func(l lane) bool { return l.awake })
}

// forget takes a cancelled event off the late list.
func (p *Process) forget(e *event) {
	e.late = nil
	p.waking.late = slices.DeleteFunc(p.waking.late, func(l lateEvent) bool { return l.event == e })
}

// busy is a piece of work that takes processor time.
type busy struct {
	began   int64 // true time
	takes   time.Duration
	stopped int64 // Process.stoppedFor when it began
}

// begin begins a piece of work that takes d.
func (p *Process) begin(d time.Duration) busy {
	return busy{p.node.world.now, d, p.stoppedFor}
}

// left is what is still to be done of a piece of work because the process was
// stopped meanwhile; 0 or less if it is done.
func (p *Process) left(b busy) time.Duration {
	stopped := p.stoppedFor - b.stopped
	if stopped == 0 {
		return 0
	}
	return b.takes - time.Duration(p.node.world.now-b.began-stopped)
}
