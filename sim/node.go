package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// NodeConfig sets how a node's clocks differ from true time.
type NodeConfig struct {
	WallOffset time.Duration // added to the wall clock
	WallPPM    int64         // the wall clock is faster than true time by this, in parts per million
	MonoPPM    int64         // the monotonic clock is faster than true time by this, in parts per million
}

// Node is a machine with two clocks, its processes, and perhaps a server.
type Node struct {
	world  *World
	name   string
	timers *event // on the monotonic clock, a list in no order
	mono   clock
	// Most nodes have one process, with one worker, one task that lasts, and connections to two servers. They are parts of
	// the node, and not objects of their own, because in a large world most of the time of an event is spent on loads from
	// memory.
	firstProcess Process
	firstLinks   [2]links // to nodes that were added earlier

	wall   clock // nanoseconds since epoch
	server Server
	down   bool    // the server has crashed
	conns  []*Conn // accepted by the server, in order
	kept   []*kept // requests that wait to be overtaken
	// requests counts the requests that have reached the server.
	requests int64
	service  *service // nil: requests take no time
	// keepAlive is the time after which the kernel ends an idle connection whose client it cannot reach; 0: never.
	keepAlive time.Duration

	processes []*Process
	suspended int        // number of present suspensions
	frozen    int        // number of present freezes
	awakePPM  int64      // rate of the monotonic clock when the node is not suspended
	inbox     []*message // arrived while the node was stopped
	missed    []firer    // came due while the node was stopped

	wallTimers []*WallTimer // in the order of creation; some may have ended
	endedWall  int          // how many of those
	number     int          // of nodes that were added before
	links      []*links     // to nodes that were added earlier
	stamps     stamps
}

// AddNode adds a machine to the world. Names are unique.
func (w *World) AddNode(name string, cfg NodeConfig) *Node {
	if w.nodes[name] != nil {
		panic(fmt.Sprintf("sim: two nodes are called %s", name))
	}
	n := &Node{
		world: w, name: name, number: len(w.nodes),
		wall: clock{reading: int64(cfg.WallOffset), ppm: cfg.WallPPM},
		mono: clock{ppm: cfg.MonoPPM}, awakePPM: cfg.MonoPPM,
	}
	w.nodes[name] = n
	return n
}

// Node returns the machine of that name, nil if there is none.
func (w *World) Node(name string) *Node { return w.nodes[name] }

// Wall returns the node's wall clock as the time since the epoch of the world.
func (n *Node) Wall() time.Duration { return time.Duration(n.wall.at(n.world.now)) }

// Name returns the name that the node was added with.
func (n *Node) Name() string { return n.name }

// World returns the world that the node is part of.
func (n *Node) World() *World { return n.world }

// Requests returns how many requests have reached the node's server.
func (n *Node) Requests() int64 { return n.requests }

// Listen makes s the server of this node.
func (n *Node) Listen(s Server) { n.server = s }

// Now returns the node's wall clock.
func (n *Node) Now() time.Time { return n.world.epoch.Add(time.Duration(n.wall.at(n.world.now))) }

// Mono returns the node's monotonic clock.
func (n *Node) Mono() time.Duration { return time.Duration(n.mono.at(n.world.now)) }

// arm schedules e for the time at which the monotonic clock has advanced by d.
func (n *Node) arm(e *event, d time.Duration) {
	e.node = n
	e.due = n.mono.at(n.world.now) + max(int64(d), 0)
	e.next = n.timers
	if e.next != nil {
		e.next.previous = e
	}
	n.timers = e
	if at := n.mono.when(e.due); at != never {
		n.world.schedule(e, at)
	}
}

// disarm removes an event from its node's list of timers, if it is on one.
func (n *Node) disarm(e *event) {
	if e.previous == nil && e != n.timers {
		return
	}
	if e.next != nil {
		e.next.previous = e.previous
	}
	if e.previous != nil {
		e.previous.next = e.next
	} else {
		n.timers = e.next
	}
	e.previous, e.next = nil, nil
}

// StepWall steps the wall clock by d, forward or back.
func (n *Node) StepWall(d time.Duration) {
	n.world.note(kindClock, n.name, "wall step", int64(d))
	n.wall = n.wall.moved(n.world.now, int64(d), n.wall.ppm)
	n.rearmWall()
}

// SetWallRate makes the wall clock run ppm parts per million faster than true time.
func (n *Node) SetWallRate(ppm int64) {
	n.world.note(kindClock, n.name, "wall rate", ppm)
	n.wall = n.wall.moved(n.world.now, 0, ppm)
	n.rearmWall()
}

// SetMonoRate makes the monotonic clock run ppm parts per million faster than true time, and
// reschedules its timers.
func (n *Node) SetMonoRate(ppm int64) {
	n.world.note(kindClock, n.name, "monotonic rate", ppm)
	n.awakePPM = ppm
	if n.suspended == 0 {
		n.setMono(ppm)
	}
}

func (n *Node) setMono(ppm int64) {
	n.mono = n.mono.moved(n.world.now, 0, ppm)
	// Reschedule in the old order, so that events of one instant keep it.
	var pending []*event
	for e := n.timers; e != nil; e = e.next {
		pending = append(pending, e)
	}
	slices.SortFunc(pending, func(a, b *event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) })
	for _, e := range pending {
		n.world.queue.remove(e)
		if at := n.mono.when(e.due); at != never {
			n.world.schedule(e, max(at, n.world.now))
		}
	}
}

// WallTimer calls a function at a reading of a node's wall clock.
type WallTimer struct {
	event event
	node  *Node
	due   int64 // nanoseconds since epoch
	do    func()
	ended bool // it has fired or was stopped
}

// AtWall calls do as soon as the wall clock shows t or later, even if a step of the clock causes
// that.
func (n *Node) AtWall(t time.Time, do func()) *WallTimer {
	timer := &WallTimer{node: n, due: int64(t.Sub(n.world.epoch)), do: do}
	timer.event.what = timer
	n.wallTimers = append(n.wallTimers, timer)
	timer.schedule()
	return timer
}

func (t *WallTimer) schedule() {
	w := t.node.world
	w.queue.remove(&t.event)
	w.schedule(&t.event, max(t.node.wall.when(t.due), w.now))
}

func (t *WallTimer) fire() {
	if t.node.stopped() {
		if !slices.Contains(t.node.missed, firer(t)) { // a step of the clock may fire it twice
			t.node.missed = append(t.node.missed, t)
		}
		return
	}
	t.node.dropWallTimer(t)
	t.do()
}

// Time returns the true time at which the timer will fire if the clock is not changed.
func (t *WallTimer) Time() time.Duration { return time.Duration(t.event.at) }

// Stop cancels the timer.
func (t *WallTimer) Stop() {
	t.node.world.queue.remove(&t.event)
	t.node.dropWallTimer(t)
	if i := slices.Index(t.node.missed, firer(t)); i >= 0 {
		t.node.missed = slices.Delete(t.node.missed, i, i+1)
	}
}

// dropWallTimer marks a timer as ended. The list of a server has a timer for each lease, so it is
// rebuilt only when most of its timers have ended: the cost of a timer does not grow with the list.
func (n *Node) dropWallTimer(t *WallTimer) {
	if t.ended {
		return
	}
	t.ended = true
	if n.endedWall++; n.endedWall > len(n.wallTimers)/2 {
		n.wallTimers = slices.DeleteFunc(n.wallTimers, func(t *WallTimer) bool { return t.ended })
		n.endedWall = 0
	}
}

func (n *Node) rearmWall() {
	for _, t := range n.wallTimers {
		if !t.ended {
			t.schedule()
		}
	}
}
