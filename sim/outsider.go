package sim

import (
	"cmp"
	"slices"
	"time"
)

// Outsider is code of a process that runs outside of the world: in goroutines of its own, with a clock of
// its own that only the world moves. The world's tasks and an outsider never run at the same time. An
// outsider is paused, crashes and suspends with its process, and its clock follows the monotonic clock of
// the node.
type Outsider interface {
	// Advance moves the clock to a reading of the node's monotonic clock, and runs everything that is due
	// until then. It stops earlier, at the first instant at which a goroutine asks the world for something.
	// It returns the reading at which it stopped, and what is asked for, in an order that does not depend
	// on the scheduler of Go.
	Advance(to time.Duration) (at time.Duration, asks []func())
	// Wake moves the clock to the present when the process continues after a stop. It calls late for each reading at which
	// a timer is due, the earliest first; the timer fires at the reading that late returns. Wake reports false, and does
	// nothing, if it cannot do this. Then Advance runs what is late.
	Wake(late func(due time.Duration) time.Duration) bool
	// Clock returns the reading to which the clock has moved.
	Clock() time.Duration
	// Busy reports whether a task of the world waits for the outsider, so that the run goes on.
	Busy() bool
	// Close ends its goroutines. Their further calls to the world fail.
	Close()
}

// outsider is an Outsider in a world.
type outsider struct {
	Outsider
	process *Process
	asks    []func() // not yet taken up
	askedAt int64    // true time
	horizon int64    // see World.look
	woken   bool     // by Wake, so that it need not wait for the lag of the waking
}

// Attach makes o a part of the process. The trace shows an outsider only through what it asks for.
func (p *Process) Attach(o Outsider) {
	w := p.node.world
	p.outsider = &outsider{Outsider: o, process: p}
	w.outsiders = append(w.outsiders, p.outsider)
}

// BoundLookAhead bounds how far an outsider may be ahead of the world from now on, to d at most. A run is
// slower with a bound.
func (w *World) BoundLookAhead(d time.Duration) {
	if w.lookAhead == 0 || int64(d) < w.lookAhead {
		w.lookAhead = int64(d)
	}
}

// goOutside lets the outsiders go on to the time of the next event. If one of them asks for something
// before that, goOutside moves the world to the time of the request, executes it, and reports true.
//
// An outsider may be ahead of the world, since nothing reaches it in between: a reply is an event of the
// queue, and anything else that can reach it is one of its own process. There are three exceptions. While a call
// of an outsider waits at a server, a request of another one can lead to its reply, so none is ahead by more
// than waitingAhead. BoundLookAhead is for the other two: a message that a server pushes because of
// another process, and a fault that is tied to a point of another process.
func (w *World) goOutside() bool {
	if len(w.outsiders) == 0 {
		return false
	}
	next := w.next()
	w.looked = false
	ahead := w.lookAhead
	if ahead == 0 && len(w.outsiders) > 1 && slices.ContainsFunc(w.outsiders, func(o *outsider) bool { return o.runs() && !o.process.knowsItsNext() }) {
		ahead = int64(waitingAhead)
	}
	for from := w.now; ; {
		to := next
		if ahead > 0 {
			to = min(to, from+ahead)
		}
		first := int64(never)
		for _, o := range w.outsiders {
			if !o.runs() {
				continue
			}
			if o.asks == nil {
				w.move(o, min(to, first))
			}
			if o.asks != nil && o.askedAt <= to {
				first = min(first, o.askedAt)
			}
		}
		if first < never {
			w.takeUp(max(first, w.now))
			return true
		}
		if to >= next {
			return false
		}
		if w.cfg.Beat != nil {
			w.cfg.Beat.Add(1) // a long wait in small steps is no hang
		}
		from = to
	}
}

// waitingAhead bounds how far an outsider is ahead while a call of one waits at a server.
const waitingAhead = time.Millisecond

// farthest is how far an outsider goes on at once if nothing else happens.
const farthest = 365 * 24 * time.Hour

// runs reports whether the outsider may move now.
func (o *outsider) runs() bool {
	p := o.process
	return !p.crashed && p.stops == 0 && (o.woken || !p.waking.lags())
}

// wake lets an outsider go on after a stop. Each of its late timers is drawn to a processor of the process, as a late deadline of
// the world's tasks is, and fires after the lag of this processor. A timer that comes due while a processor is awake is not late.
func (o *outsider) wake() {
	k, mono := &o.process.waking, &o.process.node.mono
	processors := k.processors()
	first := slices.MinFunc(processors, func(a, b lane) int { return cmp.Compare(a.event.at, b.event.at) })
	o.woken = o.Wake(func(due time.Duration) time.Duration {
		if due >= time.Duration(mono.at(first.event.at)) {
			return due
		}
		return time.Duration(mono.at(processors[k.laneOf(classDeadline)].event.at))
	})
}

// timerSlack is how late the world may learn of a timer of an outsider. Timers on a machine are late too. Because of it
// an outsider does not move for each step of the world's tasks.
const timerSlack = 50 * time.Microsecond

// move lets an outsider go on to a true time. If only events of its process can reach it, it goes on to the
// first of these: then it moves once for each of its own events, and not for each of the world's.
func (w *World) move(o *outsider, to int64) {
	mono := &o.process.node.mono
	if time.Duration(mono.at(to))-o.Clock() < timerSlack {
		return
	}
	if w.lookAhead == 0 && o.process.knowsItsNext() {
		w.look()
		to = max(to, o.horizon)
	}
	at, asks := o.Advance(time.Duration(mono.at(to)))
	if len(asks) > 0 {
		o.asks, o.askedAt = asks, max(w.now, min(to, mono.when(int64(at))))
	}
}

// knowsItsNext reports whether the queue has the next event that can reach the process. It does not have it if a call
// waits at a server for something, or if a message is held or lost. Any event may then lead to an answer.
func (p *Process) knowsItsNext() bool {
	for _, c := range p.conns {
		switch {
		case c.inbox.reader != nil && !c.inbox.answersOnly:
			return false
		case slices.ContainsFunc(c.pending, (*Call).waits), slices.ContainsFunc(c.asked, (*Call).waits):
			return false
		}
	}
	return true
}

// waits reports whether neither the request nor the reply is on its way: the server has not answered, or a message is held or lost.
func (c *Call) waits() bool { return c.request.event.index == 0 && c.response.event.index == 0 }

// takeUp moves the world to a time and executes what the outsiders have asked for by then.
func (w *World) takeUp(at int64) {
	if at > w.now {
		w.advance(at)
	} else {
		w.countInstant()
	}
	for _, o := range w.outsiders {
		if o.asks == nil || o.askedAt > w.now {
			continue
		}
		asks := o.asks
		o.asks = nil
		for _, ask := range asks {
			ask()
		}
	}
}

// next returns the true time of the next event, at most the limit of the run.
func (w *World) next() int64 {
	first := w.farthest()
	if len(w.queue.items) > 0 {
		first = min(first, w.queue.items[0].at)
	}
	return first
}

// farthest returns how far an outsider goes on if no event can reach it: to the limit of the run at most.
func (w *World) farthest() int64 {
	first := w.now + int64(farthest)
	if limit := int64(w.cfg.Limit); limit > 0 {
		first = min(first, limit)
	}
	return first
}

// look sets the horizon of each outsider: the true time of the first event that can reach its process. The horizons hold
// until the queue changes.
func (w *World) look() {
	if w.looked {
		return
	}
	w.looked = true
	first := w.farthest()
	for _, o := range w.outsiders {
		o.horizon = first
	}
	for _, it := range w.queue.items {
		switch p, every := reached(it.e.what); {
		case every:
			first = min(first, it.at)
		case p != nil && p.outsider != nil:
			p.outsider.horizon = min(p.outsider.horizon, it.at)
		}
	}
	for _, o := range w.outsiders {
		o.horizon = min(o.horizon, first)
	}
}

// reached returns the process that an event can reach, nil if it can reach none. Every reports that it can reach all.
func reached(what firer) (p *Process, every bool) {
	switch what := what.(type) {
	case *taskTimer:
		return what.worker.process, false
	case *simContext:
		return what.process, false
	case *lane:
		return what.process, false
	case *brokenConn:
		return what.conn.process, false
	case *message:
		return what.pipe.conn.process, false
	case *service, *WallTimer, *MonoTimer:
		return nil, false
	}
	return nil, true // a fault, or its end
}

// waitsOutside reports whether a task of a process that has not crashed waits for an outsider.
func (w *World) waitsOutside() bool {
	for _, o := range w.outsiders {
		if !o.process.crashed && o.Busy() {
			return true
		}
	}
	return false
}
