package scenarios_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	simtoy "lockquake/sim/toy"
)

const beside = `name: beside
duration: 30s
seeds: 20
workers: 3
workload: {kind: counter, hold: 100ms, think: 50ms}
lock: {ttl: 2s}
strategies: [redis, toy-cas]
`

const stops = `faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 5s}, for: 3s}
  - crash: {target: lock, data: lost, every: {dist: exponential, mean: 10s}, for: 200ms}
  - evict: {target: lock, every: 5s}
`

func parseBeside(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("beside.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Two families stand in one scenario under one plan of faults, and the checks judge
// both: without faults both locks hold, and with pauses and crashes neither does.
func TestToyStrategiesOfTwoFamiliesShareAPlan(t *testing.T) {
	for _, test := range []struct {
		faults   string
		violates bool
	}{{"", false}, {stops, true}} {
		c := runtest.Campaign(t, parseBeside(t, beside+test.faults), campaign.Request{})
		for _, use := range c.Strategies {
			if violated := use.Checks["lost-update"].Violating > 0; violated != test.violates {
				t.Errorf("%s with faults %q: lost updates %t", use.Label, test.faults, violated)
			}
		}
	}
}

// A fault that a family does not know does not happen to its servers, and the same
// entry does to those of another.
func TestToyFaultHappensToTheFamiliesThatKnowIt(t *testing.T) {
	s := parseBeside(t, beside+stops)
	for _, use := range s.Strategies {
		trial := runtest.Trial(t, s, use.Label, 1)
		seen := map[faults.Kind]bool{}
		for i, step := range trial.Plan.Steps {
			seen[step.Kind()] = seen[step.Kind()] || trial.Injections[i].Happened
		}
		if !seen["pause"] || !seen["crash"] || seen["evict"] != (use.Name == "redis") {
			t.Errorf("%s: what happened is %v", use.Label, seen)
		}
		for _, kind := range []history.Type{history.Granted, history.Freed, history.Expired, history.Evicted, history.Restarted} {
			if !slices.ContainsFunc(trial.History.Events, func(e history.Event) bool { return e.Type == kind && e.Node == "lock" }) {
				t.Errorf("%s: no server says %s", use.Label, kind)
			}
		}
		if want := map[string]time.Duration{"redis": 5 * time.Second, "toy-cas": time.Second}[use.Name]; trial.History.Meta.Answer != want {
			t.Errorf("%s: a client waits for %v, want %v", use.Label, trial.History.Meta.Answer, want)
		}
	}
}

// The settings of a family are judged as all others are, wherever the file has them.
func TestToySettingsOfAFamilyAreJudgedWhereTheyStand(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"lock: {ttl: 2s}", "toy: {wiat: 1s}", `beside.yaml:6:7: unknown key "wiat"; did you mean "wait"?`},
		{"lock: {ttl: 2s}", "toys: {wait: 1s}", `beside.yaml:6:1: unknown key "toys"; did you mean "toy"?`},
		{"lock: {ttl: 2s}", "toy: {dials: 10}", `beside.yaml:6:14: toy.dials must be between 1 and 9, and is 10`},
		{"lock: {ttl: 2s}", "toy: {wait: 2m}", `beside.yaml:6:13: toy.wait must be between 1ms and 1m0s, and is 2m0s`},
		{"toy-cas]", "{name: toy-cas, toy: {dials: 0}}]", `beside.yaml:7:50: strategies[1].toy.dials must be between 1 and 9, and is 0`},
		{"toy-cas]", "{name: toy-cas, client: {pool-size: 1}}]", `beside.yaml:7:37: strategies[1].client is about servers of redis, and toy-cas uses those of toy`},
		{"toy-cas]", "{name: toy-cas, servers: {clock: wall}}]", `beside.yaml:7:47: strategies[1].servers.clock is about servers of redis, and toy-cas uses those of toy`},
		{"[redis, toy-cas]", "[toy-cas]\nfaults: [{at: 1s, crash: {target: lock, for: 1s}}, {at: 1s, evict: {target: lock}}]", `beside.yaml:8:61: faults[1].evict: servers of toy know no such fault`},
		{"[redis, toy-cas]", "[toy-cas]\nfaults: [{at: 1s, failover: {}}]", `beside.yaml:8:19: faults[0].failover: servers of toy know no such fault`},
	} {
		text := strings.Replace(beside, test.from, test.to, 1)
		if _, err := scenarios.Parse("beside.yaml", []byte(text)); fmt.Sprint(err) != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.to, err, test.want)
		}
	}
}

// A worker's setting goes before that of the use, and that before that of the scenario.
func TestToySettingsOfAFamilyAreLaidOverEachOther(t *testing.T) {
	s := parseBeside(t, strings.Replace(beside, "toy-cas]", "toy-cas, {name: toy-cas, label: quick, toy: {wait: 20ms}}]", 1)+
		"toy: {wait: 5s, dials: 2}\neach: [{worker: worker-2, toy: {wait: 1ms}}]\n")
	for _, test := range []struct {
		use    int
		worker string
		want   time.Duration
	}{{1, "worker-1", 5 * time.Second}, {1, "worker-2", time.Millisecond}, {2, "worker-1", 20 * time.Millisecond}, {2, "worker-2", time.Millisecond}} {
		got := simtoy.Family().ReplyTimeout.Of(s.FamilySettings(s.Strategies[test.use], test.worker))
		if got != test.want {
			t.Errorf("%s under %s: a client waits for %v, want %v", test.worker, s.Strategies[test.use].Label, got, test.want)
		}
	}
}

// The schema has the section of a family, and its strategies.
func TestToySchemaHasTheSettingsOfAFamily(t *testing.T) {
	text, err := json.Marshal(scenarios.Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"dials":{"description":"how often a client dials before it gives up","maximum":9,"minimum":1,"type":"integer"}`,
		`"const":"toy-cas"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the schema has no %s", want)
		}
	}
}
