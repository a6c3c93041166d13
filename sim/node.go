package sim

import (
	"fmt"
	"slices"
	"time"
)

// NodeConfig says how a node's clocks differ from true time.
type NodeConfig struct {
	WallOffset time.Duration // added to the wall clock
	WallPPM    int64         // wall clock faster than true time, in parts per million
	MonoPPM    int64         // monotonic clock faster than true time, in parts per million
}

// Node is a machine: two clocks, the processes on it, and perhaps a server.
type Node struct {
	world  *World
	name   string
	epoch  time.Time
	wall   clock // nanoseconds since epoch
	mono   clock
	server Server
	down   bool    // the server has crashed
	conns  []*Conn // that the server knows of, in the order in which they came
	kept   []*kept
	// requests counts those that have come to the server.
	requests int64
	service  *service // nil: requests are served at their arrival

	processes []*Process
	suspended int   // how many suspensions hold it now
	frozen    int   // how many freezes do
	awakePPM  int64 // rate of the monotonic clock when it is awake
	inbox     []*message
	missed    []*WallTimer

	timers     []*event     // on the monotonic clock, in no order
	wallTimers []*WallTimer // in the order of their making
	links      map[*Node]*link
}

// AddNode adds a machine to the world. Names are unique.
func (w *World) AddNode(name string, cfg NodeConfig) *Node {
	if w.nodes[name] != nil {
		panic(fmt.Sprintf("sim: two nodes are called %s", name))
	}
	n := &Node{
		world: w, name: name, epoch: epoch(), links: map[*Node]*link{},
		wall: clock{reading: int64(cfg.WallOffset), ppm: cfg.WallPPM},
		mono: clock{ppm: cfg.MonoPPM}, awakePPM: cfg.MonoPPM,
	}
	w.nodes[name] = n
	return n
}

// Node returns the machine of that name, nil if there is none.
func (w *World) Node(name string) *Node { return w.nodes[name] }

// Wall is what the node's wall clock shows, as time since every wall clock
// without an offset began.
func (n *Node) Wall() time.Duration { return time.Duration(n.wall.at(n.world.now)) }

// Name returns the name that the node was added with.
func (n *Node) Name() string { return n.name }

// World returns the world that the node is part of.
func (n *Node) World() *World { return n.world }

// Requests is how many requests have reached the node's server.
func (n *Node) Requests() int64 { return n.requests }

// Listen makes s the server of this node.
func (n *Node) Listen(s Server) { n.server = s }

// Now is the node's wall clock.
func (n *Node) Now() time.Time { return n.epoch.Add(time.Duration(n.wall.at(n.world.now))) }

// Mono is the node's monotonic clock.
func (n *Node) Mono() time.Duration { return time.Duration(n.mono.at(n.world.now)) }

// arm schedules e for the moment at which the monotonic clock has advanced by
// d from now.
func (n *Node) arm(e *event, d time.Duration) {
	e.node = n
	e.due = n.mono.at(n.world.now) + max(int64(d), 0)
	n.timers = append(n.timers, e)
	e.place = len(n.timers)
	if at := n.mono.when(e.due); at != never {
		n.world.schedule(e, at)
	}
}

// disarm takes an event off its node's list of timers, if it is on one.
func (n *Node) disarm(e *event) {
	if e.place == 0 {
		return
	}
	last := len(n.timers) - 1
	moved := n.timers[last]
	n.timers[e.place-1] = moved
	moved.place = e.place
	n.timers[last] = nil
	n.timers = n.timers[:last]
	e.place = 0
}

// StepWall moves the wall clock by d, forward or back, now.
func (n *Node) StepWall(d time.Duration) {
	n.world.note(kindClock, n.name, "wall step", int64(d))
	n.wall = n.wall.moved(n.world.now, int64(d), n.wall.ppm)
	n.rearmWall()
}

// SetWallRate lets the wall clock run ppm parts per million faster than true
// time from now on.
func (n *Node) SetWallRate(ppm int64) {
	n.world.note(kindClock, n.name, "wall rate", ppm)
	n.wall = n.wall.moved(n.world.now, 0, ppm)
	n.rearmWall()
}

// SetMonoRate lets the monotonic clock run ppm parts per million faster than
// true time from now on, and moves the timers that hang on it.
func (n *Node) SetMonoRate(ppm int64) {
	n.world.note(kindClock, n.name, "monotonic rate", ppm)
	n.awakePPM = ppm
	if n.suspended == 0 {
		n.setMono(ppm)
	}
}

func (n *Node) setMono(ppm int64) {
	n.mono = n.mono.moved(n.world.now, 0, ppm)
	// In the order of their old turns, so that those of one instant keep it.
	pending := slices.Clone(n.timers)
	slices.SortFunc(pending, func(a, b *event) int { return compareOrder(a.at, a.seq, b.at, b.seq) })
	for _, e := range pending {
		n.world.queue.remove(e)
		if at := n.mono.when(e.due); at != never {
			n.world.schedule(e, max(at, n.world.now))
		}
	}
}

func compareOrder(at1 int64, seq1 uint64, at2 int64, seq2 uint64) int {
	switch {
	case at1 < at2, at1 == at2 && seq1 < seq2:
		return -1
	case at1 == at2 && seq1 == seq2:
		return 0
	default:
		return 1
	}
}

// WallTimer waits for a reading of a node's wall clock.
type WallTimer struct {
	event event
	node  *Node
	due   int64 // nanoseconds since epoch
	do    func()
}

// AtWall calls do as soon as the wall clock reads t or later, steps of the
// clock included.
func (n *Node) AtWall(t time.Time, do func()) *WallTimer {
	timer := &WallTimer{node: n, due: int64(t.Sub(n.epoch)), do: do}
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
		if !slices.Contains(t.node.missed, t) { // a step of the clock lets it fire again
			t.node.missed = append(t.node.missed, t)
		}
		return
	}
	t.node.dropWallTimer(t)
	t.do()
}

// Time returns the true time at which the timer will fire if nobody touches
// the clock.
func (t *WallTimer) Time() time.Duration { return time.Duration(t.event.at) }

// Stop makes the timer do nothing.
func (t *WallTimer) Stop() {
	t.node.world.queue.remove(&t.event)
	t.node.dropWallTimer(t)
	if i := slices.Index(t.node.missed, t); i >= 0 {
		t.node.missed = slices.Delete(t.node.missed, i, i+1)
	}
}

func (n *Node) dropWallTimer(t *WallTimer) {
	if i := slices.Index(n.wallTimers, t); i >= 0 {
		n.wallTimers = slices.Delete(n.wallTimers, i, i+1)
	}
}

func (n *Node) rearmWall() {
	for _, t := range n.wallTimers {
		t.schedule()
	}
}
