package advise

import "lockquake/internal/draw"

// missing lists what the simulation leaves out for the inputs, one sentence each.
func (in *Inputs) missing() []string {
	all := in.differences()
	if e := in.mine(); e.Family == "" || e.Family == "redis" {
		all = append(all, in.redisMissing()...)
	}
	switch in.Topology {
	case Database:
		all = append(all,
			"A standby that is promoted: locks are not replicated, so a holder of a session lock can overlap with the next one.",
			"Vacuum: a transaction that is open for the whole job keeps the database from cleaning up, and holds a connection.",
			"A pooler in transaction mode, through which a session lock does not work: lockquake run pooled-advisory shows it.")
	case Etcd:
		all = append(all, "The time of a disk (fsync), quotas, changes of the membership, and restored backups.")
	case ZooKeeper:
		all = append(all, "The messages of an election, which takes 250ms here, and the time of a disk.")
	case DynamoDB:
		all = append(all, "Throttling, global tables, and the deletion of items by a time to live.")
	case Kubernetes:
		all = append(all, "etcd behind the API server, several API servers, and priorities of requests.")
	case One, Failover, Redlock:
	}
	all = append(all, "Processor time: a step of a worker is always as long as the scenario says. A real window between a check and a write is sometimes longer.")
	if in.Pauses.Kind != draw.Empirical {
		all = append(all, "Your pauses: they are drawn from the distribution above. A log of them (--pauses FILE) says more.")
	}
	return append(all,
		"Wrong clocks, suspended machines, and a resource that answers stale reads: lockquake matrix has them.",
		"Effects outside of the resource, such as a charge: no lock makes one happen once if its holder crashes; an idempotency key does.")
}

func (in *Inputs) redisMissing() []string {
	all := []string{"Disks: append-only files that are slow, lie or lose more than they promise; snapshots (RDB)."}
	switch in.Topology {
	case Failover:
		all = append(all,
			"How Sentinel or Redis Cluster decide: the failover comes after a fixed time, and there is never a second primary. A real primary that is only cut off goes on granting locks (split brain).",
			"min-replicas-to-write, more than one replica, and clients that find the new primary late.")
	case One:
		all = append(all, "Memory pressure: a key that is evicted frees its lock (lockquake run redis-matrix has the case evicted).")
	case Redlock:
		all = append(all, "Replicas of the servers: each of them is a single server.")
	case Database, Etcd, ZooKeeper, DynamoDB, Kubernetes:
	}
	return all
}
