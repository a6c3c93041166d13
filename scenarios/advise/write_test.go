package advise

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios"
	"lockquake/sim/resource"
)

// A reader can run each of them, and no setting defeats another one. A lease that is not renewed
// warns if it is shorter than the work, which is one of the questions.
func TestTheScenarioOfEveryCombinationIsValid(t *testing.T) {
	seen := map[string]bool{}
	for _, topology := range topologies() {
		for _, renew := range []string{"none", "watchdog", "10s"} {
			for _, fence := range []string{"no", "writes", "reads-writes"} {
				given := map[string]string{"topology": string(topology.name), "renew": renew, "fence": fence, "ttl": "30s", "work": "p50 1s, p99 20s"}
				in := inputs(t, given)
				text := in.text("advice.yaml", "lockquake")
				if seen[text] {
					continue // the lock has no choice of it
				}
				seen[text] = true
				s, err := in.Scenario("advice.yaml", "lockquake")
				if err != nil {
					t.Errorf("%v: %v", given, err)
					continue
				}
				for _, w := range s.Warnings {
					t.Errorf("%v: %v", given, w)
				}
				tellsPairs(t, &in, s)
			}
		}
	}
}

// tellsPairs compares the pairs that are run with the uses of the scenario.
func tellsPairs(t *testing.T, in *Inputs, s *scenarios.Scenario) {
	t.Helper()
	for _, p := range in.pairs(".") {
		if !slices.ContainsFunc(s.Strategies, func(u scenarios.Strategy) bool { return u.Label == p.label() }) {
			t.Errorf("the scenario has no %s", p.label())
		}
	}
}

// The interval of renewal that is given is that of the lock in question. Etcd renews a lease of 10s every 3.33s,
// whatever the interval of a Redis lock is.
func TestAnotherLockRenewsAtItsUsualShareOfTheLease(t *testing.T) {
	for _, test := range []struct {
		topology, lock, label string
		want                  time.Duration
	}{
		{"one", "redis", "yours", 10 * time.Second},
		{"one", "redis", "yours+clock", 10 * time.Second},
		{"one", "redis", "etcd-unfenced", 10 * time.Second / 3},
		{"one", "redis", "redlock-extend", 0}, // half of the validity that is left
		{"database", "pg-lease-row", "yours+token", 10 * time.Second},
	} {
		given := map[string]string{"topology": test.topology, "lock": test.lock, "ttl": "10s", "renew": "10s"}
		in := inputs(t, given)
		s, err := in.Scenario("advice.yaml", "lockquake")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(s.Strategies, func(u scenarios.Strategy) bool { return u.Label == test.label+" under no-fault" })
		if i < 0 {
			t.Errorf("%v: there is no %s", given, test.label)
			continue
		}
		e, _ := in.entry(s.Strategies[i].Name)
		p := s.ParamsOf(e.Defaults, s.Strategies[i], "")
		if got := p.RenewPeriod(); test.want > 0 && got != test.want || test.want == 0 && p.Renew != 0 {
			t.Errorf("%v: %s renews its lease of %v every %v (renew: %v), want %v", given, test.label, p.TTL, got, p.Renew, test.want)
		}
	}
}

// Without an input about fencing one neighbour has a token, and the answer has to say what it needs.
func TestEachLockHasANeighbourWithAFencingToken(t *testing.T) {
	for lock, want := range map[string]string{
		"redis": "yours+token", "redlock": "redis-fenced", "pg-advisory-session": "pg-lease-row-fenced", "pg-lease-row": "yours+token",
		"etcd": "yours+token", "etcd-unfenced": "yours+token", "kube-lease": "yours+token",
	} {
		in := inputs(t, map[string]string{"lock": lock})
		var needs []string
		for _, c := range in.candidates() {
			if need := in.needs(c); need != "" {
				needs = append(needs, c.label+" "+need)
			}
		}
		if got := strings.Join(needs, ", "); got != want+" --fence reads-writes" {
			t.Errorf("%s: %s, want %s", lock, got, want)
		}
	}
	in := inputs(t, map[string]string{"lock": "redis", "fence": "writes"})
	for _, c := range in.candidates() {
		if need := in.needs(c); need != "" {
			t.Errorf("%s needs %s, which is given", c.label, need)
		}
	}
}

// A fencing token whose resource checks nothing protects nothing, so a lock claims nothing with it.
func TestAFencedLockClaimsNothingWithoutTheCheckOfItsTokens(t *testing.T) {
	in := inputs(t, map[string]string{"lock": "redis"})
	fenced := candidate{strategy: "redis-fenced", fence: resource.ReadsWrites}
	if in.claimed(fenced) == 0 {
		t.Error("it claims nothing")
	}
	fenced.fence = resource.Writes
	if n := in.claimed(fenced); n != 0 {
		t.Errorf("it claims to survive %d classes", n)
	}
}

// The file judges the lock in question alone, under the causes that can hit it.
func TestTheScenarioExpectsSomethingOfTheLockInQuestionOnly(t *testing.T) {
	in := inputs(t, asked())
	s, err := in.Scenario("advice.yaml", "lockquake")
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, label := range slices.Sorted(maps.Keys(s.Expect)) {
		labels = append(labels, strings.TrimPrefix(label, "yours under "))
	}
	want := "crashes cut-off failover failover-after-grant late-writes lost-replies no-fault pauses"
	if got := strings.Join(labels, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEverySoundLockWithOneHolderHasAScenario(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a file for each lock")
	}
	seen := 0
	for _, e := range scenarios.Strategies() {
		if !excludes(e) || e.Flawed {
			continue
		}
		seen++
		in := inputs(t, map[string]string{"lock": e.Name})
		if _, err := in.Scenario("advice.yaml", "lockquake"); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if seen < 20 {
		t.Errorf("only %d locks", seen)
	}
}

// The run is long enough for several jobs, leases and faults.
func TestTheTimesFollowFromTheInputs(t *testing.T) {
	for _, test := range []struct {
		given map[string]string
		want  string
	}{
		{map[string]string{"work": "10m", "ttl": "30s", "topology": "failover"}, "40m: retry 4s, pauses 5m, faults 10m"},
		{map[string]string{"work": "5ms", "ttl": "2s", "pauses": "10ms"}, "1m: retry 100ms, pauses 7.5s, faults 15s"},
		{map[string]string{"work": "1s", "ttl": "30s", "pauses": "up to 3s, every 10m"}, "20m: retry 2s, pauses 10m, faults 5m"},
		{map[string]string{"work": "20h", "ttl": "30s"}, "80h: retry 6s, pauses 10h, faults 20h"},
	} {
		in := inputs(t, test.given)
		w := in.world()
		got := brief(w.duration) + ": retry " + brief(w.retry) + ", pauses " + brief(w.pauses) + ", faults " + brief(w.faults)
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.given, got, test.want)
		}
	}
}

func TestAFileThatWasChangedIsNotUntouched(t *testing.T) {
	in := inputs(t, nil)
	s, err := in.Scenario("advice.yaml", "lockquake")
	if err != nil {
		t.Fatal(err)
	}
	if !Untouched(s.Text) {
		t.Error("what was written is not recognised")
	}
	for _, changed := range [][]byte{nil, []byte("name: x\n"), append(bytes.Clone(s.Text), '\n'), bytes.Replace(s.Text, []byte("30s"), []byte("31s"), 1)} {
		if Untouched(changed) {
			t.Errorf("%.60q counts as untouched", changed)
		}
	}
	if !strings.Contains(string(s.Text), "# a process stops") {
		t.Error("the file has no comments")
	}
}
