package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// testCatalogue holds fewer names than the program has, so that an error that
// lists them reads the same when one is added.
func testCatalogue() catalogue {
	return catalogue{
		strategies: []string{"none", "redis", "redis-checked", "redis-fenced"},
		tokenless:  map[string]bool{"none": true, "redis": true, "redis-checked": true},
		workloads:  workload.Catalogue()[:2],
		fences:     []string{"off", "writes", "reads-writes"},
		points:     []string{"acquired", "lease-checked", "write.sent", "write.taken"},
		checks: []checker.Check{
			{Name: "linearizable"},
			{Name: "lost-update", Workloads: []string{"counter"}},
			{Name: "exclusion"},
			{Name: "belief"},
		},
	}
}

const minimal = `name: smallest
duration: 60s
workload: {kind: register}
strategies: [redis]
`

func TestParseFillsInDefaults(t *testing.T) {
	s, err := parse("f.yaml", []byte(minimal), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	want := &Scenario{
		Name: "smallest", Duration: time.Minute, Seeds: 100, Workers: 2, Resources: 1,
		Step: 10 * time.Microsecond, Wake: results.WakeDrawn, WakeLag: usualWakeLag(), Cores: 2,
		Workload: workload.Settings{Kind: "register", Heeds: results.HeedsAlways, Writes: 1, Commit: workload.CommitInside, Attempts: 1, Recheck: true, Limit: 10, Window: time.Minute, Interval: time.Minute, Term: 5 * time.Minute}, Resource: Resource{Fence: "off"},
		Network:    Network{Latency: draw.Fixed(time.Millisecond)},
		Strategies: []Strategy{{Name: "redis", Label: "redis"}},
		Checks:     []string{"linearizable", "exclusion", "belief"}, // lost-update judges counters only
		Path:       "f.yaml",
		Hash:       "fd31b925a892", // as sha256sum gives it
		Text:       []byte(minimal),
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(LockParams{}, strictyaml.Extension{}, strictyaml.Patch[Resource]{}, WorkloadParams{}, ServersParams{}), cmpopts.IgnoreUnexported(Scenario{})); diff != "" {
		t.Errorf("parsed (-want +got):\n%s", diff)
	}
}

// Git on Windows writes other line ends, and an editor may add a byte order mark.
func TestLineEndsDoNotChangeTheHash(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "name: x\nduration: 10s\nworkload: {kind: counter, hold: {dist: empirical, file: holds.txt}}\nstrategies: [redis]\n"
	hash := func(text, holds string) string {
		if err := os.WriteFile("holds.txt", []byte(holds), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		set, err := s.With([]results.Override{{Path: "workers", Value: "3"}})
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash + " " + set.Hash
	}
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	want := hash(text, "5ms\n1s\n")
	for name, got := range map[string]string{
		"CRLF": hash(crlf(text), "5ms\n1s\n"), "byte order mark": hash("\ufeff"+text, "5ms\n1s\n"), "CRLF in the file of samples": hash(text, crlf("5ms\n1s\n")),
	} {
		if got != want {
			t.Errorf("%s: hash %s, want %s", name, got, want)
		}
	}
}

func TestHashTellsFilesApart(t *testing.T) {
	s, err := parse("f.yaml", []byte(minimal), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	other, err := parse("g.yaml", []byte(minimal+"# a comment\n"), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	if s.Hash == other.Hash {
		t.Errorf("two files have one hash, %s", s.Hash)
	}
}

const full = `name: full
duration: 60s
workers: 3
workload: {kind: counter, hold: {dist: lognormal, median: 2ms, p99: 40ms}}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms}}
strategies:
  - redis
  - {name: redis-fenced, label: fenced, lock: {retry: {attempts: 3}}, resource: {fence: writes}}
each: [{worker: worker-2, start: 50ms, lock: {ttl: 5s}}]
faults:
  - pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}
  - {at: 5s, partition: {from: worker-1, to: lock, for: 10s, mode: drop}, optional: true}
  - {when: {worker: worker-1, point: lease-checked}, pause: {for: 15s}}
  - {when: {worker: worker-3, point: write.sent, nth: 2}, hold: {for: 1s}}
checks: [linearizable, lost-update, exclusion]
expect:
  redis: {violates: [lost-update]}
  fenced: {holds: [lost-update, exclusion]}
`

func TestParseFaults(t *testing.T) {
	s, err := parse("f", []byte(full), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	at := 5 * time.Second
	want := []faults.Spec{
		{
			Timing: faults.Timing{Every: &draw.Dist{Kind: draw.Exponential, Mean: 20 * time.Second}, For: draw.Fixed(2 * time.Second)},
			Fault:  &faults.Pause{OnNode: faults.OnNode{Target: faults.EachWorker}},
		},
		{
			At: &at, Optional: true, Timing: faults.Timing{For: draw.Fixed(10 * time.Second)},
			Fault: &faults.Partition{OnLink: faults.OnLink{From: "worker-1", To: "lock"}, Mode: faults.ModeDrop},
		},
		// The pause falls on the worker that comes to the point, the first time.
		{
			When:   &faults.When{Worker: "worker-1", Point: "lease-checked", Nth: 1},
			Timing: faults.Timing{For: draw.Fixed(15 * time.Second)}, Fault: &faults.Pause{},
		},
		{
			When:   &faults.When{Worker: "worker-3", Point: "write.sent", Nth: 2},
			Timing: faults.Timing{For: draw.Fixed(time.Second)}, Fault: &faults.Hold{},
		},
	}
	if diff := cmp.Diff(want, s.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	wantHold := draw.Dist{Kind: draw.Lognormal, Median: 2 * time.Millisecond, P99: 40 * time.Millisecond}
	if diff := cmp.Diff(wantHold, s.Workload.Hold); diff != "" {
		t.Errorf("hold (-want +got):\n%s", diff)
	}
}

// The nearest setting wins: the worker's, the strategy's, the scenario's, the
// strategy's own default.
func TestNearerSettingsOverrideOthers(t *testing.T) {
	s, err := parse("f", []byte(full), testCatalogue())
	if err != nil {
		t.Fatal(err)
	}
	own := lock.Params{TTL: time.Hour, Renew: time.Minute, Retry: lock.Retry{Attempts: 11, Jitter: time.Second}}
	redis, fenced := s.Strategies[0], s.Strategies[1]
	retry := lock.Retry{Attempts: lock.Unlimited, Delay: 100 * time.Millisecond, Jitter: time.Second}
	few := retry
	few.Attempts = 3
	tests := []struct {
		use    Strategy
		worker string
		want   lock.Params
	}{
		{redis, "worker-1", lock.Params{TTL: 2 * time.Second, Renew: time.Minute, Retry: retry}},
		{redis, "worker-2", lock.Params{TTL: 5 * time.Second, Renew: time.Minute, Retry: retry}},
		{fenced, "worker-1", lock.Params{TTL: 2 * time.Second, Renew: time.Minute, Retry: few}},
		{fenced, "worker-2", lock.Params{TTL: 5 * time.Second, Renew: time.Minute, Retry: few}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, s.ParamsOf(own, tt.use, tt.worker)); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", tt.use.Label, tt.worker, diff)
		}
	}
	if got := [2]string{s.ResourceOf(redis).Fence, s.ResourceOf(fenced).Fence}; got != [2]string{"off", "writes"} {
		t.Errorf("fence policies %v", got)
	}
	if got := [2]time.Duration{s.EachOf("worker-1").Start, s.EachOf("worker-2").Start}; got != [2]time.Duration{0, 50 * time.Millisecond} {
		t.Errorf("starts %v", got)
	}
	if got := s.WorkerNames(); !slices.Equal(got, []string{"worker-1", "worker-2", "worker-3"}) {
		t.Errorf("workers %v", got)
	}
}

func TestStrategiesByPattern(t *testing.T) {
	tests := []struct {
		strategies string
		want       string // name as label
	}{
		{"all", "none as none, redis as redis, redis-checked as redis-checked, redis-fenced as redis-fenced"},
		{"[redis-*]", "redis-checked as redis-checked, redis-fenced as redis-fenced"},
		{"[none, {name: 'redis-f*', label: f}]", "none as none, redis-fenced as f"},
		{"[redis, {name: redis, label: again}]", "redis as redis, redis as again"},
	}
	for _, tt := range tests {
		text := strings.Replace(minimal, "[redis]", tt.strategies, 1)
		s, err := parse("f", []byte(text), testCatalogue())
		if err != nil {
			t.Errorf("%s: %v", tt.strategies, err)
			continue
		}
		var got []string
		for _, use := range s.Strategies {
			got = append(got, use.Name+" as "+use.Label)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.strategies, got, tt.want)
		}
	}
}

func TestParseAcceptsStrategiesOfTheCaller(t *testing.T) {
	text := strings.Replace(minimal, "[redis]", "[mine]", 1) +
		"faults: [{when: {worker: worker-1, point: my-step}, pause: {for: 1s}}]\n"
	if _, err := Parse("f", []byte(text)); err == nil {
		t.Error("a strategy that nobody brought is accepted")
	}
	s, err := Parse("f", []byte(text), own("mine"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Strategies[0].Name != "mine" {
		t.Errorf("strategies %+v", s.Strategies)
	}
}

// own is a strategy of the caller's: the simplest lock there is under another name.
func own(name string) lock.Entry {
	e := Strategies()[slices.IndexFunc(Strategies(), func(e lock.Entry) bool { return e.Name == "redis" })]
	e.Name = name
	return e
}

func TestCheckOwnRefusesWhatCannotBeToldApart(t *testing.T) {
	unmade := own("mine")
	unmade.New = nil
	for _, test := range []struct {
		name string
		own  []lock.Entry
		want string // a part of the error, "" for none
	}{
		{"two names", []lock.Entry{own("mine"), own("my_other-1")}, ""},
		{"a letter of another script", []lock.Entry{own("schloß")}, ""},
		{"of the catalogue", []lock.Entry{own("redis-fenced")}, "cannot be called redis-fenced: the catalogue has a strategy of that name"},
		{"twice", []lock.Entry{own("mine"), own("mine")}, "cannot be called mine: there are two"},
		{"empty", []lock.Entry{own("")}, `"" is not a name`},
		{"a pattern", []lock.Entry{own("mine*")}, `"mine*" is not a name`},
		{"a list", []lock.Entry{own("a,b")}, `"a,b" is not a name`},
		{"with a space", []lock.Entry{own("my lock")}, `"my lock" is not a name`},
		{"a flag", []lock.Entry{own("-mine")}, `"-mine" is not a name`},
		{"too long", []lock.Entry{own(strings.Repeat("m", 65))}, "at most 64 bytes"},
		{"no function", []lock.Entry{unmade}, "no function"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := CheckOwn(test.own...)
			if got := fmt.Sprint(err); (err != nil) != (test.want != "") || !strings.Contains(got, test.want) && err != nil || strings.Contains(got, "\n") {
				t.Errorf("error %q, want %q", got, test.want)
			}
			if _, parseErr := Parse("f", []byte(minimal), test.own...); fmt.Sprint(parseErr) != fmt.Sprint(err) {
				t.Errorf("Parse says %v", parseErr)
			}
		})
	}
}

func TestSamplesAreReadBesideTheScenario(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("holds.txt", "# measured\n5ms\n\n 1s \n5ms")
	write("bad.txt", "5ms\nfive\n")
	write("negative.txt", "-5ms\n")
	write("none.txt", "# nothing\n")
	write("app.log", "hello\ngc 1 @1.0s 0%: 1.0+1.0+2.0 ms clock, 0+0/0/0+0 ms cpu\ngc 2 @4.0s 0%: 1.0+1.0+0 ms clock, 0+0/0/0+0 ms cpu\n")
	write("mixed.log", "gc 1 @1.0s 0%: 1.0+1.0+2.0 ms clock, 0+0/0/0+0 ms cpu\n5ms\n")
	write("large.txt", "")
	if err := os.Truncate(filepath.Join(dir, "large.txt"), maxSampleFile+1); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f.yaml")
	read := func(file string) (*Scenario, error) {
		text := strings.Replace(minimal, "register", "register, hold: {dist: empirical, file: "+file+"}", 1)
		write("f.yaml", text)
		return Load(path)
	}

	s, err := read("holds.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := draw.Dist{Kind: draw.Empirical, File: "holds.txt", Samples: []time.Duration{5 * time.Millisecond, time.Second, 5 * time.Millisecond}}
	alone, err := s.Standalone()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("elsewhere/f.yaml", alone); err != nil || !slices.Equal(again.Workload.Hold.Samples, want.Samples) {
		t.Errorf("the standalone text has %v (%v):\n%s", again, err, alone)
	}
	if diff := cmp.Diff(want, s.Workload.Hold); diff != "" {
		t.Errorf("hold (-want +got):\n%s", diff)
	}
	write("holds.txt", "5ms\n")
	if changed, err := read("holds.txt"); err != nil || changed.Hash == s.Hash {
		t.Errorf("other samples, and hash %s is as before; error %v", s.Hash, err)
	}

	s, err = read("app.log")
	if err != nil {
		t.Fatal(err)
	}
	from := []results.Samples{{
		Of: []string{"workload.hold"}, File: "app.log", Kind: "gctrace log of Go", Count: 4, Longest: 2 * time.Millisecond, Span: 3 * time.Second,
	}}
	if diff := cmp.Diff(from, s.Samples()); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}

	for file, want := range map[string]string{
		"bad.txt":      "3:58: workload.hold.file: " + dir + "/bad.txt:2: \"five\" is not a duration such as 150ms",
		"mixed.log":    "3:58: workload.hold.file: " + dir + "/mixed.log:2: \"5ms\" is a bare duration, and line 1 is of a gctrace log of Go: a file is one of them",
		"negative.txt": "3:58: workload.hold.file: " + dir + "/negative.txt:1: \"-5ms\" is not between 0s and ten years",
		"none.txt":     "3:58: workload.hold.file: " + dir + "/none.txt: the file has no duration, and no line of a pause log",
		"large.txt":    "3:58: workload.hold.file: " + dir + "/large.txt has 67108865 bytes, and may have at most 67108864",
		".":            "3:58: workload.hold.file: " + dir + " is a directory, and has to be a file of durations or a log",
		"absent.txt":   "3:58: workload.hold.file: stat " + dir + "/absent.txt: no such file or directory",
	} {
		if _, err := read(file); err == nil || err.Error() != path+":"+want {
			t.Errorf("%s:\ngot  %v\nwant %s:%s", file, err, path, want)
		}
	}
}

func TestLoad(t *testing.T) {
	s, err := Load("kleppmann")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "kleppmann" || s.Path != "kleppmann" {
		t.Errorf("loaded %s from %s", s.Name, s.Path)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(minimal+"sedes: 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		path:           path + `:5:1: unknown key "sedes"; did you mean "seeds"?`,
		"klepman":      `no such file, and unknown scenario "klepman"; did you mean "kleppmann"?`,
		"./klepman":    `read scenario: open ./klepman: no such file or directory`,
		"klepman.yaml": `read scenario: open klepman.yaml: no such file or directory`,
		"builtin":      `read scenario: read builtin: is a directory`,
		"":             `no such file, and unknown scenario ""; known are ` + strings.Join(Builtins()[:12], ", ") + `, ...`,
	} {
		if _, err := Load(arg); err == nil || err.Error() != want {
			t.Errorf("Load(%q):\ngot  %v\nwant %s", arg, err, want)
		}
	}
}

func TestBuiltins(t *testing.T) {
	names := Builtins()
	for _, must := range []string{"calibration-pause", "gc-pause", "kleppmann", "late-packet", "unfenced-reads"} {
		if !slices.Contains(names, must) {
			t.Errorf("%s is missing among %v", must, names)
		}
	}
	for _, name := range names {
		s, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name {
			t.Errorf("%s.yaml calls itself %s", name, s.Name)
		}
		if len(s.Expect) == 0 && !s.Claims || s.Description == "" {
			t.Errorf("%s expects nothing or describes nothing", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(full))
	for _, name := range Builtins() {
		data, _ := builtin(name)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Parse("nowhere/f", data)
		if err == nil {
			return
		}
		e, ok := errors.AsType[*strictyaml.Error](err)
		if !ok {
			t.Fatalf("no position: %v", err)
		}
		if e.Line < 1 || e.Column < 1 || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("not one line with a position: %q", err)
		}
	})
}

func TestErrorsOfAScenario(t *testing.T) {
	long := strings.Repeat("x", 65)
	tests := []struct {
		name, old, new string // the scenario full, with old replaced by new
		want           string
	}{
		{"no name", "name: full\n", "", `1:1: name is missing`},
		{"bad name", "name: full", "name: Full Stop", `1:7: name must be up to 64 small letters, digits and dashes, not "Full Stop"`},
		{"dash first", "name: full", "name: -full", `1:7: name must be up to 64 small letters, digits and dashes, not "-full"`},
		{"long name", "name: full", "name: " + long, `1:7: name must be up to 64 small letters, digits and dashes, not "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`},
		{"no duration", "duration: 60s\n", "", `1:1: duration is missing`},
		{"no workload", "workload: {kind: counter, hold: {dist: lognormal, median: 2ms, p99: 40ms}}\n", "", `1:1: workload is missing`},
		{"no kind of workload", "kind: counter, ", "", `4:11: workload.kind is missing`},
		{"no strategies", "strategies:\n", "strategies: []\nx:\n", `7:1: unknown key "x"; known are name, description, source, duration, seeds, workers, processes, resources, sections, step, wake, wake-lag, ...`},
		{"empty strategies", strategiesOfFull(), "strategies: []\n", `6:13: strategies must name at least one`},
		{"word for strategies", strategiesOfFull(), "strategies: redis\n", `6:13: strategies must be a list of strategies, all, or sound, not "redis"`},
		{"missing strategies", strategiesOfFull(), "", `1:1: strategies is missing`},

		{"unknown key", "workers: 3", "wrokers: 3", `3:1: unknown key "wrokers"; did you mean "workers"?`},
		{"no workers", "workers: 3", "workers: 0", `3:10: workers must be between 1 and 100000, and is 0`},
		{"too many workers", "workers: 3", "workers: 100001", `3:10: workers must be between 1 and 100000, and is 100001`},
		{"no seeds", "workers: 3", "workers: 3\nseeds: 0", `4:8: seeds must be between 1 and 1000000000, and is 0`},
		{"no resources", "workers: 3", "workers: 3\nresources: -1", `4:12: resources must be between 1 and 100000, and is -1`},
		{"negative sections", "workers: 3", "workers: 3\nsections: -1", `4:11: sections must be between 0 and 1000000000, and is -1`},
		{"no time", "duration: 60s", "duration: 0s", `2:11: duration must be between 1ms and 87600h0m0s, and is 0s`},
		{"no unit", "duration: 60s", "duration: 60", `2:11: duration needs a unit: write 60ms or 60s`},
		{"unknown data of a crash", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, crash: {target: lock, data: kep, for: 2s}}", `11:42: unknown data "kep"; did you mean "kept"?`},
		{"unknown error of a server", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, answer-errors: {target: lock, with: LODING, for: 2s}}", `11:50: unknown error "LODING"; did you mean "LOADING"?`},
		{"days", "duration: 60s", "duration: 1d", `2:11: duration must be a duration like 150ms or 1m30s, not "1d"; the units are ns, us, ms, s, m and h, without a space`},
		{"far too much time", "duration: 60s", "duration: 9999999h", `2:11: duration is too long: a duration is at most 87600h0m0s, not "9999999h"`},
		{"a tab", "workers: 3", "workers:\n\t3", `4:1: a tab indents this line, and YAML takes spaces only`},
		{"too large a number", "workers: 3", "workers: 99999999999999999999", `3:10: workers is too large a number: "99999999999999999999"`},
		{"answers from the future", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, stale: {target: lock, by: -5s, for: 2s}}", `11:40: faults[0].stale.by: must be more than 0s, and is -5s: how old the answers are, such as 2s`},
		{"task far from all", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, stall: {target: worker-1, task: heartbeat, for: 2s}}", `11:46: unknown task "heartbeat"; known are renewal, expiry, reaper, request, guard, cleanup, campaign, main`},
		{"task that no lock has", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, stall: {target: worker-1, task: renewels, for: 2s}}", `11:46: unknown task "renewels"; did you mean "renewal"?`},
		{"pause of a server that is not there", "target: each worker", "target: lock-3", `11:21: faults[0].pause.target: there is no server lock-3; the servers are lock, resource`},
		{"too much time", "duration: 60s", "duration: 100000h", `2:11: duration must be between 1ms and 87600h0m0s, and is 100000h0m0s`},
		{"negative step", "workers: 3", "workers: 3\nstep: -1us", `4:7: step must be between 0s and 87600h0m0s, and is -1µs`},
		{"negative wake-lag", "workers: 3", "workers: 3\nwake-lag: -1us", `4:11: wake-lag must not be negative, and is -1µs`},
		{"unknown wake", "workers: 3", "workers: 3\nwake: deadline-first", `4:7: unknown order of waking "deadline-first"; did you mean "deadlines-first"?`},

		{"unknown workload", "kind: counter", "kind: conter", `4:18: unknown workload "conter"; did you mean "counter"?`},
		{"negative hold", "hold: {dist: lognormal, median: 2ms, p99: 40ms}", "hold: -2ms", `4:33: workload.hold must not be negative, and is -2ms`},
		{"number for hold", "hold: {dist: lognormal, median: 2ms, p99: 40ms}", "hold: 2", `4:33: workload.hold needs a unit: write 2ms or 2s`},
		{"no distribution", "dist: lognormal, ", "", `4:33: workload.hold.dist is missing; known are constant, uniform, exponential, lognormal, pareto, empirical`},
		{"unknown distribution", "dist: lognormal", "dist: log-normal", `4:40: unknown distribution "log-normal"; did you mean "lognormal"?`},
		{"parameter of another distribution", "median: 2ms", "mean: 2ms", `4:57: workload.hold.mean: a distribution of the kind lognormal has none`},
		{"missing parameter", ", p99: 40ms", "", `4:33: workload.hold: p99: a distribution of the kind lognormal needs one above 0s`},
		{"p99 below the median", "p99: 40ms", "p99: 1ms", `4:69: workload.hold.p99: 1ms is not longer than median, 2ms`},
		{"unknown parameter", "median: 2ms", "medain: 2ms", `4:51: unknown key "medain"; did you mean "median"?`},
		{"no file", "dist: lognormal, median: 2ms, p99: 40ms", "dist: empirical", `4:33: workload.hold: samples: an empirical distribution needs at least one duration, here or in a file`},

		{"a fence that wants tokens", "workers: 3", "workers: 3\nresource: {fence: writes}", `8:5: redis hands out no token, and a resource with the fence "writes" refuses everything without one`},

		{"no TTL", "lock: {ttl: 2s", "lock: {ttl: 0s", `5:13: lock.ttl must be between 1ms and 87600h0m0s, and is 0s`},
		{"negative TTL of a strategy", "lock: {retry: {attempts: 3}}", "lock: {ttl: -2s}", `8:53: strategies[1].lock.ttl must be between 1ms and 87600h0m0s, and is -2s`},
		{"TTL of a worker", "lock: {ttl: 5s}", "lock: {ttl: 5us}", `9:52: each[0].lock.ttl must be between 1ms and 87600h0m0s, and is 5µs`},
		{"negative delay", "delay: 100ms", "delay: -100ms", `5:53: lock.retry.delay must be between 0s and 87600h0m0s, and is -100ms`},
		{"negative jitter", "delay: 100ms", "jitter: -100ms", `5:54: lock.retry.jitter must be between 0s and 87600h0m0s, and is -100ms`},
		{"negative renewal", "lock: {ttl: 2s", "lock: {renew: -2s", `5:15: lock.renew must be between 0s and 87600h0m0s, and is -2s`},
		{"negative max-hold", "lock: {ttl: 2s", "lock: {max-hold: -2s", `5:18: lock.max-hold must be between 0s and 87600h0m0s, and is -2s`},
		{"no attempts", "attempts: unlimited", "attempts: 0", `5:35: lock.retry.attempts must be a number of attempts, from 1, or unlimited, not the number 0`},
		{"negative attempts", "attempts: unlimited", "attempts: -1", `5:35: lock.retry.attempts must be a number of attempts, from 1, or unlimited, not the number -1`},
		{"word for attempts", "attempts: unlimited", "attempts: endless", `5:35: lock.retry.attempts must be a number of attempts, from 1, or unlimited, not "endless"`},
		{"no connections", "workers: 3", "workers: 3\nclient: {pool-size: 0}", `4:21: client.pool-size must be between 1 and 10000, and is 0`},
		{"negative resends", "workers: 3", "workers: 3\nclient: {max-retries: -1}", `4:23: client.max-retries must be between 0 and 1000, and is -1`},
		{"no read timeout", "workers: 3", "workers: 3\nclient: {read-timeout: 0s}", `4:24: client.read-timeout must be between 1ms and 87600h0m0s, and is 0s`},
		{"no dial timeout", "workers: 3", "workers: 3\nclient: {dial-timeout: 0s}", `4:24: client.dial-timeout must be between 1ms and 87600h0m0s, and is 0s`},
		{"no pool timeout", "workers: 3", "workers: 3\nclient: {pool-timeout: 1us}", `4:24: client.pool-timeout must be between 1ms and 87600h0m0s, and is 1µs`},
		{"negative pause of a strategy", "lock: {retry: {attempts: 3}}", "client: {min-retry-backoff: -1s}", `8:69: strategies[1].client.min-retry-backoff must be between 0s and 87600h0m0s, and is -1s`},
		{"negative pause of a worker", "lock: {ttl: 5s}", "client: {max-retry-backoff: -1s}", `9:68: each[0].client.max-retry-backoff must be between 0s and 87600h0m0s, and is -1s`},
		{"word for a yes or no", "workers: 3", "workers: 3\nclient: {context-timeout: always}", `4:27: client.context-timeout must be true or false, not "always"`},
		{"unknown setting of a client", "workers: 3", "workers: 3\nclient: {max-retrys: 3}", `4:10: unknown key "max-retrys"; did you mean "max-retries"?`},
		{"unknown parameter of a lock", "delay: 100ms", "dealy: 100ms", `5:46: unknown key "dealy"; did you mean "delay"?`},
		{"negative latency", "workers: 3", "workers: 3\nnetwork: {latency: -1ms}", `4:20: network.latency must not be negative, and is -1ms`},

		{"unknown strategy", "- redis\n", "- reddis\n", `7:5: unknown strategy "reddis"; did you mean "redis"?`},
		{"nothing like a strategy", "name: redis-fenced", "name: zookeeper", `8:12: unknown strategy "zookeeper"; known are none, redis, redis-checked, redis-fenced, redislock, redis-py, python-redis-lock, redisson, shedlock-redis, spring-integration, symfony-lock, laravel-lock, ...; if it is a strategy of your own, run the program that has it (see docs/your-own-lock.md)`},
		{"strategy without a name", "name: redis-fenced, ", "", `8:5: strategies[1].name is missing`},
		{"pattern that matches nothing", "- redis\n", "- zoo*\n", `7:5: no strategy matches "zoo*"; known are none, redis, redis-checked, redis-fenced`},
		{"broken pattern", "- redis\n", "- \"redis[\"\n", `7:5: "redis[" is no pattern: syntax error in pattern`},
		{"label for many", "name: redis-fenced", "name: redis*", `8:27: fenced cannot be a label of 3 strategies`},
		{"label twice", "label: fenced", "label: redis", `8:33: the label "redis" is that of line 7 already; give one of them another label`},
		{"strategy twice", "- redis\n", "- redis\n  - redis\n", `8:5: the label "redis" is that of line 7 already; give one of them another label`},
		{"pattern and name", "- redis\n", "- redis\n  - redis*\n", `8:5: the label "redis" is that of line 7 already; give one of them another label`},
		{"empty label", "label: fenced", "label: ''", `8:33: strategies[1].label must be one short line without space around it`},
		{"label of two lines", "label: fenced", "label: \"a\\nb\"", `8:33: strategies[1].label must be one short line without space around it`},
		{"label with space around", "label: fenced", "label: 'a '", `8:33: strategies[1].label must be one short line without space around it`},
		{"unknown fence policy", "fence: writes", "fence: write", `8:89: unknown fence policy "write"; did you mean "writes"?`},
		{"unknown fence policy for all", "workers: 3", "workers: 3\nresource: {fence: readwrites}", `4:19: unknown fence policy "readwrites"; did you mean "reads-writes"?`},

		{"unknown worker", "worker: worker-2", "worker: worker-4", `9:17: each[0].worker: there is no worker-4; the last worker is worker-3`},
		{"not a worker", "worker: worker-2", "worker: wroker-2", `9:17: each[0].worker: unknown worker "wroker-2"; did you mean "worker-2"?`},
		{"no worker", "worker: worker-2, ", "", `9:8: each[0].worker is missing`},
		{"worker twice", "each: [", "each: [{worker: worker-2}, ", `9:37: worker-2 is in each twice`},
		{"negative start", "start: 50ms", "start: -50ms", `9:34: each[0].start must be between 0s and 1m0s, and is -50ms`},
		{"start after the end", "start: 50ms", "start: 61s", `9:34: each[0].start must be between 0s and 1m0s, and is 1m1s`},

		{"fault that is a word", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- pause", `11:5: faults[0] must be a map such as pause: {...}, not "pause"`},
		{"unknown kind of fault", "- pause:", "- puase:", `11:5: unknown key "puase"; did you mean "pause"?`},
		{"crash that keeps a worker's data", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, crash: {target: worker-1, for: 2s, data: kept}}", `11:55: faults[0].crash.data: a worker keeps no data`},
		{"failover that lasts", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, failover: {for: 2s}}", `11:25: unknown parameter of failover "for"; known are target, every`},
		{"error that the servers do not have", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, answer-errors: {target: lock, with: THROTTLED, for: 2s}}", `11:50: faults[0].answer-errors.with: servers of redis do not answer with THROTTLED; they answer with READONLY, LOADING, OOM, MISCONF, CLUSTERDOWN`},
		{"leader of servers that have none", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, leader-change: {}}", `11:14: faults[0].leader-change: servers of redis know no such fault`},
		{"server that is not there", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, overload: {target: lock-2, service: 1s, for: 2s}}", `11:33: unknown server "lock-2"; did you mean "lock"?`},
		{"too much loss", "- pause: {target: each worker, every: {dist: exponential, mean: 20s}, for: 2s}", "- {at: 1s, loss: {from: worker-1, to: lock, percent: 101, for: 2s}}", `11:56: faults[0].loss.percent: must be from 1 to 100, and is 101`},
		{"unknown persistence", "workers: 3", "workers: 3\nservers: {persistence: allways}", `4:24: unknown persistence "allways"; did you mean "always"?`},
		{"no servers", "workers: 3", "workers: 3\nservers: {nodes: 0}", `4:18: servers.nodes must be between 1 and 99, and is 0`},
		{"unknown setting of the servers", "workers: 3", "workers: 3\nservers: {lagg: 1s}", `4:11: unknown key "lagg"; did you mean "lag"?`},
		{"no kind of fault", ", partition: {from: worker-1, to: lock, for: 10s, mode: drop}", "", `12:5: faults[1] has no kind of fault; known are pause, stall, suspend, crash, clock-step, clock-rate, overrun, cancel, hold, drop, duplicate, reorder, error, partition, reset, latency, loss, overload, failover, leader-change, delete, evict, stale, answer-errors`},
		{"two kinds of fault", "optional: true", "pause: {for: 1s}", `12:75: faults[1] is a partition already; write an entry for each fault`},
		{"parameter of another fault", "pause: {for: 15s}", "pause: {for: 15s, mode: drop}", `13:72: unknown parameter of pause "mode"; known are target, every, for`},
		{"moment among the parameters", "pause: {for: 15s}", "pause: {for: 15s, at: 2s}", `13:72: at is not a parameter of pause: write it beside pause, as in {at: ..., pause: {...}}`},
		{"unknown parameter of a fault", "target: each worker", "traget: each worker", `11:13: unknown parameter of pause "traget"; did you mean "target"?`},
		{"pause without a target", "target: each worker, ", "", `11:12: faults[0].pause.target is missing`},
		{"unknown target", "target: each worker", "target: each wroker", `11:21: faults[0].pause.target: unknown worker or server "each wroker"; did you mean "each worker"?`},
		{"target that is not there", "target: each worker", "target: worker-9", `11:21: faults[0].pause.target: there is no worker-9; the last worker is worker-3`},
		{"no moment", "at: 5s, ", "", `12:5: faults[1].at is missing: a partition needs at or when beside it, or every in it`},
		{"two moments", "at: 5s, ", "at: 5s, when: {worker: worker-1, point: acquired}, ", `12:20: faults[1].when is set beside at, only one of them can be`},
		{"moment after the end", "at: 5s", "at: 60s", `12:10: faults[1].at: 1m0s is not before the end of the run, 1m0s`},
		{"negative moment", "at: 5s", "at: -5s", `12:10: faults[1].at: -5s is negative`},
		{"no length", "pause: {for: 15s}", "pause: {}", `13:61: faults[2].pause.for is missing`},
		{"negative length", "pause: {for: 15s}", "pause: {for: -15s}", `13:67: faults[2].pause.for must not be negative, and is -15s`},
		{"length of nothing", "pause: {for: 15s}", "pause: {for: 0s}", `13:67: faults[2].pause.for: must be longer than 0s`},
		{"endless repeats", "every: {dist: exponential, mean: 20s}, for: 2s", "every: 1ns, for: 1ns", `11:41: faults[0].pause.every: too short, the fault would fall more than 100000 times in 1m0s`},

		{"unknown point", "point: lease-checked", "point: lease-chekced", `13:38: unknown point "lease-chekced"; did you mean "lease-checked"?`},
		{"no point", ", point: lease-checked", "", `13:12: faults[2].when.point is missing`},
		{"no worker at the point", "worker: worker-1, point: lease-checked", "point: lease-checked", `13:12: faults[2].when.worker is missing`},
		{"unknown worker at the point", "worker: worker-1, point", "worker: worker-0, point", `13:21: faults[2].when.worker: there is no worker-0; the last worker is worker-3`},
		{"zeroth time", "nth: 2", "nth: 0", `14:55: faults[3].when.nth must be at least 1, and is 0`},
		{"hold at a point that is no message", "point: write.sent", "point: acquired", `14:38: faults[3].when.point: no message is sent at "acquired": a hold needs a point such as acquire.sent or acquire.replied`},

		{"partition between two workers", "to: lock", "to: worker-2", `12:46: faults[1].partition.to: two workers have no link; one end must be lock or resource`},
		{"partition between all workers", "from: worker-1, to: lock", "from: each worker, to: each worker", `12:49: faults[1].partition.to: two workers have no link; one end must be lock or resource`},
		{"partition between two servers", "from: worker-1", "from: resource", `12:46: faults[1].partition.to: the lock and the resource have no link; one end must be a worker or each worker`},
		{"partition from nobody", "from: worker-1, ", "", `12:25: faults[1].partition.from is missing`},
		{"partition to nobody", "to: lock", "to: locks", `12:46: faults[1].partition.to: unknown worker or server "locks"; did you mean "lock"?`},
		{"unknown mode", "mode: drop", "mode: dorp", `12:68: unknown mode "dorp"; did you mean "drop"?`},

		{"unknown check", "checks: [linearizable", "checks: [linearisable", `15:10: unknown check "linearisable"; did you mean "linearizable"?`},
		{"no checks", "checks: [linearizable, lost-update, exclusion]", "checks: []", `15:9: checks must name at least one; without checks, all are made`},
		{"check twice", "checks: [linearizable", "checks: [exclusion", `15:34: the check exclusion is here twice`},
		{"check of another workload", "kind: counter", "kind: register", `15:24: the check lost-update cannot judge the workload register`},
		{"expectation of nobody", "  fenced: {holds", "  fensed: {holds", `18:3: unknown label "fensed"; did you mean "fenced"?`},
		{"expectation of the name, not the label", "  fenced: {holds", "  redis-fenced: {holds", `18:3: unknown label "redis-fenced"; known are redis, fenced`},
		{"expectation of nothing", "redis: {violates: [lost-update]}", "redis: {}", `17:10: expect.redis names no check in holds or violates, and no bound such as finished: ">= 95 %"`},
		{"expected check that is not made", "holds: [lost-update", "holds: [belief", `18:20: belief is not among the scenario's checks: linearizable, lost-update, exclusion`},
		{"expected check that does not exist", "violates: [lost-update", "violates: [lost-updates", `17:22: unknown check "lost-updates"; did you mean "lost-update"?`},
		{"expected both ways", "{violates: [lost-update]}", "{violates: [lost-update], holds: [lost-update]}", `17:22: lost-update cannot both hold and be violated`},
		{"expected twice", "holds: [lost-update, exclusion]", "holds: [exclusion, exclusion]", `18:31: exclusion is here twice`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(full, tt.old) {
				t.Fatalf("the scenario does not hold %q", tt.old)
			}
			text := strings.Replace(full, tt.old, tt.new, 1)
			_, err := parse("dir/f.yaml", []byte(text), testCatalogue())
			if diff := cmp.Diff("dir/f.yaml:"+tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// strategiesOfFull is the part of full that names the strategies.
func strategiesOfFull() string {
	begin, end := strings.Index(full, "strategies:"), strings.Index(full, "each:")
	return full[begin:end]
}
