package run_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/internal/runtest"
)

// Worker 1 writes at 36.10 and, a reply, two steps and 25 ms later, comes to its
// second check at 62.12 ms, where it is paused for 2 s.
// Worker 2 goes on from 1 meanwhile, and writes 2 and 3. Worker 1 goes on from its
// own 1, writes 2 over 3, and so undoes both: one stale write, two lost increments.
func TestAPauseBetweenTwoWritesWorkedOutByHand(t *testing.T) {
	text := strings.Replace(byHand, "hold: 50ms", "hold: 50ms, writes: 2", 1)
	trial := runtest.Trial(t, runtest.Parse(t, text+`
faults:
  - when: {worker: worker-1, point: lease-checked, nth: 2}
    pause: {for: 2s}
`), "redis", 1)
	compareEvents(t, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
36.10 applied worker-1 write 1 over 0
62.12 fault pause of worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 1 over 1
1038.11 applied worker-2 write 2 over 1
1065.14 applied worker-2 write 3 over 2
1069.18 freed worker-2
1070.19 released worker-2 ""
2062.12 heal pause of worker-1
2063.13 applied worker-1 write 2 over 3
2066.17 told worker-1
2066.17 released worker-1 "lost"`, toldOf(trial.History))
	if r := resultOf(t, trial, "lost-update"); r.Count != 1 {
		t.Errorf("%d writes over what their section had not seen, want 1: %v", r.Count, r.Findings)
	}
	if m := trial.Metrics; m.Jobs != 2 || m.Finished != 1 {
		t.Errorf("finished %d of %d, want 1 of 2", m.Finished, m.Jobs)
	}
	for _, check := range []string{"linearizable", "exclusion"} {
		if r := resultOf(t, trial, check); r.Verdict != checker.Invalid {
			t.Errorf("%s is %s", check, r.Verdict)
		}
	}
}

// Both workers read 0, each under its lock: worker 1's commit takes 30 ms to the
// resource, and worker 2 gets the lock and reads meanwhile. With tokens on reads the
// resource has seen the higher one by then.
func TestACommitAfterTheReleaseWorkedOutByHand(t *testing.T) {
	const text = `
name: by-hand
duration: 2s
workers: 2
sections: 1
workload: {kind: counter, hold: 50ms, commit: after-release}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 10ms, jitter: 0s}}
network: {latency: 1ms, links: [{from: worker-1, to: resource, latency: 30ms}]}
resource: {fence: %s}
strategies: [redis-fenced]
`
	for _, test := range []struct {
		fence, want string
		lost        int
		finished    int64
	}{
		{"off", `
7.04 granted worker-1
8.05 acquired worker-1
69.08 applied worker-1 read 0 over 0
123.12 freed worker-1
124.13 released worker-1 ""
127.14 granted worker-2
128.15 acquired worker-2
131.18 applied worker-2 read 0 over 0
154.15 applied worker-1 write 1 over 0
183.21 freed worker-2
184.22 released worker-2 ""
185.24 applied worker-2 write 1 over 1`, 1, 1},
		{"reads-writes", `
7.04 granted worker-1
8.05 acquired worker-1
69.08 applied worker-1 read 0 over 0
123.12 freed worker-1
124.13 released worker-1 ""
127.14 granted worker-2
128.15 acquired worker-2
131.18 applied worker-2 read 0 over 0
154.15 applied worker-1 write 0 over 0
183.21 freed worker-2
184.22 released worker-2 ""
185.24 applied worker-2 write 1 over 0`, 0, 1},
	} {
		t.Run(test.fence, func(t *testing.T) {
			trial := runtest.Trial(t, runtest.Parse(t, fmt.Sprintf(text, test.fence)), "redis-fenced", 1)
			compareEvents(t, test.want, toldOf(trial.History))
			if r := resultOf(t, trial, "lost-update"); r.Count != test.lost {
				t.Errorf("%d lost updates, want %d: %v", r.Count, test.lost, r.Findings)
			}
			if m := trial.Metrics; m.Jobs != 2 || m.Finished != test.finished {
				t.Errorf("finished %d of %d, want %d of 2", m.Finished, m.Jobs, test.finished)
			}
			for _, check := range []string{"errors", "belief", "told", "recovery", "ownership"} {
				if r := resultOf(t, trial, check); r.Verdict != checker.Valid {
					t.Errorf("%s blames the lock: %v", check, r.Findings)
				}
			}
		})
	}
}

// The worker crashes after its release and before its commit: the history has a
// section that ended with ok and wrote nothing, and its job is not finished.
func TestACrashBeforeTheCommitLosesTheJob(t *testing.T) {
	text := strings.Replace(byHand, "hold: 50ms", "hold: 50ms, commit: after-release", 1)
	trial := runtest.Trial(t, runtest.Parse(t, text+`
faults:
  - when: {worker: worker-1, point: commit-called}
    crash: {for: 1s}
`), "redis", 1)
	if m := trial.Metrics; m.Jobs != 2 || m.Finished != 1 {
		t.Errorf("finished %d of %d, want 1 of 2", m.Finished, m.Jobs)
	}
}

// Writes that together take longer than a calm, since the resource is far away, do
// not end the run: every write is progress.
func TestSlowWritesDoNotEndARun(t *testing.T) {
	trial := ran(t, `
name: far
duration: 1s
workers: 1
sections: 1
workload: {kind: counter, hold: 50ms, writes: 9}
lock: {ttl: 1s}
network: {latency: 1ms, links: [{from: worker-1, to: resource, latency: 20s}]}
strategies: [redis]
`)
	if m := trial.Metrics; m.Finished != 1 || trial.History.Meta.Stopped != history.StopNone {
		t.Errorf("finished %d of %d, stopped: %q", m.Finished, m.Jobs, trial.History.Meta.Stopped)
	}
}

// The counter ends at the increments of all accepted writes less the lost ones, with any result of
// the checks.
func TestTheCounterEndsAtTheWritesLessTheLostOnes(t *testing.T) {
	s := runtest.Load(t, "many-writes")
	stale := 0
	for seed := range uint64(3) {
		trial := runtest.Trial(t, s, "redis", seed)
		sections, err := trial.History.Sections()
		if err != nil {
			t.Fatal(err)
		}
		var accepted, lost, blind int64
		for _, section := range sections {
			basis := int64(-1)
			for _, o := range section.Ops {
				if !o.Accepted {
					continue
				}
				value, err := strconv.ParseInt(o.Value, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				if o.Write() {
					prior, err := strconv.ParseInt(o.Prior, 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					if value != basis+1 {
						t.Errorf("seed %d: %s wrote %d after %d", seed, section.Worker, value, basis)
					}
					accepted++
					lost += prior + 1 - value
					if prior != basis {
						blind++
					}
				}
				basis = value
			}
		}
		final := trial.History.Events[len(trial.History.Events)-1].Value
		if got := strconv.FormatInt(accepted-lost, 10); got != final {
			t.Errorf("seed %d: %d writes less %d lost ones, and the counter ends at %s", seed, accepted, lost, final)
		}
		if r := resultOf(t, trial, "lost-update"); int64(r.Count) != blind {
			t.Errorf("seed %d: lost-update counts %d, and %d writes replaced a value that their section had not seen", seed, r.Count, blind)
		}
		stale += int(blind)
	}
	if stale == 0 {
		t.Error("no write was lost, so nothing was compared")
	}
}

// A failed job is tried again under its own name, at most as often as its attempts allow. Worker 1
// holds the lock for 450 ms; worker 2 asks at 10 ms and, each 100 ms of thinking later, again. It
// gets the lock at 526 ms: two round trips of its first read, the work, a write and a release later
// it is done.
func TestAJobIsTriedAgainUntilItsAttemptsAreUsedUp(t *testing.T) {
	const text = `
name: jobs
duration: 10s
step: 0s
workers: 2
sections: 1
workload: {kind: counter, hold: 10ms, think: 100ms, attempts: %d}
lock: {ttl: 1s, retry: {attempts: 1}}
network: {latency: 1ms}
strategies: [redis]
each: [{worker: worker-1, hold: 450ms}, {worker: worker-2, start: 10ms}]
`
	for _, test := range []struct {
		attempts       int
		want           string
		jobs, finished int64
	}{
		{1, `
10 acquire-called worker-2 resource-1
16 released worker-2 resource-1 not-obtained`, 2, 1},
		{3, `
10 acquire-called worker-2 resource-1 worker-2/job-1
16 released worker-2 resource-1 not-obtained
116 acquire-called worker-2 resource-1 worker-2/job-1
118 released worker-2 resource-1 not-obtained
218 acquire-called worker-2 resource-1 worker-2/job-1
220 released worker-2 resource-1 not-obtained`, 2, 1},
		{9, `
10 acquire-called worker-2 resource-1 worker-2/job-1
16 released worker-2 resource-1 not-obtained
116 acquire-called worker-2 resource-1 worker-2/job-1
118 released worker-2 resource-1 not-obtained
218 acquire-called worker-2 resource-1 worker-2/job-1
220 released worker-2 resource-1 not-obtained
320 acquire-called worker-2 resource-1 worker-2/job-1
322 released worker-2 resource-1 not-obtained
422 acquire-called worker-2 resource-1 worker-2/job-1
424 released worker-2 resource-1 not-obtained
524 acquire-called worker-2 resource-1 worker-2/job-1
544 released worker-2 resource-1`, 2, 2},
	} {
		t.Run(strconv.Itoa(test.attempts), func(t *testing.T) {
			trial := ran(t, fmt.Sprintf(text, test.attempts))
			var got []string
			for line := range strings.Lines(what(trial.History, history.AcquireCalled, history.Released)) {
				if strings.Contains(line, "worker-2") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if diff := cmp.Diff(strings.TrimSpace(test.want), strings.Join(got, "\n")); diff != "" {
				t.Errorf("worker-2 (-want +got):\n%s", diff)
			}
			if m := trial.Metrics; m.Jobs != test.jobs || m.Finished != test.finished {
				t.Errorf("finished %d of %d, want %d of %d", m.Finished, m.Jobs, test.finished, test.jobs)
			}
		})
	}
}

// Work that fails draws again for each attempt and keeps its item. No new attempt begins after the
// end of the scenario.
func TestAttemptsOfFailingWork(t *testing.T) {
	trial := ran(t, `
name: failing
duration: 20s
workers: 1
resources: 3
workload: {kind: counter, hold: 10ms, think: 90ms, fails: 60, attempts: 4}
lock: {ttl: 1s}
network: {latency: 1ms}
strategies: [redis]
`)
	sections, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	attempts, keys, done := map[string]int{}, map[string]string{}, map[string]bool{}
	var order []string
	for _, s := range sections {
		if attempts[s.Unit] == 0 {
			order = append(order, s.Unit)
			keys[s.Unit] = s.Key
		}
		if done[s.Unit] || keys[s.Unit] != s.Key || s.CallAt > 20*time.Second {
			t.Errorf("%s is tried for %s at %v, after it was done (%v) with %s", s.Unit, s.Key, s.CallAt, done[s.Unit], keys[s.Unit])
		}
		attempts[s.Unit]++
		done[s.Unit] = s.Class == history.ClassOK
	}
	often := map[int]int{}
	for i, unit := range order {
		if want := fmt.Sprintf("worker-1/job-%d", i+1); unit != want {
			t.Errorf("job %d is called %s", i+1, unit)
		}
		if n := attempts[unit]; n > 4 || n < 4 && !done[unit] && i < len(order)-1 {
			t.Errorf("%s had %d attempts, done: %v", unit, n, done[unit])
		}
		often[attempts[unit]]++
	}
	// 60 % fail: of some 80 jobs, 40 % take one attempt, 24 % two, and 22 % all four.
	for n := 1; n <= 4; n++ {
		if often[n] < 3 {
			t.Errorf("%d jobs of %d took %d attempts: %v", often[n], len(order), n, often)
		}
	}
}
