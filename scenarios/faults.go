package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios/results"
	"lockquake/sim"
	"lockquake/sim/redis"
	"lockquake/sim/redis/keyspace"
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
func (r *run) Apply(step int, a faults.Action) error {
	if !r.hits(a) {
		return nil
	}
	e := history.Event{
		Type: history.FaultBegin, Fault: step, Kind: string(a.Kind), Target: a.Target,
		Until: r.world.Time() + a.For, Effect: history.Effect(kindInfo(a.Kind).Effect),
	}
	if a.From != "" {
		e.Target = a.From + "->" + a.To
	}
	if when := r.plan.Steps[step-1].When; when != nil {
		e.Point = when.Point
	}
	if r.kindInfo(a.Kind).Point != faults.AnyPoint {
		e.Request = requestNumber(r.world.Leaving())
	}
	r.record(e)
	r.progressed(a.For)
	r.bites[step-1] = results.Bite{Happened: true, Begin: r.world.Time(), End: e.Until}
	r.later(a.For, func() {
		end := e
		end.Type, end.Until, end.Effect = history.FaultEnd, 0, ""
		r.record(end)
	})
	return r.takeHold(step, a)
}

func (r *run) later(d time.Duration, do func()) { r.world.At(r.world.Time()+d, do) }

// hits reports whether the run has what the fault takes hold of: the servers
// of the lock depend on the strategy.
func (r *run) hits(a faults.Action) bool {
	for _, name := range []string{a.Target, a.From, a.To} {
		if name != "" && len(r.nodes(name)) == 0 {
			return false
		}
	}
	return a.Kind != faults.Failover || r.cluster.Replicated()
}

// nodes returns the nodes that a name in a fault stands for.
func (r *run) nodes(name string) []string {
	if k := r.workers[name]; k != nil {
		return []string{k.Process().Node().Name()}
	}
	switch {
	case name == resourceNode:
		return []string{resourceNode}
	case name == lockNode:
		return r.cluster.Serving()
	case r.cluster.Server(name) != nil:
		return []string{name}
	}
	return nil
}

// takeHold does to the world what a fault of each kind does.
func (r *run) takeHold(step int, a faults.Action) error {
	switch a.Kind {
	case faults.Hold:
		return r.world.HoldMessage(a.For)
	case faults.Drop:
		return r.world.DropMessage(a.For)
	case faults.Duplicate:
		return r.world.DuplicateMessage(a.For)
	case faults.Reorder:
		return r.world.ReorderMessage(a.For)
	case faults.Error:
		return r.world.FailMessage(a.Text)
	case faults.Overrun:
		r.overruns[a.Target] += a.By
		r.later(a.For, func() { r.overruns[a.Target] -= a.By })
	case faults.Cancel:
		if cancel := r.cancels[a.Target]; cancel != nil {
			cancel(context.Canceled)
		}
	case faults.Stall:
		r.workers[a.Target].Stall(a.Task, a.For, func() { r.bites[step-1].Bit = true })
	case faults.Failover:
		r.cluster.Promote()
	case faults.Partition, faults.Reset, faults.Latency, faults.Loss:
		return r.befallLinks(step, a)
	default:
		if k := r.workers[a.Target]; k != nil {
			return r.befallWorker(k, a)
		}
		return r.befallServers(step, a)
	}
	return nil
}

// befallLinks does what a fault does to links.
func (r *run) befallLinks(step int, a faults.Action) error {
	for _, from := range r.nodes(a.From) {
		for _, to := range r.nodes(a.To) {
			if err := r.befallLink(step, a, from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) befallLink(step int, a faults.Action, from, to string) error {
	switch a.Kind {
	case faults.Reset:
		return r.world.Reset(from, to)
	case faults.Latency:
		return r.world.Impair(from, to, sim.Impairment{Extra: r.spec(step).Params.Add}, a.For)
	case faults.Loss:
		const ppm = 10_000 // in a percent
		return r.world.Impair(from, to, sim.Impairment{LossPPM: int64(a.Percent) * ppm}, a.For)
	default:
	}
	switch a.Mode {
	case faults.ModeReset:
		// A link has the connections of either end.
		if err := errors.Join(r.world.Reset(from, to), r.world.Reset(to, from)); err != nil {
			return err
		}
		return r.world.CutLink(from, to, sim.CutDrop, a.For)
	case faults.ModeDrop:
		return r.world.CutLink(from, to, sim.CutDrop, a.For)
	case faults.ModeHold:
	}
	return r.world.CutLink(from, to, sim.CutHold, a.For)
}

// spec is the entry of the scenario's faults that a step came from, empty if
// its plan was made by somebody else.
func (r *run) spec(step int) faults.Spec {
	if i := r.plan.Steps[step-1].Spec; i < len(r.scenario.Faults) {
		return r.scenario.Faults[i]
	}
	return faults.Spec{}
}

// befallWorker does what a fault does to one worker.
func (r *run) befallWorker(k *sim.Worker, a faults.Action) error {
	switch a.Kind {
	case faults.Pause:
		k.Process().Pause(a.For)
	case faults.Crash:
		r.crash(a.Target)
		r.later(a.For, func() { r.restart(a.Target) })
	default:
		return r.befallNode(k.Process().Node(), a)
	}
	return nil
}

// befallServers does what a fault does to servers.
func (r *run) befallServers(step int, a faults.Action) error {
	nodes := r.nodes(a.Target)
	if a.Kind == faults.Crash && a.Target != resourceNode {
		r.cluster.Crash(nodes, dataAfter(a.Data), a.For)
		return nil
	}
	for _, name := range nodes {
		if err := r.befallServer(step, name, a); err != nil {
			return err
		}
	}
	return nil
}

func dataAfter(d faults.Data) redis.Data {
	switch d {
	case faults.DataKept:
		return redis.DataKept
	case faults.DataLost:
		return redis.DataLost
	case faults.DataWritten:
		return redis.DataWritten
	case faults.DataByPersistence:
	}
	return redis.DataByPersistence
}

func (r *run) befallServer(step int, name string, a faults.Action) error {
	node, server := r.world.Node(name), r.cluster.Server(name)
	switch a.Kind {
	case faults.Pause:
		node.Freeze(a.For)
	case faults.Crash: // of the resource
		r.resource.Crash()
		r.later(a.For, r.resource.Restart)
	case faults.Overload:
		service := r.spec(step).Params.Service
		node.SetService(&service)
		r.later(a.For, func() {
			if server != nil {
				r.cluster.RestoreService(name)
			} else {
				node.SetService(nil)
			}
		})
	case faults.Stale:
		stale := r.resource.SetStale
		if server != nil {
			stale = server.SetStale
		}
		stale(a.By)
		r.later(a.For, func() { stale(0) })
	case faults.AnswerErrors:
		if server == nil {
			return fmt.Errorf("%s has no such errors", name)
		}
		server.Enter(keyspace.Condition(a.With))
		r.later(a.For, func() { server.Leave(keyspace.Condition(a.With)) })
	case faults.Delete, faults.Evict:
		if server == nil {
			return fmt.Errorf("%s has no keys", name)
		}
		if a.Kind == faults.Delete {
			r.hit(step, server.Delete(a.Key, nil))
			return nil
		}
		pick := r.world.Source().Stream("evict", name).At(uint64(step))
		r.hit(step, server.Delete(cmp.Or(a.Key, "*"), &pick))
	default:
		return r.befallNode(node, a)
	}
	return nil
}

// hit adds to the event of a fault which keys it has just taken away. Several
// servers may have had the same.
func (r *run) hit(step int, keys []string) {
	for i := range slices.Backward(r.recorder.Events()) {
		e := &r.recorder.Events()[i]
		if e.Type != history.FaultBegin || e.Fault != step {
			continue
		}
		for _, key := range keys {
			if !slices.Contains(strings.Split(e.Hit, ", "), key) {
				e.Hit = strings.TrimPrefix(e.Hit+", "+key, ", ")
			}
		}
		return
	}
}

// befallNode does what a fault does to a machine.
func (r *run) befallNode(n *sim.Node, a faults.Action) error {
	switch a.Kind {
	case faults.Suspend:
		n.Suspend(a.For)
	case faults.ClockStep:
		n.StepWall(a.By)
		r.later(a.For, func() { n.StepWall(-a.By) })
	case faults.ClockRate:
		set := n.SetWallRate
		if a.Clock == faults.ClockMonotonic {
			set = n.SetMonoRate
		}
		set(a.PPM)
		r.later(a.For, func() { set(0) })
	default:
		return fmt.Errorf("the simulation knows no fault %q of %s", a.Kind, n.Name())
	}
	return nil
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
	robbed := false
	for i, step := range r.plan.Steps {
		b := &r.bites[i]
		if !b.Happened {
			continue
		}
		switch info := r.kindInfo(step.Action.Kind); {
		case info.Point != faults.AnyPoint:
			b.Bit = true // it caught a message, so somebody waits for it
		case info.Kind == faults.Stall:
			// It has said so itself, if it caught a task.
		case robs(info):
			robbed = true // decided below, by what it could take away
		default:
			b.Bit = slices.ContainsFunc(sections, func(s *history.Section) bool {
				return r.meets(step.Action, b, s, h.Meta.End)
			})
		}
	}
	if robbed {
		r.biteGrants(h.Events)
	}
}

// robs reports whether faults of the kind take keys away from a server, and do
// nothing else.
func robs(info faults.KindInfo) bool { return info.OnlyServer && info.Instant }

// meets reports whether a fault fell into a section that it concerns.
func (r *run) meets(a faults.Action, b *results.Bite, s *history.Section, over time.Duration) bool {
	// What happens to a server is everybody's affair.
	everybody := a.From == "" && r.workers[a.Target] == nil
	if !everybody && s.Worker != a.Target && s.Worker != a.From && s.Worker != a.To {
		return false
	}
	end := s.ReturnAt
	if s.Return == 0 {
		end = over
	}
	switch {
	case a.Kind == faults.Overrun: // sections that have begun go on as they are
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
			if robs(r.kindInfo(faults.Kind(e.Kind))) {
				r.bites[e.Fault-1].Bit = slices.ContainsFunc(live, func(g grant) bool {
					// All servers of a lock speak as one where one is the replica of the other.
					return e.Target == lockNode || r.cluster.Replicated() || g.node == e.Target
				})
			}
		default:
		}
	}
}
