package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/scenarios/results"
)

const varied = `# to be varied
name: varied
duration: 5s
workers: 3
workload: {kind: counter, hold: 100ms}
lock: {ttl: 1s}
strategies:
  - redis
  - {name: redis-fenced, label: fenced v1.5, resource: {fence: writes}}
each: [{worker: worker-2, start: 50ms}]
faults:
  - pause: {target: worker-1, every: 1s, for: {dist: lognormal, median: 1s, p99: 4s}}
  - at: 1s
    partition: {from: worker-1, to: lock, for: 1s}
  - at: 2s
    partition: {from: worker-2, to: lock, for: 1s}
checks: [exclusion, lost-update]
`

func with(t *testing.T, texts ...string) (*Scenario, error) {
	t.Helper()
	s, err := Parse("varied.yaml", []byte(varied))
	if err != nil {
		t.Fatal(err)
	}
	var overrides []results.Override
	for _, text := range texts {
		o, err := ParseOverride(text)
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, o)
	}
	return s.With(overrides)
}

// Every key of a file can be set from outside.
func TestOverridesSet(t *testing.T) {
	tests := []struct {
		set  string
		got  func(s *Scenario) any
		want any
	}{
		{"workers=7", func(s *Scenario) any { return s.Workers }, 7},
		{"step=1ms", func(s *Scenario) any { return s.Step }, time.Millisecond},
		{"lock.ttl=1.5s", func(s *Scenario) any { return s.ParamsOf(lock.Params{}, s.Strategies[0], "").TTL }, 1500 * time.Millisecond},
		{"lock.retry.attempts=unlimited", func(s *Scenario) any { return s.ParamsOf(lock.Params{}, s.Strategies[0], "").Retry.Attempts }, lock.Unlimited},
		{"strategies[0].lock.ttl=2s", func(s *Scenario) any { return s.ParamsOf(lock.Params{}, s.Strategies[0], "").TTL }, 2 * time.Second},
		{"strategies.redis.lock.ttl=2s", func(s *Scenario) any { return s.ParamsOf(lock.Params{}, s.Strategies[0], "").TTL }, 2 * time.Second},
		{"strategies.fenced v1.5.resource.fence=strict", func(s *Scenario) any { return s.ResourceOf(s.Strategies[1]).Fence }, "strict"},
		{"strategies=[none]", func(s *Scenario) any { return s.Strategies[0].Label }, "none"},
		{"each.worker-2.start=1s", func(s *Scenario) any { return s.EachOf("worker-2").Start }, time.Second},
		{"each[0].hold=1s", func(s *Scenario) any { return *s.Each[0].Hold }, draw.Fixed(time.Second)},
		{"faults.pause.for.median=2s", func(s *Scenario) any { return s.Faults[0].For.Median }, 2 * time.Second},
		{"faults.pause.for={dist: uniform, min: 1s, max: 2s}", func(s *Scenario) any { return s.Faults[0].For.Max }, 2 * time.Second},
		{"faults[2].partition.for=3s", func(s *Scenario) any { return s.Faults[2].For }, draw.Fixed(3 * time.Second)},
		{"faults[1].at=3s", func(s *Scenario) any { return *s.Faults[1].At }, 3 * time.Second},
		{"network.latency=5ms", func(s *Scenario) any { return s.Network.Latency }, draw.Fixed(5 * time.Millisecond)},
		{"expect.redis.violates=[exclusion]", func(s *Scenario) any { return s.Expect["redis"].Violates }, []string{"exclusion"}},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			s, err := with(t, tt.set)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.got(s)); diff != "" {
				t.Error(diff)
			}
			// The text is a scenario that says the same without any override.
			again, err := Parse("varied.yaml", s.Text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.got(again)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOverridesRefused(t *testing.T) {
	tests := []struct {
		sets []string
		want string
	}{
		{[]string{"lock.ttl"}, "lock.ttl: write path=value, as in lock.ttl=5s"},
		{[]string{"lock.tll=5s"}, `lock.tll=5s: unknown key "tll"; did you mean "ttl"?`},
		{[]string{"lokc.ttl=5s"}, `lokc.ttl=5s: unknown key "lokc"; did you mean "lock"?`},
		{[]string{"lock.ttl=5"}, "lock.ttl=5: lock.ttl needs a unit: write 5ms or 5s"},
		{[]string{"lock.ttl.median=5s"}, `lock.ttl.median=5s: lock.ttl is "1s", with nothing inside that could be set; set lock.ttl itself`},
		{[]string{"faults.puase.for=5s"}, `faults.puase.for=5s: unknown fault of the scenario "puase"; did you mean "pause"?`},
		{[]string{"faults.partition.for=5s"}, "2 entries of faults have a partition; write one of faults[1].partition.for, faults[2].partition.for"},
		{[]string{"faults[3].pause.for=5s"}, "faults has no item 3"},
		{[]string{"faults.pause.for.medain=5s"}, `unknown key "medain"; did you mean "median"?`},
		{[]string{"faults.pause.form=5s"}, `unknown parameter of pause "form"`},
		{[]string{"strategies.fenced.lock.ttl=5s"}, `unknown strategy "fenced"`},
		{[]string{"each.worker-1.start=5s"}, `unknown entry of each "worker-1"; did you mean "worker-2"?`},
		{[]string{"workers=0"}, "workers=0: workers must be"},
		{[]string{"workers=4", "lock.ttl=never", "step=1ms"}, `lock.ttl=never: lock.ttl must be a duration`},
		{[]string{"faults.pause.for.p99=500ms"}, "faults.pause.for.p99=500ms: "},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.sets, " "), func(t *testing.T) {
			_, err := with(t, tt.sets...)
			var setting *SettingError
			if !errors.As(err, &setting) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	// An override may be invalid without the one after it.
	if _, err := with(t, "faults.pause.for.p99=500ms", "faults.pause.for.median=100ms"); err != nil {
		t.Error(err)
	}
}

// A hash is of the file and what was set, whether at once or in turn, and every
// other value is another hash.
func TestOverridesHash(t *testing.T) {
	plain, err := with(t)
	if err != nil {
		t.Fatal(err)
	}
	once, err := with(t, "lock.ttl=2s", "workers=4")
	if err != nil {
		t.Fatal(err)
	}
	first, err := with(t, "lock.ttl=2s")
	if err != nil {
		t.Fatal(err)
	}
	turn, err := first.With([]results.Override{{Path: "workers", Value: "4"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once.Hash, turn.Hash) + cmp.Diff(once.Text, turn.Text) + cmp.Diff(once.Overrides, turn.Overrides); diff != "" {
		t.Error(diff)
	}
	hashes := []string{plain.Hash, first.Hash, once.Hash}
	slices.Sort(hashes)
	if len(slices.Compact(hashes)) != 3 {
		t.Errorf("two of three scenarios have one hash: %v", hashes)
	}
	if plain.Overrides != nil || plain.File != nil || string(plain.Text) != varied {
		t.Errorf("nothing was set, and the scenario says %v", plain.Overrides)
	}
}

func TestAxesAreRangesOrLists(t *testing.T) {
	tests := []struct {
		text, want string
		log        bool
	}{
		{"lock.ttl=1s..60s", "1s 1.58s 2.48s 3.91s 6.17s 9.72s 15.3s 24.2s 38.1s 1m0s", true},
		{"lock.ttl=1s..5s/5", "1s 2s 3s 4s 5s", false},
		{"lock.ttl=1ms..1s/4log", "1ms 10ms 100ms 1s", true},
		{"workers=2..20", "2 3 4 6 7 9 12 15 20", true},
		{"workers=2..5", "2 3 4 5", false},
		{"x=9s..9.1s/5", "9s 9.025s 9.05s 9.075s 9.1s", false},
		{"ppm=-100..100/3", "-100 0 100", false},
		{"x=0.5..1/3", "0.5 0.75 1", false},
		{"lock.ttl=5s,1s,2s,1s", "1s 2s 5s", false},
		{"lock.ttl=100ms,10s", "100ms 10s", true},
		{"resource.fence=writes,off", "writes off", false},
		{"faults.pause.for={dist: uniform, min: 1s, max: 2s},1s", "{dist: uniform, min: 1s, max: 2s} 1s", false},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			axis, err := ParseAxis(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(axis.Values, " "); got != tt.want || axis.Log != tt.log {
				t.Errorf("got %s, in ratios %v; want %s, %v", got, axis.Log, tt.want, tt.log)
			}
		})
	}
	for text, want := range map[string]string{
		"lock.ttl":              "write path=values",
		"lock.ttl=":             "write path=values",
		"lock.ttl=5s":           "one value is not varied",
		"lock.ttl=5s..1s":       "from small to large",
		"lock.ttl=1s..5":        "not of one kind",
		"lock.ttl=a..b":         `not from "a" to "b"`,
		"lock.ttl=1s..5s/1":     "2 to 1000 steps, not 1",
		"lock.ttl=1s..5s/10000": "2 to 1000 steps, not 10000",
		"lock.ttl=0s..5s/5log":  "cannot begin at 0s",
		"lock.ttl=1s,,5s":       "is empty",
		"lock.ttl=1s..5s/ten":   "a range goes from",
		"name=a,b":              "name changes no run",
	} {
		if axis, err := ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s reads as %v, %v; want %s", text, axis, err, want)
		}
	}
}
