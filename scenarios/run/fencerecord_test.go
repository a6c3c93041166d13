package run_test

import (
	"strings"
	"testing"

	"lockquake/history"
)

// The counter of the tokens is a record beside that of the lock. No worker asked for a lock of that name, so it has
// no holder, also if the lock is one of a single tick, such as resource-1/tick-1.
func TestTheCounterOfTheTokensIsNoLock(t *testing.T) {
	trial := ran(t, `
name: counter-of-tokens
duration: 20s
workers: 3
workload: {kind: cron, key: tick, period: 1s, hold: 50ms}
network: {latency: 1ms}
lock: {retry: {attempts: unlimited, delay: 20ms, jitter: 10ms}}
strategies: [redis-fenced]
`)
	grants := 0
	for _, e := range trial.History.Events {
		if strings.HasSuffix(e.Key, ":fence") {
			t.Fatalf("%s records %s of %q", e.Node, e.Type, e.Key)
		}
		if e.Type == history.Granted {
			grants++
		}
	}
	if grants == 0 {
		t.Error("no lock was granted")
	}
	sound(t, trial, "ownership", "recovery", "errors")
}
