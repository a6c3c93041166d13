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

// The entry lock is for all servers, and a later entry counts more. A server or a worker that a run does not have has no clock.
func TestWrongClocks(t *testing.T) {
	for _, tt := range []struct {
		clocks  string
		redlock map[string]time.Duration // three servers
		redis   map[string]time.Duration // one
	}{
		{"[]", nil, nil},
		{
			"[{server: lock-1, wall-offset: 1s}, {server: lock-2, wall-offset: -1s}]",
			map[string]time.Duration{"lock-1": time.Second, "lock-2": -time.Second},
			nil,
		},
		{
			"[{server: lock, wall-offset: 1s}, {server: lock-2, wall-offset: 2s}]",
			map[string]time.Duration{"lock-1": time.Second, "lock-2": 2 * time.Second, "lock-3": time.Second},
			map[string]time.Duration{"lock": time.Second},
		},
		{
			"[{server: lock, wall-offset: 1s}, {server: lock-2, wall-offset: 0s}]",
			map[string]time.Duration{"lock-1": time.Second, "lock-3": time.Second},
			map[string]time.Duration{"lock": time.Second},
		},
		{
			"[{server: lock-2, wall-offset: 2s}, {server: lock, wall-offset: 1s}]",
			map[string]time.Duration{"lock": time.Second},
			map[string]time.Duration{"lock": time.Second},
		},
		{"[{server: lock-2, wall-offset: 0s}]", nil, nil},
	} {
		s, err := Parse("f", []byte(`
name: clocks
duration: 10s
workers: 3
workload: {kind: counter}
strategies: [redlock, redis]
each: [{worker: worker-1, hold: 1s}, {worker: worker-2, wall-offset: -1s}, {worker: worker-3, wall-offset: 1s}]
servers: {nodes: 3, clocks: `+tt.clocks+`}
`))
		if err != nil {
			t.Fatal(err)
		}
		s.Workers = 2
		for i, want := range []map[string]time.Duration{tt.redlock, tt.redis} {
			want = maps.Clone(want)
			if want == nil {
				want = map[string]time.Duration{}
			}
			want["worker-2"] = -time.Second
			if got := s.WrongClocks(s.ServersOf(lock.Topology{Nodes: []int{5, 1}[i]}, s.Strategies[i])); !maps.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", tt.clocks, s.Strategies[i].Name, got, want)
			}
		}
	}
}
