package advise

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/libraries"
	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// Inputs describe a lock and the world in which it is used.
type Inputs struct {
	Topology Topology
	Lock     string // a strategy of the catalogue, or one of Own
	Release  string // the way of the part release; "" for that of the lock
	Renewal  Renewal
	TTL      time.Duration // 0: the smallest that is found
	Work     Spread        // how long a job takes
	Looks    results.Heeds // when the work checks its context
	Pauses   Spread
	Latency  Spread
	Fence    resource.Policy
	// Assumed lists the values that were not given, as "--name value" or "name: value".
	Assumed []string
	Own     []lock.Entry // strategies of the caller's

	library *libraries.Library   // that Lock was resolved from; nil: none
	parts   scenarios.LockParams // of the library
	numbers scenarios.LockParams // of the library
	given   []string             // the questions that were answered
	known   []lock.Entry         // the strategies that an input can name, once they are needed
}

// Renewal is how a lease is renewed.
type Renewal struct {
	On     bool
	Period time.Duration // 0: that of the lock
}

// Topology is the kind of servers that the lock runs on.
type Topology string

// The topologies.
const (
	One        Topology = "one"        // one Redis server
	Failover   Topology = "failover"   // a Redis primary with a replica that takes over
	Redlock    Topology = "redlock"    // several independent Redis servers
	Database   Topology = "database"   // the PostgreSQL database that has the data of the work
	Etcd       Topology = "etcd"       // an etcd cluster
	ZooKeeper  Topology = "zookeeper"  // a ZooKeeper ensemble
	DynamoDB   Topology = "dynamodb"   // a table of DynamoDB
	Kubernetes Topology = "kubernetes" // Leases of a Kubernetes API server
)

// topology describes a Topology: the family of its servers, and the lock that is usual on them.
type topology struct {
	name   Topology
	family string
	usual  string
	doc    string
}

func topologies() []topology {
	return []topology{
		{One, "redis", "redis", "one Redis server"},
		{Failover, "redis", "redis", "a Redis primary with an asynchronous replica that takes over"},
		{Redlock, "redis", "redlock", "five independent Redis servers"},
		{Database, "postgres", "pg-advisory-session", "the PostgreSQL database that has the data of the work"},
		{Etcd, "etcd", "etcd-unfenced", "an etcd cluster of three members"},
		{ZooKeeper, "zookeeper", "zookeeper-unfenced", "a ZooKeeper ensemble of three servers"},
		{DynamoDB, "dynamodb", "dynamodb-unfenced", "a table of DynamoDB"},
		{Kubernetes, "kubernetes", "kube-lease", "Leases of a Kubernetes API server"},
	}
}

func (t Topology) describe() topology {
	for _, known := range topologies() {
		if known.name == t {
			return known
		}
	}
	return topology{}
}

// topologyOf returns the topology that a lock needs.
func topologyOf(e lock.Entry) Topology {
	switch {
	case e.Topology.Nodes > 1:
		return Redlock
	case e.Topology.Replicas > 0:
		return Failover
	}
	for _, known := range topologies() {
		if known.family == e.Family {
			return known.name
		}
	}
	return One
}

// entries lists the strategies that an input can name.
func (in *Inputs) entries() []lock.Entry {
	if in.known == nil {
		in.known = append(scenarios.Strategies(), in.Own...)
	}
	return in.known
}

// entry returns a strategy by its name.
func (in *Inputs) entry(name string) (lock.Entry, bool) {
	all := in.entries()
	i := slices.IndexFunc(all, func(e lock.Entry) bool { return e.Name == name })
	if i < 0 {
		return lock.Entry{}, false
	}
	return all[i], true
}

// excludes reports whether a strategy is a lock of one holder at a time, which can protect work of any
// kind.
func excludes(e lock.Entry) bool {
	return !e.LockFree && !e.Permits && !e.ByUnit && !e.Keeps && len(e.Needs) == 0
}

// setLock resolves the name of a lock.
func (in *Inputs) setLock(name string) error {
	if l, ok := in.libraryOf(name); ok {
		if err := in.setLibrary(l); err != nil {
			return err
		}
		name = l.Preset
	}
	e, ok := in.entry(name)
	var known []string
	for _, k := range in.entries() {
		if excludes(k) {
			known = append(known, k.Name)
		}
	}
	for _, l := range libraries.All() {
		known = append(known, l.Name)
	}
	switch {
	case !ok:
		return fmt.Errorf("%s", strictyaml.Unknown("lock", name, known))
	case !excludes(e):
		return fmt.Errorf("%s is not a lock with one holder at a time", name)
	}
	in.Lock = name
	if in.Topology == "" {
		in.Topology = topologyOf(e)
	}
	if t := topologyOf(e); t != in.Topology && (t != One || in.Topology != Failover) {
		return fmt.Errorf("%s runs on the topology %s, not on %s", name, t, in.Topology)
	}
	return nil
}

// renewable reports whether the renewal of the lock is a part that can be left out.
func (in *Inputs) renewable() bool {
	e := in.mine()
	return in.leased() && e.Defaults.Parts["renewal"] != "" && ways(e.Family) != ""
}

// ways returns the way in which the locks of a family renew a lease, "" if they cannot leave it out.
func ways(family string) string {
	return map[string]string{"": "watchdog", "redis": "watchdog", "postgres": "heartbeat"}[family]
}

// leased reports whether the lock has a lease.
func (in *Inputs) leased() bool {
	e := in.mine()
	return e.Defaults.TTL > 0
}

// releases reports whether the release of the lock is a part that can be chosen.
func (in *Inputs) releases() bool {
	e := in.mine()
	return slices.Contains(releases(), e.Defaults.Parts["release"])
}

// renews reports whether the lock in question renews its lease.
func (in *Inputs) renews() bool {
	e := in.mine()
	return in.leased() && (in.Renewal.On || !in.renewable() && e.Defaults.Renews())
}

// ttl returns the TTL in question, or that of the lock if it is to be found.
func (in *Inputs) ttl() time.Duration {
	e := in.mine()
	if in.TTL > 0 && in.leased() {
		return in.TTL
	}
	return e.Defaults.TTL
}

// Describe returns the lock in question in one sentence.
func (in *Inputs) Describe() string {
	parts := []string{in.Lock}
	if in.library != nil {
		parts[0] = fmt.Sprintf("%s (nearest: %s)", in.library.Name, in.library.Nearest())
	}
	if in.leased() {
		parts = append(parts, "a lease of "+brief(in.ttl()))
	}
	switch {
	case !in.leased():
	case in.Renewal.On && in.Renewal.Period > 0:
		parts = append(parts, "renewed every "+brief(in.Renewal.Period))
	case in.renews():
		parts = append(parts, "renewed by a task")
	default:
		parts = append(parts, "not renewed")
	}
	switch {
	case !in.releases():
	case in.Release == "compare":
		parts = append(parts, "released by compare-and-delete")
	case in.Release == "plain":
		parts = append(parts, "released by a plain DEL")
	default:
		parts = append(parts, "release: "+in.Release)
	}
	return strings.Join(parts, ", ") + "; on " + in.Topology.describe().doc
}
