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
	if !r.hits(step.Fault) {
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
	r.record(e)
	r.progressed(step.For)
	r.bites[number-1] = results.Bite{Happened: true, Begin: r.world.Time(), End: e.Until}
	r.later(step.For, func() {
		end := e
		end.Type, end.Until, end.Effect = history.FaultEnd, 0, ""
		r.record(end)
	})
	return step.Fault.Apply(effects{r, number}, step.For)
}

func (r *run) later(d time.Duration, do func()) { r.world.At(r.world.Time()+d, do) }

// hits reports whether the run has what the fault takes hold of: the servers
// of the lock depend on the strategy.
func (r *run) hits(f faults.Fault) bool {
	for _, name := range faults.Names(f) {
		if len(r.nodes(name)) == 0 {
			return false
		}
	}
	if !r.cluster.Replicated() && faults.Requires(f, faults.NeedsReplica) {
		return false
	}
	// A family of servers may not know the fault.
	return !slices.ContainsFunc(faults.Names(f), r.serves) || faults.Supported(f, r.cluster)
}

// nodes returns the nodes that a name in a fault stands for.
func (r *run) nodes(name string) []string {
	if k := r.workers[name]; k != nil {
		return []string{k.Process().Node().Name()}
	}
	switch {
	case name == scenarios.ResourceNode:
		return []string{scenarios.ResourceNode}
	case name == scenarios.LockNode:
		return r.cluster.Serving()
	case r.serves(name):
		return []string{name}
	}
	return nil
}

// effects are what the faults of a plan can do to the world: each kind asks for the method
// that it needs.
type effects struct {
	*run
	step int // number of the fault, from 1
}

// machines calls do with the node of each machine that a name stands for.
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

// Suspend puts machines to sleep.
func (e effects) Suspend(target string, d time.Duration) error {
	return e.machines(target, func(n *sim.Node) { n.Suspend(d) })
}

// StepClock moves wall clocks, and back after d.
func (e effects) StepClock(target string, by, d time.Duration) error {
	return e.machines(target, func(n *sim.Node) {
		n.StepWall(by)
		e.later(d, func() { n.StepWall(-by) })
	})
}

// SetClockRate lets clocks run too fast by ppm, for d.
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

// Stall stops a task of a worker, and notes whether there was one.
func (e effects) Stall(worker, task string, d time.Duration) error {
	e.workers[worker].Stall(task, d, func() { e.bites[e.step-1].Bit = true })
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

// HoldMessage delivers the message that leaves now after d.
func (e effects) HoldMessage(d time.Duration) error { return e.world.HoldMessage(d) }

// DropMessage loses the message that leaves now, and resets its connection after d.
func (e effects) DropMessage(d time.Duration) error { return e.world.DropMessage(d) }

// DuplicateMessage delivers the message that leaves now a second time, after d.
func (e effects) DuplicateMessage(d time.Duration) error { return e.world.DuplicateMessage(d) }

// ReorderMessage lets the next message overtake the one that leaves now, within d.
func (e effects) ReorderMessage(d time.Duration) error { return e.world.ReorderMessage(d) }

// FailMessage answers the request that leaves now with an error.
func (e effects) FailMessage(text string) error { return e.world.FailMessage(text) }

// links calls do with the two nodes of each link that two names stand for, up to the
// first error.
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
			// A link has the connections of either end.
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

// Delay makes the messages of links late, for d.
func (e effects) Delay(from, to string, by draw.Dist, d time.Duration) error {
	return e.links(from, to, func(from, to string) error {
		return e.world.Impair(from, to, sim.Impairment{Extra: by}, d)
	})
}

// Lose loses a share of the messages of links, for d.
func (e effects) Lose(from, to string, percent int, d time.Duration) error {
	const ppm = 10_000 // in a percent
	return e.links(from, to, func(from, to string) error {
		return e.world.Impair(from, to, sim.Impairment{LossPPM: int64(percent) * ppm}, d)
	})
}

// Crash ends a worker's process, or takes the power from servers, for d.
func (e effects) Crash(target string, data faults.Data, d time.Duration) error {
	switch {
	case e.workers[target] != nil:
		e.crash(target)
		e.later(d, func() { e.restart(target) })
	case target == scenarios.ResourceNode:
		e.resource.Crash()
		e.later(d, e.resource.Restart)
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

// Overload lets servers take their time for each request, for d.
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

// ReadStale lets servers answer plain reads with what was there by ago, for d.
func (e effects) ReadStale(target string, by, d time.Duration) error {
	for _, name := range e.nodes(target) {
		stale := e.resource.SetStale
		if e.serves(name) {
			stale = func(by time.Duration) { e.cluster.(backend.StaleReader).SetStale(name, by) }
		}
		stale(by)
		e.later(d, func() { stale(0) })
	}
	return nil
}

// AnswerErrors lets servers of the lock refuse commands, for d.
func (e effects) AnswerErrors(target string, with faults.Code, d time.Duration) error {
	return e.locks(target, func(server string) {
		refuser := e.cluster.(backend.Refuser)
		refuser.Refuse(server, with)
		e.later(d, func() { refuser.Accept(server, with) })
	})
}

// Delete takes the keys that fit a pattern away from servers of the lock.
func (e effects) Delete(target, key string) error {
	return e.locks(target, func(server string) {
		e.hit(e.cluster.(backend.Deleter).Delete(server, key))
	})
}

// Evict takes one key that fits a pattern away from each of some servers of the lock.
func (e effects) Evict(target, key string) error {
	return e.locks(target, func(server string) {
		pick := e.world.Source().Stream("evict", server).At(uint64(e.step))
		e.hit(e.cluster.(backend.Evictor).Evict(server, key, &pick))
	})
}

// locks calls do with each server of the lock that a name stands for. It returns an error
// for another server.
func (e effects) locks(target string, do func(server string)) error {
	for _, name := range e.nodes(target) {
		if !e.serves(name) {
			return fmt.Errorf("%s is no server of locks", name)
		}
		do(name)
	}
	return nil
}

// hit adds to the event of the fault which keys it has just taken away. Several
// servers may have had the same.
func (e effects) hit(keys []string) {
	events := e.recorder.Events()
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

// crash ends a worker's process. One that is down already stays down.
func (r *run) crash(worker string) {
	process := r.workers[worker].Process()
	if process.Crashed() {
		return
	}
	r.record(history.Event{Type: history.Crashed, Worker: worker})
	r.lives[process.Name()]++
	process.Crash()
}

// restart lets a worker that is down begin anew, with its next section.
func (r *run) restart(worker string) {
	if !r.workers[worker].Process().Crashed() {
		return
	}
	again := r.workers[worker].Restart()
	r.workers[worker] = again
	again.Go("main", func() { r.work(again) })
}

// exited is what becomes of a worker whose lock ended its process: it is
// started again, as by a supervisor.
func (r *run) exited(worker string, err error) {
	r.record(history.Event{Type: history.Crashed, Worker: worker, Err: text(err)})
	r.lives[r.workers[worker].Process().Name()]++
	r.later(supervised, func() { r.restart(worker) })
}

// supervised is how long it takes to start a program again that has ended.
const supervised = time.Second

// bite works out which faults of the plan hit anything: a section of the
// target worker, a call of it that was under way, or a grant.
func (r *run) bite(h *history.History, sections []*history.Section) {
	ofGrants := false
	for i, step := range r.plan.Steps {
		b := &r.bites[i]
		if !b.Happened {
			continue
		}
		hits := step.Fault.Info().Hits
		switch hits {
		case faults.HitsMessage:
			b.Bit = true
		case faults.HitsReported:
		case faults.HitsGrants:
			ofGrants = true // decided below, by what it could take away
		default:
			b.Bit = slices.ContainsFunc(sections, func(s *history.Section) bool {
				return r.meets(step.Fault, hits, b, s, h.Meta.End)
			})
		}
	}
	if ofGrants {
		r.biteGrants(h.Events)
	}
}

// meets reports whether a fault fell into a section that it concerns.
func (r *run) meets(f faults.Fault, hits faults.Hits, b *results.Bite, s *history.Section, over time.Duration) bool {
	names := faults.Names(f)
	// What happens to a server is everybody's affair.
	everybody := len(names) == 1 && r.workers[names[0]] == nil
	if !everybody && !slices.Contains(names, s.Worker) {
		return false
	}
	end := s.ReturnAt
	if s.Return == 0 {
		end = over
	}
	switch {
	case hits == faults.HitsNewSections:
		return b.Begin <= s.CallAt && s.CallAt < b.End
	case b.Begin == b.End:
		return s.CallAt <= b.Begin && b.Begin < end
	}
	return s.CallAt < b.End && b.Begin < end
}

// biteGrants lets those faults bite that took keys away while a grant was live
// on the server that they hit.
func (r *run) biteGrants(events []history.Event) {
	type grant struct{ node, key, owner string }
	var live []grant
	for i := range events {
		e := &events[i]
		this := grant{e.Node, e.Key, e.Owner}
		switch e.Type {
		case history.Granted:
			live = append(live, this)
		case history.Freed, history.Expired, history.Evicted:
			live = slices.DeleteFunc(live, func(g grant) bool { return g == this })
		case history.FaultBegin:
			if r.plan.Steps[e.Fault-1].Fault.Info().Hits == faults.HitsGrants {
				r.bites[e.Fault-1].Bit = slices.ContainsFunc(live, func(g grant) bool {
					// All servers of a lock speak as one where one is the replica of the other.
					return e.Target == scenarios.LockNode || r.cluster.Replicated() || g.node == e.Target
				})
			}
		default:
		}
	}
}
