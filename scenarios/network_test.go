package scenarios

import (
	"strings"
	"testing"
)

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
