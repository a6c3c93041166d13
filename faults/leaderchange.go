package faults

import (
	"fmt"
	"time"
)

// LeaderChange ends the term of the leader of a replicated service, such as an etcd cluster. While
// the fault lasts no member leads. Then another member does.
type LeaderChange struct{ OnServer }

// Info implements Fault.
func (*LeaderChange) Info() Info {
	return kind[LeaderChange](Info{
		Kind: "leader-change", Length: "how long the service has no leader",
		Doc: "makes another member the leader of the lock's service, such as an etcd cluster",
	})
}

func (*LeaderChange) places() []Place {
	return []Place{{Name: "leader-change", Letter: "j", Order: 180, Fault: &LeaderChange{OnServer{lockServers}}, Doc: "another member becomes the leader of the lock's service"}}
}

func (*LeaderChange) needs() []Need { return []Need{{What: NeedsEnsemble}} }

func (*LeaderChange) supported(servers any) bool {
	_, can := servers.(interface{ ChangeLeader(d time.Duration) })
	return can
}

// Apply implements Fault.
func (f *LeaderChange) Apply(on any, d time.Duration) error {
	type elector interface{ ChangeLeader(d time.Duration) error }
	return ask(on, f, func(t elector) error { return t.ChangeLeader(d) })
}

// Begins implements Fault.
func (*LeaderChange) Begins(s Scene) string {
	return fmt.Sprintf("has no leader for %s", s.Length)
}
