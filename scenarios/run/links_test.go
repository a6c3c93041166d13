package run_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
)

// Everything takes 1 ms but what the second worker is answered, 40 ms. Its
// lock is granted 3 ms after it asks (it opens a connection and says HELLO
// before), and it hears of each answer 40 ms later.
func TestLinksWithALatencyOfTheirOwn(t *testing.T) {
	trial := ran(t, `
name: links
duration: 1s
workers: 2
sections: 1
step: 0s
workload: {kind: counter}
network:
  latency: 1ms
  links: [{from: lock, to: each worker, latency: 2ms}, {from: lock, to: worker-2, latency: 40ms}]
strategies: [redis]
each: [{worker: worker-2, start: 500ms}]
`)
	// To connect and HELLO: 1+2 and 1+2 ms, or twice 1+40. Then the request, 1 ms, and its answer.
	const want = `7 granted worker-1 resource-1
9 acquired worker-1 resource-1
583 granted worker-2 resource-1
623 acquired worker-2 resource-1`
	if diff := cmp.Diff(want, what(trial.History, history.Granted, history.Acquired)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The lease is 10 s of the server's clock. That of the first server is 30 s
// fast, which changes nothing: a clock that is wrong from the beginning ends
// no lease too early.
func TestServersWhoseClocksAreWrong(t *testing.T) {
	const text = `
name: clocks
duration: 1s
workers: 1
sections: 1
workload: {kind: counter}
servers: {clocks: [{server: lock-1, wall-offset: 30s}, {server: lock-2, wall-offset: -1h}]}
strategies: [redlock]
`
	trial := ran(t, text)
	var until []string
	for _, e := range trial.History.Events {
		if e.Type == history.Granted {
			until = append(until, e.Node+" "+(e.Until-e.At).Truncate(1e9).String())
		}
	}
	if got, want := strings.Join(until, ", "), "lock-1 10s, lock-2 10s, lock-3 10s, lock-4 10s, lock-5 10s"; got != want {
		t.Errorf("leases of %s, want %s", got, want)
	}
}
