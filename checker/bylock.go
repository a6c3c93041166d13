package checker

import (
	"slices"

	"lockquake/checker/internal/evidence"
	"lockquake/checker/internal/linear"
	"lockquake/checker/internal/spread"
	"lockquake/history"
)

// ByLock judges a run whose events are given lock by lock, as a [history.Log] has them, so that only
// those of one lock are in memory at once. Verdicts, counts and metrics are those of the whole
// history; findings come in the order of the locks.
//
// Each section must have one lock and work only on the item of that name, and a worker must be in
// one section at a time. Each lock must be on one server.
//
// The caller first passes all locks to Survey, then all of them to Judge, and then asks for Results:
//
//	b, err := checker.NewByLock(meta, other, names)
//	for i := range log.Locks() {
//		sections, err := b.Survey(log.Lock(i, nil))
//	}
//	b.Begin(stopped)
//	for i := range log.Locks() {
//		sections, results, err := b.Judge(log.Lock(i, nil))
//	}
//	results, metrics := b.Results()
type ByLock struct {
	meta    history.Meta
	other   []history.Event // of no lock
	faults  *evidence.Evidence
	whole   *evidence.Evidence
	names   []string
	survey  survey
	results []Result
	metrics Metrics
	each    map[string]float64 // acquisitions by worker
}

// survey has what some checks of a lock need to know of all locks of the run.
type survey struct {
	history.Part                 // without its lock
	workers      map[string]bool // those that called a section
	messages     spread.Spread   // see input.messages
	crowds       []*crowd        // for the check load, in the order of their first polls; nil without that check
}

// crowdOf returns the crowd of the server that has these polls.
func (x *survey) crowdOf(polls []poll) *crowd {
	node := polls[0].event.Node
	for _, c := range x.crowds {
		if c.node == node {
			return c
		}
	}
	c := &crowd{node: node}
	x.crowds = append(x.crowds, c)
	return c
}

// add adds the sections of a lock.
func (x *survey) add(in *input) {
	if x.workers == nil {
		x.workers = map[string]bool{}
	}
	x.Locks++
	for _, s := range in.Sections {
		x.workers[s.Worker] = true
		if _, to := in.WorkEnd(s); s.Entered() && to-s.EnterAt > x.Longest {
			x.Longest = max(x.Longest, in.worked(s, to))
		}
		if d, ok := in.messages(s); ok {
			x.messages.Add(d)
		}
	}
}

// end computes what follows from the sections of all locks.
func (x *survey) end() {
	x.Workers, x.Messages = len(x.workers), x.messages.Median()
}

// NewByLock begins to judge a run by the named checks. Other has the events of no lock: the faults.
// It returns an error if a name is unknown.
func NewByLock(meta history.Meta, other []history.Event, names []string) (*ByLock, error) {
	if _, err := choose(names); err != nil {
		return nil, err
	}
	b := &ByLock{meta: meta, other: other, names: names, each: make(map[string]float64, len(meta.Workers))}
	b.faults = b.evidence()
	return b, nil
}

func (b *ByLock) evidence() *evidence.Evidence {
	return evidence.NewWhole(&history.History{Meta: b.meta, Events: b.other}, b.survey.Witnessed)
}

// Survey collects the facts about all locks that the checks of one lock need. It returns the sections of the lock, or
// an error if the events contradict each other.
func (b *ByLock) Survey(events []history.Event) ([]*history.Section, error) {
	in, err := b.input(b.faults, events)
	if err != nil {
		return nil, err
	}
	b.survey.add(in)
	if b.judges("load") {
		for _, polls := range groups(in.polls(), func(p poll) string { return p.event.Node }) {
			b.survey.crowdOf(polls).survey(polls)
		}
	}
	for i := range events {
		switch events[i].Type {
		case history.Renewed:
			b.survey.Renewed = true
		case history.Applied:
			b.survey.Witnessed = true
		default:
		}
	}
	return in.Sections, nil
}

// Begin ends the survey. Stopped says why the run ended, if a section was open then.
func (b *ByLock) Begin(stopped history.Stop) {
	b.meta.Stopped = stopped
	b.survey.end()
	for _, c := range b.survey.crowds {
		c.thin()
	}
	b.whole = b.evidence()
}

// Judge judges the events of a lock. It returns its sections, and one result for each check.
func (b *ByLock) Judge(events []history.Event) ([]*history.Section, []Result, error) {
	in, err := b.input(b.whole, events)
	if err != nil {
		return nil, nil, err
	}
	in.run = &b.survey
	results, err := in.verdicts(b.names)
	if err != nil {
		return nil, nil, err
	}
	b.add(results)
	m := in.measure(b.each)
	b.metrics.Add(&m)
	return in.Sections, results, nil
}

// Part returns what [Run] needs to judge the events of one lock with the faults that concern it, as Judge does.
func (b *ByLock) Part(lock string) *history.Part {
	p := b.survey.Part
	p.Lock = lock
	return &p
}

// add adds the results of a lock.
func (b *ByLock) add(results []Result) {
	if b.results == nil {
		b.results = slices.Clone(results)
		for i := range b.results {
			b.results[i].Findings = slices.Clone(b.results[i].Findings)
		}
		return
	}
	for i, r := range results {
		all := &b.results[i]
		all.Verdict, all.Applies, all.Count = all.Verdict.Worse(r.Verdict), all.Applies || r.Applies, all.Count+r.Count
		all.Findings = append(all.Findings, r.Findings[:min(len(r.Findings), maxFindings-len(all.Findings))]...)
	}
}

// judges reports whether a check is among those that judge the run.
func (b *ByLock) judges(check string) bool { return b.names == nil || slices.Contains(b.names, check) }

// Results returns one result for each check, and the metrics of the run.
func (b *ByLock) Results() ([]Result, Metrics) {
	for i := range b.results {
		if b.results[i].Check == "load" {
			for _, c := range b.survey.crowds {
				c.judge(&b.results[i])
			}
		}
	}
	b.metrics.ofRun(b.meta.End, b.meta.Workers, b.each)
	return b.results, b.metrics
}

// input returns the evidence of the events of a lock.
func (b *ByLock) input(whole *evidence.Evidence, events []history.Event) (*input, error) {
	sections, err := history.SectionsOfLock(events)
	if err != nil {
		return nil, err
	}
	h := &history.History{Meta: b.meta, Events: events}
	return &input{Evidence: whole.Part(h, sections), limits: linear.DefaultLimits()}, nil
}
