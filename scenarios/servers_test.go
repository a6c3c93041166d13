package scenarios

import (
	"strings"
	"testing"
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
