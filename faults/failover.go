package faults

import "time"

// Failover makes the replica the primary, with the writes that have reached it.
type Failover struct{ OnServer }

// Info implements Fault.
func (*Failover) Info() Info {
	return kind[Failover](Info{
		Kind: "failover", Instant: true, Hits: HitsGrants,
		Doc: "promotes the replica of the lock's server, with the writes that have reached it",
	})
}

func (*Failover) places() []Place {
	return []Place{{Name: "failover", Letter: "f", Order: 130, Fault: &Failover{OnServer{lockServers}}, Doc: "the replica takes the place of the lock's server"}}
}

func (*Failover) needs() []Need { return []Need{{What: NeedsReplica}} }

func (*Failover) supported(servers any) bool {
	_, can := servers.(interface{ Promote() })
	return can
}

// Apply implements Fault.
func (f *Failover) Apply(on any, _ time.Duration) error {
	type promoter interface{ Promote() error }
	return ask(on, f, func(t promoter) error { return t.Promote() })
}

// Begins implements Fault. It is empty, because the promotion is an event of its own.
func (*Failover) Begins(Scene) string { return "" }
