package scenarios

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

func TestNetworkErrors(t *testing.T) {
	const text = `
name: network
duration: 10s
workload: {kind: counter}
strategies: [redis-replica]
`
	for _, test := range []struct{ name, more, want string }{
		{"no end", "network: {links: [{from: lock, latency: 1ms}]}", `f:6:19: network.links[0].to is missing`},
		{"no latency", "network: {links: [{from: lock, to: worker-1}]}", `f:6:19: network.links[0].latency is missing`},
		{"no such worker", "network: {links: [{from: lock, to: worker-3, latency: 1ms}]}", `f:6:36: network.links[0].to: there is no worker-3; the last worker is worker-2`},
		{"two workers", "network: {links: [{from: worker-1, to: worker-2, latency: 1ms}]}", `f:6:40: network.links[0].to: two workers have no link`},
		{"two servers", "network: {links: [{from: lock, to: lock-replica, latency: 1ms}]}", `f:6:36: network.links[0].to: one end must be a worker`},
		{"no such latency", "network: {links: [{from: lock, to: worker-1, latency: -1ms}]}", `f:6:55: network.links[0].latency must not be negative`},
		{"no such server", "servers: {clocks: [{server: lock-9, wall-offset: 1s}]}", `f:6:29: unknown server "lock-9"`},
		{"no server", "servers: {clocks: [{wall-offset: 1s}]}", `f:6:20: servers.clocks[0].server is missing`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f", []byte(text+test.more+"\n"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
