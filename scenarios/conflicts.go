package scenarios

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/workload"
)

// conflicts looks for settings that are right by themselves and defeat each
// other: under them a lock cannot do its work, or a fault cannot hit anything. A
// run of such a scenario says nothing about the lock. Flawed strategies keep
// their flaw on purpose, so what the catalogue says of them is no conflict.
func (v *validator) conflicts() {
	for i, use := range v.Strategies {
		if entry := v.known.entries[use.Name]; !entry.Flawed && !entry.LockFree {
			v.conflictsOf(use, entry, v.uses[i])
		}
	}
	switch {
	case v.Workers != 1:
	case len(v.Faults) == 0:
		v.warn("one worker and no fault: nothing competes for the lock and nothing fails, so the runs show nothing about mutual exclusion", "workers", "strategies")
	default:
		v.warn("one worker: no other one competes for the lock, so the runs show nothing about mutual exclusion", "workers", "strategies")
	}
	v.conflictOfSize()
	v.unusedFamilies()
	single := func(use Strategy) bool { return v.known.entries[use.Name].Topology.Nodes == 1 }
	if v.Servers.Has("nodes") && !slices.ContainsFunc(v.Strategies, func(use Strategy) bool { return !single(use) }) {
		v.warn("no strategy takes its lock from more than one server", "servers.nodes")
	}
	if v.Servers.Has("members") && !v.ensemble() {
		v.warn("no strategy uses a replicated service", "servers.members")
	}
	renewing := v.renewing()
	for i, spec := range v.Faults {
		v.conflictsOfFault(spec, renewing, fmt.Sprintf("faults[%d]", i))
	}
}

// Warning describes settings that contradict each other, with their position in the file.
type Warning struct {
	Uses []Strategy // that it is about; nil: the scenario
	strictyaml.Error
}

// String returns one line, "file:line:column: warning: text". It names a strategy once, whatever the number of
// its cases.
func (w Warning) String() string {
	text := "warning: "
	if names := w.names(); names != nil {
		text += strings.Join(names, ", ") + ": "
	}
	e := w.Error
	e.Text = text + e.Text
	return e.Error()
}

// names lists the labels of the uses without their cases.
func (w Warning) names() []string {
	var names []string
	for _, use := range w.Uses {
		if !slices.Contains(names, use.Use()) {
			names = append(names, use.Use())
		}
	}
	return names
}

// WarningsOf returns the warnings about the scenario, and those about the strategies that are named, by label or by
// name; nil names all.
func (s *Scenario) WarningsOf(names []string) []Warning {
	if names == nil {
		return s.Warnings
	}
	var chosen []Warning
	for _, w := range s.Warnings {
		about := w.Uses == nil
		w.Uses = slices.DeleteFunc(slices.Clone(w.Uses), func(use Strategy) bool {
			return !slices.ContainsFunc(names, func(name string) bool {
				return slices.ContainsFunc(named(s.Strategies, name), func(u Strategy) bool { return u.Label == use.Label })
			})
		})
		if about || len(w.Uses) > 0 {
			chosen = append(chosen, w)
		}
	}
	return chosen
}

// warn adds a warning about the scenario, at the first of the paths that the file has.
func (v *validator) warn(text string, paths ...string) { v.warning(text, paths) }

// warnOf adds a warning about a use of a strategy.
func (v *validator) warnOf(use Strategy, text string, paths ...string) {
	if w := v.warning(text, paths); !slices.ContainsFunc(w.Uses, func(u Strategy) bool { return u.Label == use.Label }) {
		w.Uses = append(w.Uses, use)
	}
}

// warning returns the warning with a text and a place, and adds it if it is new.
func (v *validator) warning(text string, paths []string) *Warning {
	at := paths[len(paths)-1]
	if i := slices.IndexFunc(paths, v.at.Has); i >= 0 {
		at = paths[i]
	}
	line, column := v.at.Of(at)
	where := strictyaml.Error{File: v.Path, Line: line, Column: column, Text: text}
	i := slices.IndexFunc(v.Warnings, func(w Warning) bool { return w.Error == where })
	if i < 0 {
		i = len(v.Warnings)
		v.Warnings = append(v.Warnings, Warning{Error: where})
	}
	return &v.Warnings[i]
}

// conflictsOf looks at one use of a strategy, for each group of workers whose
// settings the file has.
func (v *validator) conflictsOf(use Strategy, entry lock.Entry, at string) {
	for i := range v.Each {
		v.conflictsOfWorkers(use, entry, at, fmt.Sprintf("each[%d]", i), v.Each[i].Worker)
	}
	if len(v.Each) < v.Workers {
		v.conflictsOfWorkers(use, entry, at, "", "")
	}
	if (entry.Fenced() || entry.Claims.Fencing != nil) && v.ResourceOf(use).Fence == "off" && slices.Contains(v.Checks, "fencing") {
		v.warnOf(use, "the resource ignores the fencing tokens of the lock: set resource.fence", at+".resource.fence", "resource.fence", at)
	}
	v.conflictOfPool(use, entry, at)
}

// conflictOfPool warns of workers that compete for the connections of their process instead of the lock. It does not if one of
// the locks that keep a connection is flawed: the scenario may be about what it does to the pool.
func (v *validator) conflictOfPool(use Strategy, entry lock.Entry, at string) {
	family, err := FamilyOf(entry)
	if err != nil || !entry.Occupies || v.Processes == 0 || slices.ContainsFunc(v.Strategies, func(other Strategy) bool {
		e := v.known.entries[other.Name]
		return e.Flawed && e.Occupies
	}) {
		return
	}
	workers, size := (v.Workers+v.Processes-1)/v.Processes, family.Pool.Of(v.FamilySettings(use, ""))
	if workers > size {
		v.warnOf(use, fmt.Sprintf("%d workers of a process share %d connections, and a section keeps one from its acquire to its end: the other workers wait for a connection, and not for the lock", workers, size),
			at+"."+family.Pool.Key, family.Pool.Key, "processes")
	}
}

func (v *validator) conflictsOfWorkers(use Strategy, entry lock.Entry, at, group, worker string) {
	if entry.Defaults.TTL == 0 && !slices.ContainsFunc(v.Own, func(own lock.Entry) bool { return own.Name == entry.Name }) {
		return // a strategy without a lease
	}
	p := v.ParamsOf(entry.Defaults, use, worker)
	if p.TTL == 0 {
		return
	}
	settings := v.WorkloadOf(use)
	hold := v.HoldOf(settings, worker)
	half := max(hold.Quantile(0.5), settings.HoldAtLeast)
	renews := p.Renews()
	// set lists where a value may be set, nearest first.
	set := func(path string) []string { return []string{group + "." + path, at + "." + path, path} }
	held := append(set("hold"), at+".workload.hold", "workload.hold")
	switch {
	case renews && p.Renew >= p.TTL:
		v.warnOf(use, fmt.Sprintf("the lease ends after %v, so a renewal every %v comes too late", p.TTL, p.Renew), append(set("lock.renew"), set("lock.ttl")...)...)
	case renews && p.MaxHold != 0 && half >= p.MaxHold:
		v.warnOf(use, fmt.Sprintf("a lease is kept for %v at most (max-hold), and work takes %v", p.MaxHold, lengthText(hold.Quantile(0), half)), append(set("lock.max-hold"), held...)...)
	case !renews && half >= p.TTL:
		v.warnOf(use, fmt.Sprintf("the lease ends after %v and is not renewed, and work takes %v", p.TTL, lengthText(hold.Quantile(0), half)), append(set("lock.ttl"), held...)...)
	}
	if several := entry.Topology.Nodes > 1; several && !slices.ContainsFunc(v.Own, func(own lock.Entry) bool { return own.Name == entry.Name }) {
		if drift := p.DriftAllowance(); p.TTL <= drift {
			v.warnOf(use, fmt.Sprintf("a lease of %v is shortened by %v for clock drift: no grant is valid", p.TTL, drift), append(set("lock.drift"), set("lock.ttl")...)...)
		}
		if p.NodeTimeout > 0 {
			v.conflictOfLatency(use, worker, p.NodeTimeout, set("lock.node-timeout"))
		}
	}
	if delay := p.Retry.Delay; delay >= v.Duration {
		v.warnOf(use, fmt.Sprintf("a refused worker asks again after %v, and new sections begin for %v only", delay, v.Duration), set("lock.retry.delay")...)
	}
	if entry.Watches != nil && settings.Key != workload.KeyTick && len(v.Faults) > 0 {
		v.conflictOfRetries(use, p.Retry, entry.Watches(p), append(set("lock.retry.attempts"), set("lock.profile")...))
	}
	if family, err := FamilyOf(entry); err == nil && family.ReplyTimeout.Key != "" {
		timeout, paths := family.ReplyTimeout.Of(v.FamilySettings(use, worker)), set(family.ReplyTimeout.Key)
		v.conflictOfClient(use, p, timeout, paths)
		if timeout > 0 {
			v.conflictOfLatency(use, worker, timeout, paths)
		}
	}
}

// conflictOfRetries warns of acquires that are too short to take over the lease of a crashed holder.
func (v *validator) conflictOfRetries(use Strategy, retry lock.Retry, lease time.Duration, paths []string) {
	if most, limited := retry.Longest(); limited && most < lease {
		v.warnOf(use, fmt.Sprintf("an acquire gives up after %v at most, and has to watch the lease of a crashed holder for %v to take it over: no worker ever does", most, lease), paths...)
	}
}

// conflictOfClient warns of a timeout that the file sets. The client's own default is longer than
// many leases, as in production, and no conflict.
func (v *validator) conflictOfClient(use Strategy, p lock.Params, timeout time.Duration, paths []string) {
	if slices.ContainsFunc(paths, v.at.Has) && timeout > p.TTL {
		v.warnOf(use, fmt.Sprintf("a client waits for a reply for %v, and the lease ends after %v", timeout, p.TTL), paths...)
	}
}

// conflictOfLatency warns of messages that take so long that hardly any reply comes in time.
func (v *validator) conflictOfLatency(use Strategy, worker string, timeout time.Duration, paths []string) {
	const short = 0.2 // two messages that are both so short are rare
	least, usual := v.roundTrip(worker, 0), v.roundTrip(worker, short)
	text := "%v: no request succeeds"
	if least < usual {
		text = "%v or longer in most cases: hardly any request succeeds"
	}
	if usual > timeout {
		v.warnOf(use, fmt.Sprintf("a client waits for a reply for %v, and a request and its reply take "+text, timeout, usual),
			append(paths, "network.latency", "network.links")...)
	}
}

// roundTrip returns the sum of a quantile of the latency from a worker to the lock, and of that of the way back. "" stands for
// each worker. A link that only some workers or servers have counts only if it is shorter.
func (v *validator) roundTrip(worker string, quantile float64) time.Duration {
	there := v.Network.Latency.Quantile(quantile)
	back := there
	for _, link := range v.Network.Links {
		way, mine, server := &there, link.From, link.To
		if slices.Contains(v.nodes(), link.From) {
			way, mine, server = &back, link.To, link.From
		}
		took := link.Latency.Quantile(quantile)
		switch {
		case server == ResourceNode:
		case server == LockNode && (mine == faults.EachWorker || mine == worker):
			*way = took
		default:
			*way = min(*way, took)
		}
	}
	return there + back
}

// lengthText describes the length of work, which is at least least, and half or longer in half of
// the sections.
func lengthText(least, half time.Duration) string {
	if least == half {
		return half.String()
	}
	return fmt.Sprintf("%v or longer in half of the sections", half)
}

// renewing reports whether a strategy renews its leases, or may: what a lock of the
// caller's does is not known.
func (v *validator) renewing() bool {
	return len(v.Own) > 0 || slices.ContainsFunc(v.Strategies, func(use Strategy) bool {
		entry := v.known.entries[use.Name]
		p := v.ParamsOf(entry.Defaults, use, "")
		return !entry.LockFree && p.Renews() && p.TTL != 0
	})
}

// ensemble reports whether a strategy uses a replicated service.
func (v *validator) ensemble() bool {
	return slices.ContainsFunc(v.Strategies, func(use Strategy) bool { return v.known.entries[use.Name].Topology.Members > 0 })
}

// conflictsOfFault warns of a fault that can hit nothing under any strategy. renewing: a strategy
// may renew its leases.
func (v *validator) conflictsOfFault(spec faults.Spec, renewing bool, at string) {
	kind := at + "." + string(spec.Kind())
	if w := spec.When; w != nil {
		switch {
		case strings.HasPrefix(w.Point, "renew") && !renewing:
			v.warn(fmt.Sprintf("no strategy renews its lease, so no worker comes to %s: this fault hits nothing", w.Point), at+".when.point")
		case v.Sections > 0 && w.Nth > v.Sections && oncePerSection(w.Point):
			v.warn(fmt.Sprintf("a worker has %d sections, so it does not come to %s %d times: this fault hits nothing", v.Sections, w.Point, w.Nth), at+".when.nth", at+".when.point")
		}
	}
	for _, need := range faults.Needs(spec.Fault) {
		switch need.What {
		case faults.NeedsTask:
			if need.Name == "renewal" && !renewing {
				v.warn("no strategy has a task of this name, since none renews its lease: this fault hits nothing", kind+"."+need.Param)
			}
		case faults.NeedsKey:
			if key := need.Name; key != "" && len(v.Own) == 0 && !v.matches(key) {
				v.warn(fmt.Sprintf("no lock has a key like %s; keys are called %s and %[2]s:fence: this fault hits nothing", key, v.ResourceNames()[0]), kind+"."+need.Param)
			}
		case faults.NeedsReplica:
			if !slices.ContainsFunc(v.Strategies, func(use Strategy) bool {
				return v.ServersOf(v.known.entries[use.Name].Topology, use).Replicas > 0
			}) {
				v.warn("no strategy has a replica that could take over (servers.replicas): this fault hits nothing", kind)
			}
		case faults.NeedsEnsemble:
			if !v.ensemble() {
				v.warn("no strategy uses a service that has a leader: this fault hits nothing", kind)
			}
		case faults.NeedsProcess:
		}
	}
}

// matches reports whether a pattern fits a key that a lock of the catalogue may
// have: that of a resource, of one of its units of work, or one beside it.
func (v *validator) matches(pattern string) bool {
	for _, name := range v.ResourceNames() {
		for _, key := range []string{name, name + ":fence", name + ":live:x", name + "/tick-1"} {
			if ok, err := path.Match(pattern, key); ok || err != nil {
				return true
			}
		}
	}
	return strings.Contains(pattern, "/")
}

// What a run costs: measured with 1,000 and 10,000 workers, see make bench.
const (
	eventsEachSecond = 50 // of a worker that polls
	eventCost        = 5 * time.Microsecond
	longRun          = time.Minute // of the reader's time
)

// conflictOfSize warns of a run that takes minutes, and of a large run whose history has to be kept in
// memory.
func (v *validator) conflictOfSize() {
	cost := time.Duration(float64(v.Workers) * v.Duration.Seconds() * eventsEachSecond * float64(eventCost))
	if v.Workers > 1 && v.Sections == 0 && cost > longRun {
		v.warn(fmt.Sprintf("%d workers for %v: a run of one seed may take about %v of computing time", v.Workers, v.Duration, cost.Round(time.Minute)), "workers", "duration")
	}
	if !v.Large() {
		return
	}
	if !v.WorkloadInfo().OneItem {
		v.warn(fmt.Sprintf("%d workers for %v: the history of each run is kept in memory, because a section of %s may work on several items",
			v.Workers, v.Duration, v.Workload.Kind), "workload.kind")
	}
}

// oncePerSection reports whether a worker comes to the point once in a section at
// most.
func oncePerSection(point string) bool {
	return slices.Contains([]string{"acquire-called", "acquired", "release-called", "released"}, point)
}
