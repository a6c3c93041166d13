package advise

import (
	"slices"

	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// candidate is a lock that is run: the one in question, or a neighbour that differs from it in one point.
type candidate struct {
	label    string
	strategy string
	library  string        // that the strategy is nearest to; "": none
	what     string        // one sentence
	lock     []string      // settings, as in check: clock
	looks    results.Heeds // "": as in question
	fence    resource.Policy
	replica  bool
	topology lock.Topology
}

// yours is the label of the lock in question.
const yours = "yours"

// candidates lists the lock in question and its neighbours.
func (in *Inputs) candidates() []candidate {
	base := in.base()
	all := []candidate{base}
	add := func(suffix, what string, change func(c *candidate)) {
		c := base
		c.label, c.what, c.lock = yours+"+"+suffix, "your lock, "+what, slices.Clone(base.lock)
		change(&c)
		all = append(all, c)
	}
	parts := in.mine().Defaults.Parts
	if in.renews() && in.Looks == results.HeedsNever {
		add("looks", "and the work checks its context before each write", func(c *candidate) { c.looks = results.HeedsBeforeWrite })
	}
	if in.renews() && in.Looks == results.HeedsBeforeWrite {
		add("looks-always", "and the work always checks its context", func(c *candidate) { c.looks = results.HeedsAlways })
	}
	if parts["check"] == "none" {
		add("clock", "and the holder checks its clock before each write", func(c *candidate) { c.lock = append(c.lock, "check: clock") })
	}
	if in.renewable() && !in.Renewal.On {
		add("renewal", "with a task that renews the lease", func(c *candidate) {
			c.lock = slices.DeleteFunc(c.lock, func(s string) bool { return s == "renewal: none" })
			c.lock = append(c.lock, "renewal: "+ways(in.mine().Family))
		})
	}
	if in.Topology == Failover && parts["take"] != "" {
		add("wait", "and a grant counts only if the replica confirms it (WAIT 1)", func(c *candidate) { c.lock = append(c.lock, "wait: 1", "node-timeout: 500ms") })
	}
	if base.fence == resource.Off && in.hasToken() {
		in.withToken(add)
	}
	return append(all, in.elsewhere()...)
}

// base returns the lock in question.
func (in *Inputs) base() candidate {
	e := in.mine()
	c := candidate{label: yours, strategy: in.Lock, what: "your lock: " + in.Describe(), fence: resource.Off, topology: e.Topology, replica: in.Topology == Failover}
	if in.library != nil {
		c.library = in.library.Name
	}
	if in.releases() && in.Release != e.Defaults.Parts["release"] {
		c.lock = append(c.lock, "release: "+in.Release)
	}
	switch own := e.Defaults.Parts["renewal"]; {
	case !in.renewable() || in.Renewal.On == (own != "none"):
	case in.Renewal.On:
		c.lock = append(c.lock, "renewal: "+ways(e.Family))
	default:
		c.lock = append(c.lock, "renewal: none")
	}
	if e.Fenced() {
		c.fence = in.Fence
	}
	return c
}

// tokened maps strategies to those that are the same lock with a fencing token.
func tokened() map[string]string {
	return map[string]string{
		"pg-lease-row": "pg-lease-row-fenced", "etcd-unfenced": "etcd", "zookeeper-unfenced": "zookeeper", "dynamodb-unfenced": "dynamodb", "kube-lease": "kube-lease-fenced",
	}
}

// inScript reports whether the script that takes the lock in question could count a fencing token too.
func (in *Inputs) inScript() bool {
	return in.mine().Defaults.Parts["fence"] == "none" && (in.Topology == One || in.Topology == Failover)
}

// hasToken reports whether the lock in question exists with a fencing token.
func (in *Inputs) hasToken() bool {
	return tokened()[in.Lock] != "" || in.inScript() || in.mine().Fenced()
}

// withToken adds the lock in question with a fencing token that the resource checks.
func (in *Inputs) withToken(add func(suffix, what string, change func(c *candidate))) {
	add("token", "with a fencing token that the resource checks on "+string(in.checked()), func(c *candidate) {
		c.fence = in.checked()
		switch name := tokened()[in.Lock]; {
		case name != "":
			c.strategy, c.library = name, ""
		case in.inScript():
			c.lock = append(c.lock, "fence: in-script")
		}
	})
}

// checked returns what the resource checks for a neighbour with a fencing token: what the inputs say, or
// reads and writes if they say that it checks none.
func (in *Inputs) checked() resource.Policy {
	if in.Fence == resource.Off {
		return resource.ReadsWrites
	}
	return in.Fence
}

// needs returns the input with which a candidate could be taken, "" if the inputs allow it.
func (in *Inputs) needs(c candidate) string {
	if in.Fence != resource.Off || c.fence == resource.Off {
		return ""
	}
	return "--fence " + string(c.fence)
}

// claimed returns the number of classes of faults under which a candidate claims that nothing is lost.
func (in *Inputs) claimed(c candidate) int {
	e, _ := in.entry(c.strategy)
	if e.Fenced() && c.fence != resource.ReadsWrites {
		return 0 // what it claims is for a resource that checks the tokens of reads and writes
	}
	return len(e.Claims.Corruption)
}

// elsewhere lists other locks for the same work. The interval of renewal is that of the lock in question
// only: another lock renews at its usual share of the lease.
func (in *Inputs) elsewhere() []candidate {
	var all []candidate
	add := func(strategy, what string, settings ...string) {
		e, ok := in.entry(strategy)
		if !ok || strategy == in.Lock {
			return
		}
		c := candidate{label: strategy, strategy: strategy, what: what, lock: settings, fence: resource.Off, topology: e.Topology}
		if e.Fenced() {
			c.fence = in.checked()
		}
		if in.Renewal.Period > 0 && e.Defaults.TTL > 0 && e.Defaults.Renews() {
			c.lock = append(c.lock, "renew: 0s")
		}
		all = append(all, c)
	}
	switch in.Topology {
	case One, Failover:
		if in.renews() {
			add("redlock-extend", "Redlock on five independent servers, extended by a task", "check: none")
		} else {
			add("redlock", "Redlock on five independent servers")
		}
	case Database:
		add("pg-advisory-xact", "pg_advisory_xact_lock and the work in one transaction")
		add("pg-row-lock", "SELECT FOR UPDATE and the work in one transaction")
		add("pg-lease-row", "a row with owner and expiry, renewed by a task")
	case Redlock, Etcd, ZooKeeper, DynamoDB, Kubernetes:
	}
	switch family := in.mine().Family; {
	case in.hasToken():
	case family == "postgres":
		add("pg-lease-row-fenced", "a row with owner, expiry and a fencing token that the resource checks")
	case onRedis(family):
		add("redis-fenced", "a lock on one Redis server, with a fencing token that the resource checks")
	}
	switch {
	case in.Topology != Database && in.Topology != Etcd && in.Fence != resource.Off:
		add("etcd", "a lock on an etcd cluster, with its fencing token")
	case in.Topology != Database && in.Topology != Etcd:
		add("etcd-unfenced", "a lock on an etcd cluster")
	}
	if in.Topology != Database {
		add("pg-advisory-xact", "pg_advisory_xact_lock and the work in one transaction, if the data is in that database")
	}
	return all
}
