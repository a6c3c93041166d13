package run

import (
	"fmt"

	"lockquake/checker"
	"lockquake/history"
)

// The history of a large run does not fit into memory: a worker has about 17 events a second, of
// 432 bytes each. If only what is counted of the run is wanted, its events are stored by lock, in a
// form that takes 25 bytes each, and then judged lock by lock.

// splits reports whether the events of the run can be judged lock by lock: each section has one lock
// on one server and works on the item of that name, and no check or fault concerns several locks.
func (r *run) splits() bool {
	s := r.Scenario
	return r.Counts && s.Large() && s.WorkloadInfo().OneItem && !r.entry.ByUnit && r.independent() <= 1 &&
		checker.SplitsByLock(s.Checks) && !r.deletes()
}

// lock returns the lock that an event is about, "" for none.
func (r *run) lock(e *history.Event) string {
	switch {
	case e.Type == history.AcquireCalled:
		r.lockOf[e.Worker] = e.Key
	case e.Key == "": // told, or crashed
		return r.lockOf[e.Worker]
	}
	return e.Key
}

// verdictsByLock judges the events of the log.
func (r *run) verdictsByLock(meta *history.Meta) ([]checker.Result, checker.Metrics, error) {
	judge, err := checker.NewByLock(*meta, r.log.Other(), r.Scenario.Checks)
	if err != nil {
		return nil, checker.Metrics{}, fmt.Errorf("judge by lock: %w", err)
	}
	var events []history.Event
	each := func(do func(events []history.Event) error) error {
		for i := range r.log.Locks() {
			events = r.log.Lock(i, events)
			if err := do(events); err != nil {
				return err
			}
		}
		return nil
	}
	unended := false
	err = each(func(events []history.Event) error {
		sections, err := judge.Survey(events)
		for _, s := range sections {
			unended = unended || open(s)
		}
		return err
	})
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	meta.Stopped = r.stop(unended)
	judge.Begin(meta.Stopped)
	err = each(func(events []history.Event) error {
		sections, err := judge.Judge(events)
		r.bite(sections, meta.End)
		return err
	})
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	verdicts, metrics := judge.Results()
	return verdicts, metrics, nil
}
