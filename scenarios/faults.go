package scenarios

import (
	"fmt"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
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
	e := history.Event{
		Type: history.FaultBegin, Fault: step, Kind: string(a.Kind), Target: a.Target,
		Until: r.world.Time() + a.For,
	}
	if a.Kind == faults.Partition {
		e.Target = a.From + "->" + a.To
	}
	if when := r.plan.Steps[step-1].When; when != nil {
		e.Point = when.Point
	}
	r.record(e)
	r.bites[step-1] = Bite{Happened: true, Begin: r.world.Time(), End: e.Until}
	r.world.At(e.Until, func() {
		end := e
		end.Type, end.Until = history.FaultEnd, 0
		r.record(end)
	})
	return r.takeHold(a)
}

// takeHold does to the world what a fault of each kind does.
func (r *run) takeHold(a faults.Action) error {
	later := func(do func()) { r.world.At(r.world.Time()+a.For, do) }
	switch a.Kind {
	case faults.Pause:
		r.workers[a.Target].Process().Pause(a.For)
	case faults.Stall:
		r.workers[a.Target].Stall(a.Task, a.For)
	case faults.Suspend:
		r.world.Node(a.Target).Suspend(a.For)
	case faults.Crash:
		r.crash(a.Target)
		later(func() { r.restart(a.Target) })
	case faults.ClockStep:
		n := r.world.Node(a.Target)
		n.StepWall(a.By)
		later(func() { n.StepWall(-a.By) })
	case faults.ClockRate:
		set := r.world.Node(a.Target).SetWallRate
		if a.Clock == faults.ClockMonotonic {
			set = r.world.Node(a.Target).SetMonoRate
		}
		set(a.PPM)
		later(func() { set(0) })
	case faults.Hold:
		return r.world.HoldMessage(a.For)
	case faults.Drop:
		return r.world.DropMessage(a.For)
	case faults.Partition:
		cut := sim.CutHold
		if a.Mode == faults.ModeDrop {
			cut = sim.CutDrop
		}
		return r.world.CutLink(a.From, a.To, cut, a.For)
	default:
		return fmt.Errorf("the simulation knows no fault %q", a.Kind)
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

// bite works out which faults of the plan met anything: a section of the
// worker that they took hold of, or a call of it that was under way.
func (r *run) bite(sections []*history.Section, over time.Duration) {
	for i, step := range r.plan.Steps {
		b := &r.bites[i]
		if !b.Happened {
			continue
		}
		a := step.Action
		if a.Kind == faults.Hold || a.Kind == faults.Drop {
			b.Bit = true // it caught a message, so somebody waits for it
			continue
		}
		for _, s := range sections {
			// A server's clock is everybody's affair.
			server := a.Target == lockNode || a.Target == resourceNode
			if !server && s.Worker != a.Target && s.Worker != a.From && s.Worker != a.To {
				continue
			}
			end := s.ReturnAt
			if s.Return == 0 {
				end = over
			}
			if s.CallAt < b.End && b.Begin < end {
				b.Bit = true
				break
			}
		}
	}
}
