package advise

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// asked is the question of a lock that is renewed, on a primary with a replica.
func asked() map[string]string {
	return map[string]string{
		"topology": "failover", "lock": "redis", "renew": "10s", "ttl": "30s", "release": "lua",
		"work": "10m", "pauses": "up to 3s", "latency": "p99 50ms",
	}
}

// run answers with a few seeds.
func run(t *testing.T, given map[string]string, seeds, jobs int) *results.Advice {
	t.Helper()
	a, s, err := Run(t.Context(), Request{Inputs: inputs(t, given), Path: "advice.yaml", Program: "lockquake", Seeds: seeds, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	if s.Hash != a.Hash {
		t.Errorf("the answer is of %s, the scenario is %s", a.Hash, s.Hash)
	}
	return a
}

func lockOf(t *testing.T, a *results.Advice, label string) *results.AdviceLock {
	t.Helper()
	for i := range a.Locks {
		if a.Locks[i].Label == label {
			return &a.Locks[i]
		}
	}
	t.Fatalf("the answer has no %s", label)
	return nil
}

// Worked out by hand: the lease is longer than failover, pause and period of renewal together, so only
// a worker that is cut off for longer, or a grant that the replica does not have, loses the lock. The
// work that looks at its context learns of both within a period of renewal, long before its write.
func TestARenewedLockLosesUpdatesInAFailoverUnlessTheWorkLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some hundred jobs of ten minutes")
	}
	const seeds = 4
	a := run(t, asked(), seeds, 0)
	mine, looks, wait := lockOf(t, a, "yours"), lockOf(t, a, "yours+looks"), lockOf(t, a, "yours+wait")
	for _, cause := range []string{calm, "pauses", crashed, "failover"} {
		if c := mine.Cell(cause); c.Lost != 0 || c.Runs != seeds {
			t.Errorf("%s: %d of %d runs lose something", cause, c.Lost, c.Runs)
		}
	}
	for _, cause := range []string{cutOff, afterGrant} {
		if c := mine.Cell(cause); c.Lost < 2 || c.Check != "lost-update" || c.Replay == "" {
			t.Errorf("%s: %d of %d runs violate %s", cause, c.Lost, c.Runs, c.Check)
		}
		if c := looks.Cell(cause); c.Lost != 0 {
			t.Errorf("%s: %d of %d runs lose something although the work looks", cause, c.Lost, c.Runs)
		}
	}
	if c := wait.Cell(afterGrant); c.Lost != 0 {
		t.Errorf("%d of %d runs lose a grant that the replica has confirmed", c.Lost, c.Runs)
	}
	if ttl := a.TTL; ttl.Holds == "" || len(ttl.Helpless) != 1 || ttl.Helpless[0].Cause != afterGrant {
		t.Errorf("the TTL: %+v", ttl)
	}
	if first := a.Changes[0]; first.Lock != yours || first.Effect() == 0 {
		t.Errorf("the steepest change: %+v", first)
	}
}

// Neither the number of jobs nor an earlier run shows.
func TestTheSameInputsGiveTheSameAnswer(t *testing.T) {
	given := map[string]string{"work": "200ms", "ttl": "?", "pauses": "p50 100ms, p99 3s"}
	a, b := run(t, given, 2, 1), run(t, given, 2, 3)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if !a.TTL.Taken || !strings.Contains(a.Lock, "a lease of ") || strings.Contains(a.Lock, "30s") {
		t.Errorf("the answer is of %s", a.Lock)
	}
}

// A session lock ends with its session, a lock in the transaction cannot outlive it.
func TestALockInTheTransactionKeepsTheDataOfADatabase(t *testing.T) {
	a := run(t, map[string]string{"topology": "database"}, 3, 0)
	if lockOf(t, a, "yours").Worst() == 0 || lockOf(t, a, "pg-advisory-xact").Worst() != 0 || a.TTL != nil {
		t.Errorf("%+v", a.Locks)
	}
}

func TestAStoppedRunHasNoAnswer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a, _, err := Run(ctx, Request{
		Inputs: inputs(t, nil), Path: "advice.yaml", Seeds: 1, Jobs: 1,
		Progress: func(p campaign.Progress) {
			if p.Done == 5 {
				stop()
			}
		},
	})
	if a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", a, err)
	}
}
