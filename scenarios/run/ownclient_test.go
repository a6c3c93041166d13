package run_test

import (
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
	lockredis "lockquake/lock/redis"
	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// A strategy of the caller's own may add hooks to its client or close it, so each process has one.
func TestAStrategyOfTheCallerHasAClientForEachProcess(t *testing.T) {
	clients := map[goredis.Cmdable]bool{}
	i := slices.IndexFunc(scenarios.Strategies(), func(e lock.Entry) bool { return e.Name == "redis" })
	own := scenarios.Strategies()[i]
	made := own.New
	own.Name = "mine"
	own.New = func(d lock.Deps) lock.Strategy {
		clients[lockredis.PortOf(d).Client] = true
		return made(d)
	}
	s := runtest.Parse(t, `
name: own
description: two workers
duration: 1s
workers: 2
workload: {kind: counter}
strategies: [redis]
checks: [lost-update]
`)
	if _, err := run.Once(s, run.Request{Label: "mine", Seed: 1, Own: []lock.Entry{own}}); err != nil {
		t.Fatal(err)
	}
	if len(clients) != 2 {
		t.Errorf("%d clients, want 2", len(clients))
	}
}
