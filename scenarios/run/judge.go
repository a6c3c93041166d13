package run

import (
	"slices"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/sim/backend"
)

// meta returns what the history says about the run.
func (r *run) meta() history.Meta {
	s := r.Scenario
	params := s.ParamsOf(r.entry.Defaults, r.use, "")
	if r.entry.LockFree {
		params.TTL = 0
	}
	m := history.Meta{
		Schema: history.Schema, Version: results.Version, Scenario: s.Name, Strategy: r.use.Name, Label: r.use.Label, Seed: r.seed,
		Workload: s.Workload.Kind, Fence: s.ResourceOf(r.use).Fence, Fenced: params.Fenced(),
		Tells: r.entry.Tells, Doubts: r.entry.Doubts, MaxHold: params.MaxHold, LockFree: r.entry.LockFree, Keeps: r.entry.Keeps,
		Members: r.servers.Members, Replica: r.needsReplica(params.Wait),
		Workers: r.names, Processes: s.Processes, Initial: r.initial(),
		TTL: params.TTL, Tries: params.Tries, Commit: r.settings.Commit.Recorded(), Unread: r.unread,
		Answer: r.answer(), Slowest: r.world.Slowest(), Clocks: s.WrongClocks(r.servers),
		Duration: s.Duration, End: r.world.Time(), Checksum: r.world.Checksum(),
	}
	if s, ok := r.cluster.(backend.Session); ok {
		m.Counted, m.TTL = params.TTL, s.Lease(params.TTL)
	}
	if n := r.independent(); n > 1 {
		m.Nodes, m.Quorum, m.NodeTimeout = n, lock.Topology{Nodes: n}.Quorum(), params.NodeTimeout
	}
	if c, ok := r.cluster.(backend.Led); ok {
		m.Leader = c.FirstLeader()
	}
	if r.entry.Margin != nil {
		params.TTL = m.TTL
		m.Margin = r.entry.Margin(params)
	}
	if r.info.Has("limit") {
		m.Limit, m.Window = r.settings.Limit, r.settings.Window
	}
	if r.info.Has("permits") {
		m.Permits = r.settings.Permits
	}
	return m
}

// judge completes the history and runs the checks on it.
func (r *run) judge() (*results.Trial, error) {
	s := r.Scenario
	for _, name := range r.items {
		r.record(&history.Event{Type: history.Final, Key: name, Value: r.value(name)})
	}
	h := &history.History{Meta: r.meta()}
	verdicts, metrics, err := r.verdicts(h)
	if err != nil {
		return nil, err
	}
	metrics.Commands = r.cluster.Requests()
	metrics.Requests = metrics.Commands
	for _, name := range []string{scenarios.ResourceNode, scenarios.OutsideNode} {
		if node := r.world.Node(name); node != nil {
			metrics.Requests += node.Requests()
		}
	}
	trial := &results.Trial{
		Scenario: s.Name, Label: r.use.Label, Strategy: r.use.Name, Seed: r.seed,
		Plan: r.plan, Injections: r.injections, History: h, Results: verdicts, Metrics: metrics,
		Checksum: h.Meta.Checksum, Events: r.world.Events(), Acquisitions: r.acquisitions,
		Replay: s.Token(r.use.Label, r.seed, h.Meta.Checksum), Program: s.Program,
	}
	trial.Telling = s.MostTelling(trial.Label, trial.Checks(checker.Invalid))
	trial.Parts = r.partsOf(trial)
	return trial, nil
}

// independent returns the number of the lock's servers that are independent of each other.
func (r *run) independent() int {
	if r.cluster.Replicated() || r.servers.Members != 0 {
		return 1
	}
	return len(r.cluster.Names())
}

// needsReplica reports whether the strategy waits for a replica, or the work reads from it.
func (r *run) needsReplica(wait int) bool {
	reader, ok := r.cluster.(backend.ReplicaReader)
	return r.cluster.Replicated() && (wait > 0 || ok && reader.ReadsReplica())
}

// verdicts runs the checks on the events of the run, and finds out which faults hit anything. It adds the
// events to the history, unless they are stored by lock.
func (r *run) verdicts(h *history.History) ([]checker.Result, checker.Metrics, error) {
	if r.log != nil {
		return r.verdictsByLock(&h.Meta)
	}
	h.Events = r.recorder.Events()
	sections, err := r.sectioner.Sections(h)
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	h.Meta.Stopped = r.stop(slices.ContainsFunc(sections, open))
	verdicts, metrics, err := checker.Judge(h, sections, r.Scenario.Checks)
	if err != nil {
		return nil, checker.Metrics{}, err
	}
	r.findHits(sections, &h.Meta)
	r.findHitGrants(h.Events)
	return verdicts, metrics, nil
}
