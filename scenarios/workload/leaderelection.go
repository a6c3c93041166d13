package workload

import (
	"context"
	"time"
)

// leaderElectionInfo returns the workload leader-election.
func leaderElectionInfo() Info {
	return Info{
		Name: "leader-election", Initial: "0", Do: leaderElection,
		Doc: "each worker always tries to become the leader; the leader increments the item once in each interval, and steps down after its term or when it is told of a loss: two leaders lose increments",
		Params: []Param{
			{Name: "interval", Time: &Time{func(s Settings) time.Duration { return s.Interval }, time.Millisecond}},
			{Name: "term", Time: &Time{func(s Settings) time.Duration { return s.Term }, 0}},
		},
	}
}

// leaderElection asks for the lock, and works as the leader with it.
func leaderElection(ctx context.Context, w *Work) error { return w.Locked(ctx, w.Item, w.Unit, w.term) }
