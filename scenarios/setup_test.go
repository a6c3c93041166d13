package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

func TestTheSetupNamesLeasesFaultsAndLatency(t *testing.T) {
	tests := []struct {
		name, file string
		want       []results.Setting
	}{
		{
			"one TTL and a repeated fault", `
name: one
strategies: [none, redis, redis-fenced]
network: {latency: {dist: lognormal, median: 1ms, p99: 20ms}}
lock: {ttl: 2s}
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: {dist: lognormal, median: 2s, p99: 30s}}
`,
			[]results.Setting{
				{Name: "TTL", Value: "2s"},
				{Name: "pause of each worker", Value: "every 20s on average, for 2s at the median and 30s at p99"},
				{Name: "latency", Value: "1ms at the median and 20ms at p99"},
			},
		},
		{
			"a TTL that differs, and a fault at a point", `
name: two
strategies: [redis, redis-fenced, {name: redis, label: brief, lock: {ttl: 1s}}]
network: {latency: 1ms}
lock: {ttl: 2s}
faults:
  - {when: {worker: worker-1, point: write.sent}, hold: {for: 25s}}
`,
			[]results.Setting{
				{Name: "TTL", Value: "2s; 1s for brief"},
				{Name: "hold", Value: "at write.sent of worker-1, for 25s"},
				{Name: "latency", Value: "1ms"},
			},
		},
		{
			"no lease and no fault", "name: three\nstrategies: [none]\nnetwork: {latency: 1ms}\n",
			[]results.Setting{{Name: "faults", Value: "none"}, {Name: "latency", Value: "1ms"}},
		},
		{
			"cases", `
name: four
strategies: [redis]
network: {latency: 1ms}
lock: {ttl: 2s}
faults:
  - {case: late, latency: {from: each worker, to: resource, add: 1s, every: 5s, for: 2s}}
  - {case: cut, partition: {from: each worker, to: lock, mode: drop, every: 5s, for: 2s}}
`,
			[]results.Setting{{Name: "TTL", Value: "2s"}, {Name: "faults", Value: "one of 2 cases in each run"}, {Name: "latency", Value: "1ms"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse("test.yaml", []byte(strings.TrimSpace(tt.file)+"\nduration: 10s\nworkload: {kind: counter, hold: 100ms}\n"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.Setup(s.Strategies)); diff != "" {
				t.Errorf("the setup differs (-want +got):\n%s", diff)
			}
		})
	}
}
