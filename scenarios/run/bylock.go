package run

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/results"
)

// The history of a large run does not fit into memory: a worker has about 17 events a second, of
// about 0.4 KB each. If only what is counted of the run is wanted, its events are stored by lock, in a
// form that takes 25 bytes each, and then judged lock by lock.

// splits reports whether the events of the run can be judged lock by lock: each section has one lock
// on one server and works on the item of that name, and no check or fault concerns several locks.
func (r *run) splits() bool {
	s := r.Scenario
	return r.Counts && s.Large() && r.info.OneItem && !r.entry.ByUnit && r.independent() <= 1 && !r.deletes()
}

// lock returns the lock that an event is about, "" for none.
func (r *run) lock(e *history.Event) string {
	if e.Key != "" {
		return e.Key
	}
	if k := r.workers[e.Worker]; k != nil { // told, or crashed
		return k.lock
	}
	return ""
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
			var err error
			if events, err = r.log.Lock(i, events); err != nil {
				return &StorageError{err}
			}
			if err = do(events); err != nil {
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
		sections, results, err := judge.Judge(events)
		r.findHits(sections, meta)
		if err != nil {
			return err
		}
		return r.keepPart(judge, meta, events, results)
	})
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	verdicts, metrics := judge.Results()
	return verdicts, metrics, nil
}

// part has the results and the history of a lock that is the first to violate some checks.
type part struct {
	checks  []string
	results []checker.Result // of the history alone
	history *history.History // the events of the lock, and of the faults that concern it
}

// mostInPart is how many events a part may have, of about 0.4 KB each: a campaign keeps a part for each strategy and
// check. Of a larger one only the line that repeats the run is reported.
const mostInPart = 20_000

// keepPart keeps the events of a lock if it is the first that violates some check. The results are those that
// checker.Run returns for the kept history, so that the command check agrees with them.
func (r *run) keepPart(judge *checker.ByLock, meta *history.Meta, events []history.Event, results []checker.Result) error {
	first := func(x checker.Result) bool {
		return x.Verdict == checker.Invalid &&
			!slices.ContainsFunc(r.parts, func(p *part) bool { return slices.Contains(p.checks, x.Check) })
	}
	if len(events) > mostInPart || !slices.ContainsFunc(results, first) {
		return nil
	}
	named := slices.IndexFunc(events, func(e history.Event) bool { return e.Key != "" })
	h := &history.History{Meta: *meta, Events: r.withFaults(events)}
	h.Meta.Part = judge.Part(events[named].Key)
	shown, err := checker.Run(h, r.Scenario.Checks)
	if err != nil {
		return fmt.Errorf("judge the events of lock %s: %w", h.Meta.Part.Lock, err)
	}
	p := &part{results: shown, history: h}
	for _, x := range shown {
		if first(x) {
			p.checks = append(p.checks, x.Check)
		}
	}
	if len(p.checks) > 0 {
		r.parts = append(r.parts, p)
	}
	return nil
}

// withFaults adds the faults that concern the workers of a lock to its events: those of its workers, and those of no worker.
// It numbers the events from 1, without gaps.
func (r *run) withFaults(events []history.Event) []history.Event {
	near := map[string]bool{}
	for i := range events {
		near[events[i].Worker] = true
	}
	all := slices.Clone(events)
	for _, e := range r.log.Other() {
		if r.workers[e.Target] == nil || near[e.Target] {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b history.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := range all {
		all[i].Seq = int64(i) + 1
	}
	return all
}

// partsOf returns the parts of a large run that are kept, by check: none if its history is in memory and too
// long to keep. It returns nil if the run is kept whole.
func (r *run) partsOf(whole *results.Trial) map[string]*results.Trial {
	if r.log == nil && (!r.Counts || !r.Scenario.Large() || len(whole.History.Events) <= mostInPart) {
		return nil
	}
	parts := map[string]*results.Trial{}
	for _, p := range r.parts {
		one := *whole
		one.History, one.Results = p.history, p.results
		one.Telling = r.Scenario.MostTelling(one.Label, one.Checks(checker.Invalid))
		for _, check := range p.checks {
			parts[check] = &one
		}
	}
	return parts
}
