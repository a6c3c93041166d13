package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/schematest"
	"lockquake/scenarios/workload"
)

// pausedOnce is a scenario with two workers and one pause.
const pausedOnce = `
name: quick
duration: 5s
seeds: 10
workers: 2
sections: 1
workload: {kind: counter, hold: 100ms}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis, {name: redis-fenced, label: fenced, resource: {fence: reads-writes}}]
each: [{worker: worker-2, start: 50ms}]
faults:
  - when: {worker: worker-1, point: lease-checked}
    pause: {for: 2s}
checks: [linearizable, lost-update, exclusion, belief, fencing]
`

// validator of JSON Schema, as an editor has one.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	return schematest.Compile(t, schema)
}

func asJSON(t *testing.T, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func fromYAML(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return asJSON(t, value)
}

func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	compiled := compileSchema(t)
	texts := map[string]string{
		"minimal":      minimal,
		"full":         full,
		"a flaw":       minimal + "lock: {release: plain, retry: {doubling: true}}\n",
		"quick":        pausedOnce,
		"a client":     minimal + "client: {pool-size: 1, max-retries: 0, min-retry-backoff: 0s, read-timeout: 1ms, context-timeout: true}\n",
		"all":          strings.Replace(minimal, "[redis]", "all", 1),
		"patterns":     strings.Replace(minimal, "[redis]", "[redis-*, {name: 'redi?', label: one}]", 1),
		"odd times":    strings.Replace(minimal, "60s", "+1.5h30m.5s", 1),
		"no time":      minimal + "step: 0s\nwake: arrival\n",
		"quoted zero":  minimal + "wake-lag: '0'\n",
		"clock faults": minimal + "faults: [{at: 1s, clock-step: {target: lock, by: -5s, for: 1s}}, {at: 1s, clock-rate: {target: worker-1, clock: monotonic, ppm: -200, for: 1s}}]\n",
		"distributions": minimal + `network: {latency: {dist: uniform, max: 5ms}}
faults:
  - pause: {target: worker-1, every: {dist: pareto, min: 1s, p99: 60s}, for: {dist: constant, value: 1s}}
`,
	}
	for _, name := range Builtins() {
		data, _ := builtin(name)
		texts[name] = string(data)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if _, err := Parse(name, []byte(texts[name])); err != nil {
			t.Errorf("Parse refuses %s, and nothing is shown: %v", name, err)
		}
		if err := compiled.Validate(fromYAML(t, texts[name])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefusesWhatParseRefuses(t *testing.T) {
	compiled := compileSchema(t)
	for _, test := range []struct {
		name, old, new string // the scenario full, with old replaced by new
	}{
		{"no name", "name: full\n", ""},
		{"bad name", "name: full", "name: Full Stop"},
		{"no duration", "duration: 60s\n", ""},
		{"no unit", "duration: 60s", "duration: 60"},
		{"unknown unit", "duration: 60s", "duration: 60sec"},
		{"negative duration", "duration: 60s", "duration: -60s"},
		{"no kind of workload", "kind: counter, ", ""},
		{"unknown workload", "kind: counter", "kind: conter"},
		{"missing strategies", strategiesOfFull(), ""},
		{"empty strategies", strategiesOfFull(), "strategies: []\n"},
		{"word for strategies", strategiesOfFull(), "strategies: redis\n"},
		{"unknown key", "workers: 3", "wrokers: 3"},
		{"no workers", "workers: 3", "workers: 0"},
		{"too many workers", "workers: 3", "workers: 100001"},
		{"half a worker", "workers: 3", "workers: 2.5"},
		{"unknown wake", "workers: 3", "workers: 3\nwake: deadline-first"},
		{"unknown distribution", "dist: lognormal", "dist: log-normal"},
		{"no distribution", "dist: lognormal, ", ""},
		{"parameter of another distribution", "median: 2ms", "mean: 2ms"},
		{"missing parameter", ", p99: 40ms", ""},
		{"number for hold", "hold: {dist: lognormal, median: 2ms, p99: 40ms}", "hold: 2"},
		{"no attempts", "attempts: unlimited", "attempts: 0"},
		{"word for attempts", "attempts: unlimited", "attempts: endless"},
		{"unknown parameter of a lock", "delay: 100ms", "dealy: 100ms"},
		{"unknown part of a lock", "delay: 100ms}", "delay: 100ms}, release: plane"},
		{"no connections", "workers: 3", "workers: 3\nclient: {pool-size: 0}"},
		{"unknown setting of a client", "lock: {ttl: 5s}", "client: {max-retrys: 3}"},
		{"unknown strategy", "- redis\n", "- reddis\n"},
		{"strategy without a name", "name: redis-fenced, ", ""},
		{"unknown fence policy", "fence: writes", "fence: write"},
		{"not a worker", "worker: worker-2", "worker: wroker-2"},
		{"no worker", "worker: worker-2, ", ""},
		{"fault that is a word", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- pause"},
		{"unknown kind of fault", "- pause:", "- puase:"},
		{"no kind of fault", ", partition: {from: worker-1, to: lock, for: 10s, mode: drop}", ""},
		{"two kinds of fault", "optional: true", "pause: {for: 1s}"},
		{"parameter of another fault", "pause: {for: 15s}", "pause: {for: 15s, mode: drop}"},
		{"unknown target", "target: each worker", "target: each wroker"},
		{"server that is none", "target: each worker", "target: locks"},
		{"worker that cannot fail over", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, failover: {target: worker-1}}"},
		{"failover that lasts", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, failover: {for: 2s}}"},
		{"error at an answer", "point: write.sent, nth: 2}, hold: {for: 1s}", "point: write.replied, nth: 2}, error: {text: no}"},
		{"too much loss", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, loss: {from: worker-1, to: lock, percent: 101, for: 2s}}"},
		{"no servers", "workers: 3", "workers: 3\nservers: {nodes: 0}"},
		{"unknown persistence", "workers: 3", "workers: 3\nservers: {persistence: allways}"},
		{"no moment", "at: 5s, ", ""},
		{"two moments", "at: 5s, ", "at: 5s, when: {worker: worker-1, point: acquired}, "},
		{"no length", "pause: {for: 15s}", "pause: {}"},
		{"unknown point", "point: lease-checked", "point: lease-chekced"},
		{"no point", ", point: lease-checked", ""},
		{"zeroth time", "nth: 2", "nth: 0"},
		{"hold at a point that is no message", "point: write.sent", "point: acquired"},
		{"hold at a moment", "when: {worker: worker-3, point: write.sent, nth: 2}", "at: 1s"},
		{"unknown mode", "mode: drop", "mode: dorp"},
		{"partition to nobody", "to: lock", "to: locks"},
		{"unknown check", "checks: [linearizable", "checks: [linearisable"},
		{"no checks", "checks: [linearizable, lost-update, exclusion]", "checks: []"},
		{"check twice", "checks: [linearizable", "checks: [exclusion"},
		{"expectation of nothing", "redis: {violates: [lost-update]}", "redis: {}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(full, test.old, test.new, 1)
			if text == full {
				t.Fatalf("the scenario does not hold %q", test.old)
			}
			if _, err := Parse("f", []byte(text)); err == nil {
				t.Errorf("Parse accepts it:\n%s", text)
			}
			if compiled.Validate(fromYAML(t, text)) == nil {
				t.Errorf("the schema accepts it:\n%s", text)
			}
		})
	}
}

// An editor can show what each key means and what each name stands for, in the
// words of the catalogues.
func TestSchemaDescribesKeysAndNames(t *testing.T) {
	data, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ name, doc string }{
		{Strategies()[1].Name, Strategies()[1].Doc},
		{workload.Catalogue()[0].Name, workload.Catalogue()[0].Doc},
		{checker.Catalogue()[0].Name, checker.Catalogue()[0].Doc},
		{string(faults.Kinds()[0].Kind), faults.Kinds()[0].Doc},
		{Points()[0], ""},
		{string(draw.Pareto), ""},
	} {
		if text := string(data); !strings.Contains(text, `"`+one.name+`"`) || !strings.Contains(text, one.doc) {
			t.Errorf("%s is not in the schema, or without its words: %s", one.name, one.doc)
		}
	}

	eachProperty(asJSON(t, Schema()), func(key string, property map[string]any) {
		if _, ok := property["description"]; !ok {
			t.Errorf("the key %s has no words: give its field a doc tag", key)
		}
	})
}

// eachProperty calls f for every property of every map that has no others.
func eachProperty(node any, f func(key string, property map[string]any)) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			eachProperty(item, f)
		}
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		if node["additionalProperties"] == false {
			for key, property := range properties {
				f(key, property.(map[string]any))
			}
		}
		for _, item := range node {
			eachProperty(item, f)
		}
	}
}

// A type that Parse reads by a notation of its own has a form of its own in
// the schema.
func TestSchemaKnowsEveryNotation(t *testing.T) {
	types := outline(nil).Types
	for hooked := range hooks(samplesIn(".", nil), sha256.New(), map[string]samples{}) {
		if _, ok := types[hooked]; !ok {
			t.Errorf("%v has a hook, and no form in the schema", hooked)
		}
	}
	if len(types) == 0 || types[reflect.TypeFor[draw.Dist]()] == nil {
		t.Error("no form of a distribution")
	}
}
