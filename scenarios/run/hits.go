package run

import (
	"cmp"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// findHits finds out which faults of the plan hit one of the sections, or one of its calls in flight.
// findHitGrants does it for those that hit grants.
func (r *run) findHits(sections []*history.Section, meta *history.Meta) {
	if r.near == nil {
		r.near = r.stepsByWorker(meta.Replica)
	}
	for _, s := range sections {
		end := s.ReturnAt
		if s.Return == 0 {
			end = meta.End
		}
		for _, worker := range []string{"", s.Worker} {
			steps := r.near[worker]
			first, _ := slices.BinarySearchFunc(steps, s.CallAt, func(x reach, t time.Duration) int { return cmp.Compare(x.until, t) })
			for _, x := range steps[first:] {
				b := &r.injections[x.step]
				if b.Begin > end {
					break
				}
				b.Hit = b.Hit || meets(x.hits, b, s, end)
			}
		}
	}
}

// reach is a step of the plan that can hit a section.
type reach struct {
	step  int
	hits  faults.Hits
	until time.Duration // when it and all steps before it in its list were over
}

// stepsByWorker returns the steps that happened and can hit a section, by its worker: a fault of a
// server, or of a link between servers, affects all workers and has the key "". Each list is in the
// order in which the faults began. It marks the faults that caught a message. A fault of a replica that no
// client needs, and that never became the primary, hits nothing.
func (r *run) stepsByWorker(needsReplica bool) map[string][]reach {
	near := map[string][]reach{}
	for i, step := range r.plan.Steps {
		if !r.injections[i].Happened {
			continue
		}
		names := faults.Names(step.Fault)
		if !needsReplica && !r.promoted && slices.Contains(names, scenarios.ReplicaNode) {
			continue
		}
		hits := step.Fault.Info().Hits
		switch hits {
		case faults.HitsMessage:
			r.injections[i].Hit = true
			continue
		case faults.HitsReported, faults.HitsGrants:
			continue
		default:
		}
		ofAll := true // no worker in particular
		for _, name := range names {
			if r.workers[name] != nil {
				ofAll = false
				near[name] = append(near[name], reach{step: i, hits: hits})
			}
		}
		if ofAll {
			near[""] = append(near[""], reach{step: i, hits: hits})
		}
	}
	for _, list := range near { // each is ordered on its own
		slices.SortStableFunc(list, func(a, b reach) int { return cmp.Compare(r.injections[a.step].Begin, r.injections[b.step].Begin) })
		over := time.Duration(0)
		for i := range list {
			over = max(over, r.injections[list[i].step].End)
			list[i].until = over
		}
	}
	return near
}

// deletes reports whether the plan has faults that remove keys from servers.
func (r *run) deletes() bool {
	return slices.ContainsFunc(r.plan.Steps, func(s faults.Step) bool { return s.Fault.Info().Hits == faults.HitsGrants })
}

// meets reports whether a fault overlaps a section, which ended at the given time.
func meets(hits faults.Hits, b *results.Injection, s *history.Section, end time.Duration) bool {
	switch {
	case hits == faults.HitsNewSections:
		return b.Begin <= s.CallAt && s.CallAt < b.End
	case b.Begin == b.End: // it may have ended the section at once
		return s.CallAt <= b.Begin && b.Begin <= end
	}
	return s.CallAt < b.End && b.Begin < end
}

// findHitGrants marks the faults that deleted keys while a grant was live on their server.
func (r *run) findHitGrants(events []history.Event) {
	if !r.deletes() {
		return
	}
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
				r.injections[e.Fault-1].Hit = slices.ContainsFunc(live, func(g grant) bool {
					// A primary and its replica count as one server.
					return e.Target == scenarios.LockNode || r.cluster.Replicated() || g.node == e.Target
				})
			}
		default:
		}
	}
}
