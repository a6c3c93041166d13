package sim

import (
	"cmp"
	"slices"
	"time"

	"lockquake/internal/draw"
)

// waking keeps the events that came due while a process was stopped, and hands them over after it
// has gone on.
//
// A process has Config.Cores processors and a network poller. Each of them is a lane. On waking,
// each late deadline is drawn to a processor, and late messages belong to the poller. Each lane
// first takes a lag, drawn from Config.WakeLag, and then handles its own events in order. In this
// example a process with two processors was paused until 5 s. Meanwhile the sleep of its work
// ended, its lease ended, and a reply arrived. The lags are 0.1, 8 and 2 ms:
//
//	5.0000 s  the process wakes; a task in the middle of a step goes on at once
//	5.0001 s  processor 1 handles the end of the sleep: the work sends its write
//	5.0020 s  the poller delivers the reply
//	5.0080 s  processor 2 handles the end of the lease: it cancels the work, too late
//
// With one processor there is one lane, which handles all deadlines before all messages. With
// Config.ArrivalFirst there is one lane too, which handles everything in the order in which it came
// due.
type waking struct {
	count   uint64    // number of wakings, including those before a restart of the process
	draws   draw.Draw // the draws of the present waking
	late    []lateEvent
	lanes   []lane // the processors and then the poller, or one lane for all
	lagging int    // number of lanes that still lag
	since   uint64 // events with a higher sequence number were scheduled after the waking
}

// lateEvent is an event that came due while its process was stopped, or before its lane was awake.
type lateEvent struct {
	class class
	at    int64
	lane  int
	event *event
}

// lane is a processor or the poller of a process that has been stopped.
type lane struct {
	process *Process
	number  int
	event   event
	awake   bool
}

// lags reports whether the process has gone on but some of its lanes still lag.
func (k *waking) lags() bool { return k.lagging > 0 }

// makeLanes makes the lanes on the first waking.
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

// processors returns the lanes that handle late deadlines.
func (k *waking) processors() []lane { return k.lanes[:max(len(k.lanes)-1, 1)] }

// laneOf returns the lane that handles a late event. For a deadline it is drawn.
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

// wake lets steps go on at once, and schedules each lane after its lag.
func (p *Process) wake() {
	w, k := p.node.world, &p.waking
	if k.lanes == nil {
		p.makeLanes()
	}
	k.draws = w.source.Stream("wake", p.name).At(k.count)
	k.count++
	k.since = w.seq
	k.lagging = len(k.lanes)
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
	if p.outsider != nil {
		p.outsider.wake()
	}
	for _, e := range atWork {
		e.late = nil
		e.what.fire()
	}
}

// fire hands over the events of the lane.
func (l *lane) fire() {
	p := l.process
	if p.stops > 0 || p.crashed {
		return // stopped again: the next waking hands them over
	}
	w, k := p.node.world, &p.waking
	l.awake = true
	k.lagging--
	slices.SortStableFunc(k.late, func(a, b lateEvent) int {
		if !w.cfg.ArrivalFirst && a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return cmp.Compare(a.at, b.at)
	})
	for p.stops == 0 { // an event may stop the process again
		i := slices.IndexFunc(k.late, func(e lateEvent) bool { return e.lane == l.number })
		if i < 0 {
			return
		}
		e := k.late[i].event
		k.late = slices.Delete(k.late, i, i+1)
		e.late = nil
		e.what.fire()
		// The tasks that it woke run before the next event is handed over.
		w.catchingUp = true
		w.runReady()
		w.catchingUp = false
	}
}

// postpone keeps an event for later if the process cannot handle it now, and reports whether it
// did.
func (p *Process) postpone(e *event, c class) bool {
	k := &p.waking
	lane := 0
	if p.stops == 0 {
		if !k.lags() || c == classStep || k.handlesNow(e, c) {
			return false
		}
		lane = k.laneOf(c)
	}
	e.late = p
	k.late = append(k.late, lateEvent{class: c, at: p.node.world.now, lane: lane, event: e})
	return true
}

// handlesNow reports whether an event that comes due while the process lags is handled at once. A
// message is if the poller is awake. A deadline is if any processor is awake, or if it was set
// after the waking.
func (k *waking) handlesNow(e *event, c class) bool {
	if c == classMessage {
		return k.lanes[len(k.lanes)-1].awake
	}
	return e.seq > k.since || slices.ContainsFunc(k.processors(), func(l lane) bool { return l.awake })
}

// forget removes a cancelled event from the late list.
func (p *Process) forget(e *event) {
	e.late = nil
	p.waking.late = slices.DeleteFunc(p.waking.late, func(l lateEvent) bool { return l.event == e })
}

// work is work that takes processor time.
type work struct {
	began   int64 // true time
	takes   time.Duration
	stopped int64 // Process.stoppedFor when it began
}

// begin starts work that takes d.
func (p *Process) begin(d time.Duration) work {
	return work{p.node.world.now, d, p.stoppedFor}
}

// remaining returns the time that the work still needs because the process was stopped meanwhile; 0
// or less if it is done.
func (p *Process) remaining(b work) time.Duration {
	stopped := p.stoppedFor - b.stopped
	if stopped == 0 {
		return 0
	}
	return b.takes - time.Duration(p.node.world.now-b.began-stopped)
}
