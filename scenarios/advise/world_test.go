package advise

import (
	"slices"
	"strings"
	"testing"
)

// Worked out by hand: four jobs of 10m are a run of 40m, in which each fault comes four times and a pause eight
// times; a lease of 30s is cut off for up to twice as long.
func TestWhatNoInputSaysIsListedAsAssumed(t *testing.T) {
	in := inputs(t, asked())
	got := in.assumptions(".")
	for _, want := range []string{
		"--looks never",
		"--fence no",
		"latency: median 5ms, a tenth of the p99",
		"2 workers; each begins its next job 10s after the last",
		"a worker that is refused asks again every 4s until it has the lock (lock: retry)",
		"pauses: of each worker about every 5m",
		"crashes: of each worker about every 10m, for up to 2m",
		"cut-off: each worker about every 10m, for up to 1m",
		"lost-replies: to each worker about every 10m, for up to 5s",
		"late-writes: from each worker about every 5m, for 2m; a packet is late by p50 500ms, p99 10s",
		"failover: about every 10m",
		"failover-after-grant: one in each run, right after the first grant of worker-1",
		"server-restart: about every 10m, for up to 5s",
		"the replica takes over 10s after the crash; a write reaches it within the latency of a message (servers: failover, lag)",
		"a Redis server keeps nothing through a crash (servers: persistence)",
		"a step of a worker takes 10µs (step)",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the list has no %q:\n%s", want, strings.Join(got, "\n"))
		}
	}
	text := in.text("advice.yaml", "lockquake")
	for _, line := range got {
		if !strings.Contains(text, "#   "+line+"\n") {
			t.Errorf("the scenario does not say %q", line)
		}
	}
}

// An input that gives the frequency of pauses leaves no assumption about it. With a database, no assumption
// is about Redis or replicas.
func TestWhatAnInputSaysIsNotAssumed(t *testing.T) {
	in := inputs(t, map[string]string{"topology": "database", "pauses": "up to 3s, every 1m"})
	for _, line := range in.assumptions(".") {
		for _, no := range []string{"--topology", "--pauses", "pauses:", "Redis", "replica"} {
			if strings.Contains(line, no) {
				t.Errorf("%q is assumed", line)
			}
		}
	}
}

// An answer begins with the causes that the user named: here the pauses and the servers.
func TestTheCausesThatAnInputNamesAreKnown(t *testing.T) {
	in := inputs(t, asked())
	var named []string
	for _, c := range in.causes(".") {
		if in.asked(c) {
			named = append(named, c.name)
		}
	}
	if got, want := strings.Join(named, " "), "pauses failover failover-after-grant"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	in = inputs(t, nil)
	if slices.ContainsFunc(in.causes("."), in.asked) {
		t.Error("a cause is asked about, although nothing was given")
	}
}

func TestACommandQuotesThePathOfTheScenario(t *testing.T) {
	a, err := newAdviser(Request{Inputs: inputs(t, nil), Path: "/tmp/my lock.yaml", Program: "lockquake"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.command(a.scenario, "yours under cut-off", 4), "lockquake run '/tmp/my lock.yaml' --strategy 'yours under cut-off' --seeds 1-4 --no-report"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := string(a.scenario.Text); !strings.Contains(text, "#   lockquake run '/tmp/my lock.yaml'\n") {
		t.Error(text)
	}
}

// A run of 4 jobs of 5h has 20h/10s renewals and 20h/6s attempts, which are 19,200. Jobs of 6h make them 23,040.
func TestInputsOfRunsThatAreTooLongHaveNoAnswer(t *testing.T) {
	for work, fits := range map[string]bool{"1s": true, "5h": true, "6h": false, "400h": false} {
		in := inputs(t, map[string]string{"ttl": "30s", "renew": "10s", "work": work})
		if err := in.Fits(); (err == nil) != fits {
			t.Errorf("work of %s: %v", work, err)
		}
	}
	for _, known := range topologies() {
		in := inputs(t, map[string]string{"topology": string(known.name)})
		if err := in.Fits(); err != nil {
			t.Errorf("the usual lock of %s: %v", known.name, err)
		}
	}
}
