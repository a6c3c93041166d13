package campaign

import (
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

const hungRenewal = `name: hung-renewal
description: one renewal that hangs uses up the whole deadline, since its timeout is as long
source: controller-runtime
duration: 2m
seeds: 5
workers: 2
workload: {kind: counter, hold: {dist: uniform, min: 60s, max: 90s}, think: 1s}
lock: {ttl: 15s, renew: 2s, max-hold: 10m, retry: {attempts: unlimited, delay: 2s, jitter: 500ms}}
strategies:
  - {name: redis-watchdog, label: deadline-long, client: {read-timeout: 15s}}
  - {name: redis-watchdog, label: half-as-long, client: {read-timeout: 5s}}
faults:
  - when: {worker: worker-1, point: renew.sent, nth: 3}
    hold: {for: 20s}
`

// A lease that one hung renewal uses up is given up needlessly, which decides only
// where an expectation names it.
func TestNeedlessLossOfAHungRenewal(t *testing.T) {
	for _, test := range []struct {
		expect string
		want   results.Outcome
	}{
		{"", results.Pass},
		{"expect: {deadline-long: {violates: [needless-loss]}, half-as-long: {holds: [needless-loss]}}", results.Pass},
		{"expect: {deadline-long: {holds: [needless-loss]}}", results.Fail},
	} {
		c := campaignOf(t, parseText(t, hungRenewal+test.expect), Request{})
		long, half := c.Strategies[0], c.Strategies[1]
		if c.Verdict != test.want {
			t.Errorf("%q: %s", test.expect, c.Summary())
		}
		if m := long.Metrics; long.Checks["needless-loss"].Violating != 5 || m.GivenUp != 5 || m.GivenUpNeedlessly != 5 {
			t.Errorf("a timeout as long as the lease: %+v, given up %d, needlessly %d", long.Checks["needless-loss"], m.GivenUp, m.GivenUpNeedlessly)
		}
		if m := half.Metrics; !half.Checks["needless-loss"].Applies || half.Checks["needless-loss"].Violating+int(m.GivenUp) != 0 {
			t.Errorf("a timeout half as long: %+v, given up %d", half.Checks["needless-loss"], m.GivenUp)
		}
	}
}

// Sound locks give up what they could not renew, and nothing else, whatever
// keeps them from renewing.
func TestSoundLocksGiveUpNothingNeedlessly(t *testing.T) {
	const checks = "[linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership, needless-loss, load]"
	var givenUp int64
	for _, test := range []struct {
		scenario   string
		strategies []string
		more       []results.Override
	}{
		{"cut-off", []string{"redis-watchdog"}, nil},
		{"hung-work", []string{"redis-watchdog"}, nil},
		{"redlock-cut-off", []string{"redlock-extend"}, nil},
		{"redis-matrix", []string{"redis-watchdog", "redlock-extend", "redis-checked"}, []results.Override{{Path: "workload.hold", Value: "8s"}, {Path: "duration", Value: "30s"}}},
	} {
		s, err := scenarios.LoadWith(test.scenario, append(test.more, results.Override{Path: "checks", Value: checks}))
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: test.strategies}).Strategies {
			givenUp += st.Metrics.GivenUp
			for _, check := range []string{"needless-loss", "load"} {
				if n := st.Checks[check].Violating; n > 0 {
					t.Errorf("%s in %s: %s is violated in %d runs", st.Use(), test.scenario, check, n)
				}
			}
		}
	}
	if givenUp < 20 {
		t.Errorf("%d leases were given up, so nothing was tried", givenUp)
	}
}

// A waiter that asks again after a millisecond is named by load, and one that waits as
// long as usual is not.
func TestLoadOfAWaiterThatSpins(t *testing.T) {
	c := campaignOf(t, parseText(t, `name: spin
description: a waiter that asks again after 1 ms
source: discourse
duration: 20s
seeds: 5
workers: 3
workload: {kind: counter, hold: {dist: uniform, min: 1s, max: 3s}, think: 500ms}
lock: {ttl: 30s}
strategies:
  - {name: redis, label: spins, lock: {retry: {attempts: unlimited, delay: 1ms, jitter: 0s}}}
  - {name: redis, label: backs-off, lock: {retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}}
faults:
  - when: {worker: worker-1, point: acquire.sent, nth: 1}
    error: {text: "READONLY You can't write against a read only replica."}
`), Request{})
	for i, want := range []int{5, 0} {
		st := c.Strategies[i]
		if got := st.Checks["load"]; got.Violating != want || got.PerLockHour != nil {
			t.Errorf("%s: %.0f commands for each acquisition, load is violated in %d runs, want %d", st.Label, st.Metrics.CommandsEach(), got.Violating, want)
		}
	}
}
