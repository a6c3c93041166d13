package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// ran is one run of a scenario, of its only strategy.
func ran(t *testing.T, text string) *results.Trial {
	t.Helper()
	s := runtest.Parse(t, text)
	return runtest.Trial(t, s, s.Strategies[0].Label, 1)
}

// what lists the events of some types, one line each with its millisecond.
func what(h *history.History, types ...history.Type) string {
	var lines []string
	for _, e := range h.Events {
		if slices.Contains(types, e.Type) {
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%d %s %s %s %s %s", e.At.Milliseconds(), e.Type, e.Worker, e.Key, e.Unit, e.Class)), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// Worker 2's clock is half a second slow, and is set forward by 3 s at 4 s: it
// has slept for its tick at 10 s until 10.5 s, checks its clock, which shows
// 13 s, and does the tick late. Its next one is that of 20 s.
func TestTicksFollowEachWorkersOwnWallClock(t *testing.T) {
	trial := ran(t, `
name: ticks
duration: 25s
workload: {kind: cron, period: 10s, hold: 50ms}
network: {latency: 1ms}
strategies: [redis]
each: [{worker: worker-2, wall-offset: -500ms}]
faults: [{at: 4s, clock-step: {target: worker-2, by: 3s, for: 20s}}]
`)
	const want = `10000 acquire-called worker-1 resource-1 resource-1/tick-1
10500 acquire-called worker-2 resource-1 resource-1/tick-1
17500 acquire-called worker-2 resource-1 resource-1/tick-2
20000 acquire-called worker-1 resource-1 resource-1/tick-2`
	if diff := cmp.Diff(want, what(trial.History, history.AcquireCalled)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := resultOf(t, trial, "once").Count; n != 2 {
		t.Errorf("%d ticks were done twice, want 2", n)
	}
}

func resultOf(t *testing.T, trial *results.Trial, check string) checker.Result {
	t.Helper()
	for _, r := range trial.Results {
		if r.Check == check {
			return r
		}
	}
	t.Fatalf("no check %s", check)
	return checker.Result{}
}

// The lock outlasts the task, but not by more than it has to.
func TestHoldAtLeast(t *testing.T) {
	trial := ran(t, `
name: held
duration: 15s
workers: 1
workload: {kind: cron, period: 10s, hold: 50ms, hold-at-least: 2s}
network: {latency: 1ms}
strategies: [redis]
`)
	s, err := trial.History.Sections()
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != 1 || s[0].LeaveAt-s[0].EnterAt < 2*time.Second || s[0].LeaveAt-s[0].EnterAt > 2*time.Second+time.Millisecond {
		t.Errorf("not one section of 2s: %+v", s)
	}
}

// A worker that gets the first of its locks, and not the second, gives the first
// back at once. A name that is drawn twice is locked once, so that one worker
// may have the second alone.
func TestAllLocksAreGivenBackWhenOneIsRefused(t *testing.T) {
	s := runtest.Parse(t, `
name: refused
duration: 10s
workers: 2
resources: 2
sections: 1
workload: {kind: multi-lock, hold: 3s}
network: {latency: 1ms}
lock: {retry: {attempts: 2, delay: 100ms, jitter: 0s}}
strategies: [redis]
each: [{worker: worker-2, start: 1s}]
`)
	// Refused twice, 100 ms and a round trip of 2 ms apart. A release takes two
	// round trips, since the server does not have its script yet.
	const want = `1006 acquired worker-2 resource-1
1110 released worker-2 resource-2 not-obtained
1114 released worker-2 resource-1 other`
	met := 0
	for seed := range uint64(30) {
		trial := runtest.Trial(t, s, "redis", seed)
		lines := strings.Split(what(trial.History, history.Acquired, history.Released), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "worker-1") })
		if len(lines) == 3 && strings.Contains(lines[1], "not-obtained") {
			met++
			if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("worker-2 (-want +got):\n%s", diff)
			}
		}
		for _, r := range trial.Results {
			if r.Verdict != checker.Valid {
				t.Errorf("seed %d: %s is %s: %v", seed, r.Check, r.Verdict, r.Findings)
			}
		}
	}
	if met == 0 {
		t.Error("no worker got its first lock and was refused its second")
	}
}

// Two workers that take two locks in different orders, and never let go, wait
// until the run is over.
func TestArgumentOrderDeadlocks(t *testing.T) {
	const text = `
name: deadlock
duration: 20s
workers: 2
resources: 2
workload: {kind: multi-lock, hold: 10ms, order: %s}
network: {latency: 1ms}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis-watchdog-forever]
`
	for order, want := range map[workload.Order]checker.Verdict{workload.OrderSorted: checker.Valid, workload.OrderArgument: checker.Invalid} {
		trial := ran(t, fmt.Sprintf(text, order))
		got := resultOf(t, trial, "progress")
		if got.Verdict != want {
			t.Errorf("%s: progress is %s, want %s: %v", order, got.Verdict, want, got.Findings)
		}
		deadlock := slices.ContainsFunc(got.Findings, func(f checker.Finding) bool { return strings.HasPrefix(f.Text, "deadlock: ") })
		if deadlock != (want == checker.Invalid) {
			t.Errorf("%s: found %v", order, got.Findings)
		}
		if r := resultOf(t, trial, "lost-update"); r.Verdict != checker.Valid {
			t.Errorf("%s: %v", order, r.Findings)
		}
	}
}

// Worker 2's clock is 5 s slow: when it looks for the reminder of the tick, worker
// 1 has sent it and marked it, and there is nothing to do. Worker 3 finds it as
// worker 1 does, but has the slower way to the lock: it waits, looks again, and
// sends nothing. At 20.02 s worker 1 crashes after its mail has gone out and before its mark: worker 3 gets
// the lock when the lease has ended, and sends the mail again.
func TestRemindersAreSentAgainAfterACrash(t *testing.T) {
	trial := ran(t, `
name: reminders
duration: 28s
workers: 3
step: 0s
workload: {kind: reminders, period: 10s, hold: 50ms}
network: {latency: 1ms, links: [{from: worker-3, to: lock, latency: 2ms}]}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}}
strategies: [redis]
each: [{worker: worker-2, wall-offset: -5s}]
faults: [{at: 20020ms, crash: {target: worker-1, for: 1s}}]
`)
	// Of each holder its second look, its mail and its mark.
	const want = `10011 applied worker-1 resource-1
10013 applied worker-1 resource-1/reminder-1
10065 applied worker-1 resource-1
10117 applied worker-3 resource-1
20005 applied worker-1 resource-1
20007 applied worker-1 resource-1/reminder-2
22066 applied worker-3 resource-1
22068 applied worker-3 resource-1/reminder-2
22120 applied worker-3 resource-1`
	if diff := cmp.Diff(want, what(trial.History, history.Applied)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := resultOf(t, trial, "once").Count; n != 1 {
		t.Errorf("%d reminders were sent twice, want 1", n)
	}
}

// When the work checks its context decides what a lost lease does to it: here
// the lock has ended the context before the hold is over. A worker can differ from
// the others, and a use of a strategy from the scenario.
func TestWorkHeedsItsContextAsFarAsTheScenarioSays(t *testing.T) {
	const text = `
name: heeds
duration: 20s
workers: 1
sections: 1
workload: {kind: counter, hold: 3s, heeds: %s}
network: {latency: 1ms}
wake-lag: 100us
lock: {ttl: 2s, retry: {attempts: unlimited}}
strategies: [%s]
each: [%s]
faults: [{at: 50ms, pause: {target: worker-1, for: 2500ms}}]
`
	const (
		told = "2550 told worker-1" // the lease was over while worker-1 was stopped
		// Of the hold 40 ms were done before the pause. A release takes two round
		// trips, since the server does not have its script yet.
		wrote = "\n5511 applied worker-1 resource-1\n5516 released worker-1 resource-1 lost"
	)
	for _, test := range []struct {
		name, heeds, use, each, want string
	}{
		{"the hold ends with the context", "always", "redis-watchdog-cancel", "", told + "\n2554 released worker-1 resource-1 lost"},
		// The rest of the hold is done after waking, and then the write is refused.
		{"only the write looks", "before-write", "redis-watchdog-cancel", "", told + "\n5514 released worker-1 resource-1 unknown"},
		{"nothing looks", "never", "redis-watchdog-cancel", "", told + wrote},
		{"only the lock checks its context", "never", "redis-watchdog", "", told + "\n5514 released worker-1 resource-1 lost"},
		{"a worker", "always", "redis-watchdog-cancel", "{worker: worker-1, heeds: never}", told + wrote},
		{
			"a use", "never", "{name: redis-watchdog-cancel, workload: {heeds: always}}", "",
			told + "\n2554 released worker-1 resource-1 lost",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial := ran(t, fmt.Sprintf(text, test.heeds, test.use, test.each))
			got := what(trial.History, history.Told, history.Applied, history.Released)
			_, got, _ = strings.Cut(got, "\n") // the read
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
