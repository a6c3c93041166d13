package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// At implements faults.Target.
func (r *run) At(moment time.Duration, do func()) { r.world.At(moment, do) }

// OnPoint implements faults.Target.
func (r *run) OnPoint(worker, point string, nth int, do func()) error {
	k := r.workers[worker]
	if k == nil {
		return fmt.Errorf("no worker is called %q", worker)
	}
	k.OnPoint(point, nth, do)
	return nil
}

// Apply implements faults.Target.
func (r *run) Apply(number int, step faults.Step) error {
	if !r.hasTargets(step.Fault) {
		return nil
	}
	info := step.Fault.Info()
	e := history.Event{
		Type: history.FaultBegin, Fault: number, Kind: string(info.Kind), Target: step.Target(),
		Until: r.world.Time() + step.For, Effect: history.Effect(info.Effect),
	}
	if step.When != nil {
		e.Point = step.When.Point
	}
	if info.Point != faults.AnyPoint {
		e.Request = requestNumber(r.world.Leaving())
	}
	r.record(&e)
	r.progressed(step.For)
	r.healed = max(r.healed, e.Until)
	r.injections[number-1] = results.Injection{Happened: true, Begin: r.world.Time(), End: e.Until}
	on := effects{r, number, new(time.Duration)}
	r.later(step.For, func() {
		end := e
		end.Type, end.Until, end.Effect = history.FaultEnd, 0, ""
		if last := *on.arrives; last > r.world.Time() {
			end.Until = last
		}
		r.record(&end)
	})
	return step.Fault.Apply(on, step.For)
}

func (r *run) later(d time.Duration, do func()) { r.world.At(r.world.Time()+d, do) }

// hasTargets reports whether the run has the targets of a fault: which servers the lock has depends on
// the strategy.
func (r *run) hasTargets(f faults.Fault) bool {
	for _, name := range faults.Names(f) {
		if len(r.nodes(name)) == 0 {
			return false
		}
	}
	if !r.cluster.Replicated() && faults.Requires(f, faults.NeedsReplica) {
		return false
	}
	// A family of servers may not support the fault.
	if r.data.apart != nil && slices.Contains(faults.Names(f), scenarios.ResourceNode) && !faults.Supported(f, r.data.apart) {
		return false
	}
	ofLock := func(name string) bool { return name == scenarios.LockNode || r.serves(name) }
	return !slices.ContainsFunc(faults.Names(f), ofLock) || faults.Supported(f, r.cluster)
}

// nodes returns the nodes that a name in a fault refers to.
func (r *run) nodes(name string) []string {
	if k := r.workers[name]; k != nil {
		return []string{k.Process().Node().Name()}
	}
	switch {
	case name == scenarios.ResourceNode && r.world.Node(name) != nil:
		return []string{scenarios.ResourceNode}
	case name == scenarios.LockNode:
		return r.cluster.Serving()
	case r.serves(name):
		return []string{name}
	}
	return nil
}

// effects applies the faults of a plan to the world. A kind of fault calls the method that it
// needs.
type effects struct {
	*run
	step    int            // number of the fault, from 1
	arrives *time.Duration // when the last message arrives that the fault delayed
}

// delayed records when a message arrives that the fault delayed.
func (e effects) delayed(at time.Duration) { *e.arrives = max(*e.arrives, at) }

// machines calls do with the node of each machine that a name refers to.
func (e effects) machines(target string, do func(n *sim.Node)) error {
	for _, name := range e.nodes(target) {
		do(e.world.Node(name))
	}
	return nil
}

// Pause stops a worker's process, or freezes servers.
func (e effects) Pause(target string, d time.Duration) error {
	if k := e.workers[target]; k != nil {
		k.Process().Pause(d)
		return nil
	}
	return e.machines(target, func(n *sim.Node) { n.Freeze(d) })
}

// Suspend suspends machines for d.
func (e effects) Suspend(target string, d time.Duration) error {
	return e.machines(target, func(n *sim.Node) { n.Suspend(d) })
}

// StepClock steps wall clocks by by, and back after d.
func (e effects) StepClock(target string, by, d time.Duration) error {
	return e.machines(target, func(n *sim.Node) {
		n.StepWall(by)
		e.later(d, func() { n.StepWall(-by) })
	})
}

// SetClockRate makes clocks run too fast by ppm, for d.
func (e effects) SetClockRate(target string, clock faults.Clock, ppm int64, d time.Duration) error {
	return e.machines(target, func(n *sim.Node) {
		set := n.SetWallRate
		if clock == faults.ClockMonotonic {
			set = n.SetMonoRate
		}
		set(ppm)
		e.later(d, func() { set(0) })
	})
}

// Stall stops a task of a worker, and records a hit if the worker has such a task.
func (e effects) Stall(worker, task string, d time.Duration) error {
	e.workers[worker].Stall(task, d, func() { e.injections[e.step-1].Hit = true })
	return nil
}

// Overrun makes the work of new sections longer by by, for d.
func (e effects) Overrun(worker string, by, d time.Duration) error {
	e.overruns[worker] += by
	e.later(d, func() { e.overruns[worker] -= by })
	return nil
}

// Cancel ends the context of the section that a worker is in.
func (e effects) Cancel(worker string) error {
	if cancel := e.cancels[worker]; cancel != nil {
		cancel(context.Canceled)
	}
	return nil
}

// HoldMessage delays the message that leaves now by d.
func (e effects) HoldMessage(d time.Duration) error { return e.world.HoldMessage(d) }

// DropMessage loses the message that leaves now, and resets its connection after d.
func (e effects) DropMessage(d time.Duration) error { return e.world.DropMessage(d) }

// DuplicateMessage delivers the message that leaves now a second time, after d.
func (e effects) DuplicateMessage(d time.Duration) error { return e.world.DuplicateMessage(d) }

// ReorderMessage lets the next message overtake the one that leaves now, within d.
func (e effects) ReorderMessage(d time.Duration) error { return e.world.ReorderMessage(d) }

// FailMessage answers the request that leaves now with an error.
func (e effects) FailMessage(text string) error { return e.world.FailMessage(text) }

// links calls do with the two nodes of each link that two names refer to, and stops at the first
// error.
func (e effects) links(from, to string, do func(from, to string) error) error {
	for _, from := range e.nodes(from) {
		for _, to := range e.nodes(to) {
			if err := do(from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Cut cuts links for d.
func (e effects) Cut(from, to string, mode faults.Mode, d time.Duration) error {
	return e.links(from, to, func(from, to string) error {
		switch mode {
		case faults.ModeReset:
			// Each end of a link can have opened connections.
			if err := errors.Join(e.world.Reset(from, to), e.world.Reset(to, from)); err != nil {
				return err
			}
			return e.world.CutLink(from, to, sim.CutDrop, d)
		case faults.ModeDrop:
			return e.world.CutLink(from, to, sim.CutDrop, d)
		case faults.ModeHold:
		}
		return e.world.CutLink(from, to, sim.CutHold, d)
	})
}

// Reset breaks the connections of links.
func (e effects) Reset(from, to string) error { return e.links(from, to, e.world.Reset) }

// Delay adds latency to the messages of links, for d.
func (e effects) Delay(from, to string, by draw.Dist, d time.Duration) error {
	return e.links(from, to, func(from, to string) error {
		return e.world.Impair(from, to, sim.Impairment{Extra: by, Arrives: e.delayed}, d)
	})
}

// Lose loses a share of the messages of links, for d.
func (e effects) Lose(from, to string, percent int, d time.Duration) error {
	const ppm = 10_000 // in a percent
	return e.links(from, to, func(from, to string) error {
		return e.world.Impair(from, to, sim.Impairment{LossPPM: int64(percent) * ppm, Arrives: e.delayed}, d)
	})
}

// Crash ends a worker's process, or turns servers off, for d.
func (e effects) Crash(target string, data faults.Data, d time.Duration) error {
	switch {
	case e.workers[target] != nil:
		e.crash(target)
		e.later(d, func() { e.restart(target) })
	case target == scenarios.ResourceNode:
		e.crashData(data, d)
	default:
		e.cluster.(backend.Crasher).Crash(e.nodes(target), data, d)
	}
	return nil
}

// Promote makes the replica of the lock's server the primary.
func (e effects) Promote() error {
	e.cluster.(backend.Promoter).Promote()
	return nil
}

// ChangeLeader ends the term of the leader of the lock's servers. For d no member leads.
func (e effects) ChangeLeader(d time.Duration) error {
	e.cluster.(backend.Elector).ChangeLeader(d)
	return nil
}

// Overload sets the service time of servers, for d.
func (e effects) Overload(target string, service draw.Dist, d time.Duration) error {
	for _, name := range e.nodes(target) {
		node := e.world.Node(name)
		node.SetService(&service)
		e.later(d, func() {
			if e.serves(name) {
				e.restoreService(name)
			} else {
				node.SetService(nil)
			}
		})
	}
	return nil
}

// ReadStale makes servers answer plain reads with the values of the time by ago, for d.
func (e effects) ReadStale(target string, by, d time.Duration) error {
	for _, name := range e.nodes(target) {
		e.setStale(name, by)
		e.later(d, func() { e.setStale(name, 0) })
	}
	return nil
}

// AnswerErrors makes servers of the lock refuse commands, for d.
func (e effects) AnswerErrors(target string, with faults.Code, d time.Duration) error {
	return e.locks(target, func(server string) {
		refuser := e.cluster.(backend.Refuser)
		refuser.Refuse(server, with)
		e.later(d, func() { refuser.Accept(server, with) })
	})
}

// Delete deletes the keys that match a pattern from servers of the lock.
func (e effects) Delete(target, key string) error {
	return e.locks(target, func(server string) {
		e.hit(e.cluster.(backend.Deleter).Delete(server, key))
	})
}

// Evict deletes one key that matches a pattern from each of some servers of the lock.
func (e effects) Evict(target, key string) error {
	return e.locks(target, func(server string) {
		pick := e.world.Source().Stream("evict", server).At(uint64(e.step))
		e.hit(e.cluster.(backend.Evictor).Evict(server, key, &pick))
	})
}

// locks calls do with each server of the lock that a name refers to. It returns an error for
// another server.
func (e effects) locks(target string, do func(server string)) error {
	for _, name := range e.nodes(target) {
		if !e.serves(name) {
			return fmt.Errorf("%s is no server of locks", name)
		}
		do(name)
	}
	return nil
}

// hit adds the keys that the fault has just deleted to the event of the fault. Several servers may
// have had the same key.
func (e effects) hit(keys []string) {
	events := e.recorder.Events() // no log: splits refuses such faults
	for i := range slices.Backward(events) {
		begin := &events[i]
		if begin.Type != history.FaultBegin || begin.Fault != e.step {
			continue
		}
		for _, key := range keys {
			if !slices.Contains(strings.Split(begin.Hit, ", "), key) {
				begin.Hit = strings.TrimPrefix(begin.Hit+", "+key, ", ")
			}
		}
		return
	}
}

// crash ends a worker's process, unless it is down already.
func (r *run) crash(worker string) {
	process := r.workers[worker].Process()
	if process.Crashed() {
		return
	}
	r.record(&history.Event{Type: history.Crashed, Worker: worker})
	r.lives[process.Name()]++
	process.Crash()
}

// restart starts a worker that is down again, with its next section.
func (r *run) restart(worker string) {
	if !r.workers[worker].Process().Crashed() {
		return
	}
	k := r.workers[worker]
	k.Worker = k.Restart()
	r.begin(k)
}

// exited restarts a worker whose lock ended its process, as a supervisor would.
func (r *run) exited(worker string, err error) {
	r.record(&history.Event{Type: history.Crashed, Worker: worker, Err: text(err)})
	r.lives[r.workers[worker].Process().Name()]++
	r.later(restartDelay, func() { r.restart(worker) })
}

// restartDelay is the time from the exit of a process until its restart.
const restartDelay = time.Second
