package campaign_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// matrix is redis-matrix with one lock, under the classes of faults under which
// it claims service.
func matrix(t *testing.T, e lock.Entry) *scenarios.Scenario {
	t.Helper()
	builtin, err := scenarios.Load("redis-matrix")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)strategies:\n.*?\n\n`).ReplaceAllString(string(builtin.Text), "strategies: ["+e.Name+"]\n\n")
	text = strings.Replace(text, "duration: 20s", "duration: 10s", 1)
	var lines []string
	for line := range strings.Lines(text) {
		class := regexp.MustCompile(`class: (\w)`).FindStringSubmatch(line)
		if class == nil || slices.Contains(e.Claims.Service, lock.Class(class[1])) {
			lines = append(lines, line)
		}
	}
	s, err := scenarios.Parse("matrix.yaml", []byte(strings.Join(lines, "")), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// claiming is an entry that claims what the standard recipe does.
func claiming(e lock.Entry) lock.Entry {
	e.Claims = lock.Claims{
		Corruption: []lock.Class{lock.ClassUnknown, lock.ClassCrash},
		Service:    []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash},
	}
	return e
}

// A lock whose records are not one plain string is judged by what they say of its
// holders, and is accused of nothing where it claims to hold.
func TestSoundLocksOfOtherRecordsAreNotAccused(t *testing.T) {
	for _, family := range []func(flawed bool) lock.Entry{
		hashRecord, keptRecord, stampedRecord, fairQueue, electionRecord, refillingQuorum,
	} {
		e := claiming(family(false))
		t.Run(e.Name, func(t *testing.T) {
			accuseNothing(t, matrix(t, e), 2)
		})
	}
}

// accuseNothing runs a scenario and lets nothing be violated that is expected to
// hold, nor be left unjudged.
func accuseNothing(t *testing.T, s *scenarios.Scenario, seeds uint64) {
	t.Helper()
	c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: seeds}})
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, st := range c.Strategies {
		if st.Unread != "" {
			t.Errorf("%s: nobody can read its holders: %s", st.Label, st.Unread)
		}
		if st.Expects == nil {
			continue
		}
		for _, check := range st.Expects.Holds {
			switch stats := st.Checks[check]; {
			case stats.Violating > 0:
				t.Errorf("%s: %s is violated in %d runs, first with %s", st.Label, check, stats.Violating, stats.Replay)
			case stats.Applies:
				held++
			}
		}
		if !st.Checks["ownership"].Applies || !st.Checks["recovery"].Applies {
			t.Errorf("%s: ownership and recovery had nothing to judge", st.Label)
		}
	}
	if held == 0 {
		t.Error("nothing was judged")
	}
}

// The same locks with a flaw are caught by the check that the flaw is the affair of.
func TestFlawedLocksOfOtherRecordsAreCaught(t *testing.T) {
	for _, tt := range []struct {
		family             func(flawed bool) lock.Entry
		under, check, says string
	}{
		{hashRecord, "pause", "ownership", "freed another's"},
		{keptRecord, "pause", "ownership", "freed another's"},
		{stampedRecord, "pause", "ownership", "freed another's"},
		{fairQueue, "crash", "recovery", "ghost"},
		{electionRecord, "latency", "ownership", "freed another's"},
	} {
		e := claiming(tt.family(true))
		t.Run(e.Name, func(t *testing.T) {
			s := matrix(t, e)
			for seed := range uint64(10) {
				trial, err := run.Once(s, run.Request{Label: e.Name + " under " + tt.under, Seed: seed + 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range trial.Results {
					if r.Check == tt.check && r.Verdict == checker.Invalid && strings.Contains(r.Findings[0].Text, tt.says) {
						return
					}
				}
			}
			t.Errorf("no run under %s violates %s with %q", tt.under, tt.check, tt.says)
		})
	}
}

// A server that has lost its data is told of the lock again while a quorum still
// holds it. That is no loss, though of the first grants fewer than a quorum are left. A
// lock that takes the server from a worker that got it meanwhile is caught.
func TestAQuorumThatIsRefilledIsNotLost(t *testing.T) {
	text := `
name: refilled
duration: 20s
seeds: 1
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 500ms, max: 1500ms}, think: 50ms}
lock: {ttl: 2s}
strategies: [refilling-quorum]
expect:
  refilling-quorum: {holds: [lost-update, exclusion, told, recovery, errors, ownership, progress]}
faults:
`
	for i := range 15 {
		text += fmt.Sprintf("  - {at: %dms, optional: true, crash: {target: lock-%d, data: lost, for: 10ms}}\n", 1000+1200*i, i%3+1)
	}
	for _, flawed := range []bool{false, true} {
		t.Run(fmt.Sprintf("flawed %v", flawed), func(t *testing.T) {
			s, err := scenarios.Parse("refilled.yaml", []byte(text), refillingQuorum(flawed))
			if err != nil {
				t.Fatal(err)
			}
			if !flawed {
				accuseNothing(t, s, 10)
				return
			}
			c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 10}})
			if err != nil {
				t.Fatal(err)
			}
			if stats := c.Strategies[0].Checks["ownership"]; stats.Violating == 0 {
				t.Error("ownership does not see that it takes a server from others")
			}
		})
	}
}

// The holders of permits exclude a worker only when no permit is left.
func TestSharedHoldersDoNotViolateExclusion(t *testing.T) {
	for _, tt := range []struct {
		name   string
		flawed bool
		want   map[string]bool // check: it is violated
	}{
		{"sound", false, map[string]bool{"exclusion": false, "belief": false, "ownership": false, "recovery": false, "errors": false}},
		{"gives back another's permit", true, map[string]bool{"ownership": true, "errors": true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("semaphore.yaml", []byte(`
name: semaphore
duration: 10s
seeds: 1
workers: 4
workload: {kind: counter, hold: {dist: uniform, min: 50ms, max: 300ms}, think: 50ms}
lock: {ttl: 5s}
strategies: [semaphore]
`), semaphore(tt.flawed))
			if err != nil {
				t.Fatal(err)
			}
			c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 5}})
			if err != nil {
				t.Fatal(err)
			}
			for check, violated := range tt.want {
				stats := c.Strategies[0].Checks[check]
				if !stats.Applies || (stats.Violating > 0) != violated {
					t.Errorf("%s: %+v, want it violated: %v", check, stats, violated)
				}
			}
		})
	}
}

// If the holders of a lock cannot be read from its records, the checks that need
// them judge nothing, and the campaign says so.
func TestALockWhoseHoldersCannotBeReadIsNotAccused(t *testing.T) {
	for _, family := range []func(bool) lock.Entry{semaphore, electionRecord, keptRecord} {
		e := family(false)
		e.Holders = nil
		t.Run(e.Name, func(t *testing.T) {
			s, err := scenarios.Parse("unread.yaml", []byte(`
name: unread
duration: 10s
seeds: 1
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 500ms, max: 1500ms}, think: 50ms}
lock: {ttl: 2s}
strategies: [`+e.Name+`]
faults:
  - crash: {target: each worker, every: {dist: exponential, mean: 5s}, for: 1s}
`), e)
			if err != nil {
				t.Fatal(err)
			}
			c, err := campaign.Run(t.Context(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 5}})
			if err != nil {
				t.Fatal(err)
			}
			st := c.Strategies[0]
			if st.Unread == "" {
				t.Error("the records count as readable")
			}
			for _, check := range []string{"recovery", "told", "ownership", "load"} {
				if stats := st.Checks[check]; stats.Applies || stats.Violating > 0 {
					t.Errorf("%s judges it: %+v", check, stats)
				}
			}
			if stats := st.Checks["errors"]; stats.Violating > 0 {
				t.Errorf("errors: %+v", stats)
			}
		})
	}
}
