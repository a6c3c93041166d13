package scenarios

import (
	"maps"
	"strings"
	"testing"
	"time"

	"lockquake/lock"
)

// What servers a strategy can have depends on the strategy.
func TestServersErrors(t *testing.T) {
	const text = `
name: servers
duration: 10s
workload: {kind: counter}
strategies:
  - redis
`
	for _, test := range []struct{ name, strategy, more, want string }{
		{"even number", "{name: redlock, servers: {nodes: 4}}", "", `f:6:30: redlock: 4 servers tolerate no more failures than 3 do: take an odd number`},
		{"replicas of several", "{name: redlock, servers: {replicas: 1}}", "", `f:6:30: redlock: only a single server has a replica, not 5`},
		{"several of one", "{name: redis, servers: {nodes: 3}}", "", `f:6:36: redis takes its lock from one server`},
		{"a server that only another strategy has", "redlock", "faults: [{at: 1s, pause: {target: lock-5, for: 1s}}]", ""},
		{"a server that no strategy has", "redlock", "faults: [{at: 1s, pause: {target: lock-6, for: 1s}}]", `there is no server lock-6; the servers are lock, lock-1,`},
		{"a replica that nobody has", "redis", "faults: [{at: 1s, pause: {target: lock-replica, for: 1s}}]", `there is no server lock-replica; the servers are lock, resource`},
		{"an error at an answer", "redis", "faults: [{when: {worker: worker-1, point: write.replied}, error: {text: no}}]", `no request is sent at "write.replied"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f", []byte(strings.Replace(text, "  - redis", "  - "+test.strategy, 1)+test.more+"\n"))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// The entry lock is for all servers, and a later entry counts more.
func TestWrongClocks(t *testing.T) {
	for clocks, want := range map[string]map[string]time.Duration{
		"[]": {"worker-2": -time.Second},
		"[{server: lock-1, wall-offset: 1s}, {server: lock-2, wall-offset: -1s}]": {"lock-1": time.Second, "lock-2": -time.Second, "worker-2": -time.Second},
		"[{server: lock, wall-offset: 1s}, {server: lock-2, wall-offset: 2s}]":    {"lock": time.Second, "lock-2": 2 * time.Second, "worker-2": -time.Second},
		"[{server: lock-2, wall-offset: 2s}, {server: lock, wall-offset: 1s}]":    {"lock": time.Second, "worker-2": -time.Second},
		"[{server: lock-2, wall-offset: 0s}]":                                     {"worker-2": -time.Second},
	} {
		s, err := Parse("f", []byte(`
name: clocks
duration: 10s
workload: {kind: counter}
strategies: [redlock]
each: [{worker: worker-1, hold: 1s}, {worker: worker-2, wall-offset: -1s}]
servers: {nodes: 3, clocks: `+clocks+`}
`))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.WrongClocks(s.ServersOf(lock.Topology{Nodes: 5}, s.Strategies[0])); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", clocks, got, want)
		}
	}
}
