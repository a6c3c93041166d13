package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSharedProcessesHaveNoClocksOfTheirOwn(t *testing.T) {
	const text = "name: x\nduration: 10s\nprocesses: 1\nworkload: {kind: counter}\nstrategies: [redis]\neach: [{worker: worker-2, wall-offset: 1s}]\n"
	const want = "f.yaml:6:40: each[0].wall-offset: workers that share a process share its clocks"
	if _, err := Parse("f.yaml", []byte(text)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestErrorsOfAWorkload(t *testing.T) {
	for _, test := range []struct{ name, workload, use, want string }{
		{"no period", "{kind: cron}", "redis", "f.yaml:3:11: workload.period is missing"},
		{"no time at all", "{kind: cron, period: 0s}", "redis", "f.yaml:3:32: workload.period must be between 1ms and 87600h0m0s, and is 0s"},
		{"back in time", "{kind: cron, period: 1s, hold-at-least: -1s}", "redis", "f.yaml:3:51: workload.hold-at-least must be between 0s and 87600h0m0s, and is -1s"},
		{"another key", "{kind: cron, period: 1s, key: ticks}", "redis", `f.yaml:3:41: unknown key "ticks"; did you mean "tick"?`},
		{"no locks", "{kind: multi-lock, locks: 0}", "redis", "f.yaml:3:37: workload.locks must be between 1 and 10000, and is 0"},
		{"another order", "{kind: multi-lock, order: sorte}", "redis", `f.yaml:3:37: unknown order "sorte"; did you mean "sorted"?`},
		{"another way to heed", "{kind: counter, heeds: sometimes}", "redis", `f.yaml:3:34: unknown way to heed a context "sometimes"; known are always, before-write, never`},
		{"no writes", "{kind: counter, writes: 0}", "redis", "f.yaml:3:35: workload.writes must be between 1 and 1000, and is 0"},
		{"no attempts", "{kind: counter, attempts: 0}", "redis", "f.yaml:3:37: workload.attempts must be between 1 and 1000, and is 0"},
		{"another commit", "{kind: counter, commit: after-relase}", "redis", `f.yaml:3:35: unknown moment of a commit "after-relase"; did you mean "after-release"?`},
		{"writes of a tick", "{kind: cron, period: 1s, writes: 2}", "redis", "f.yaml:3:36: workload.writes: the workload cron has no writes"},
		{"attempts of a register", "{kind: register, attempts: 2}", "redis", "f.yaml:3:28: workload.attempts: the workload register has no attempts"},
		{"a late commit of several locks, in a use", "{kind: multi-lock}", "{name: redis, workload: {commit: inside}}", "f.yaml:4:39: strategies[0].workload.commit: the workload multi-lock has no commit"},
		{"one account", "{kind: transfer}", "redis", "f.yaml:3:18: workload.kind: the workload transfer needs 2 resources, and there is 1"},
		{"no limit", "{kind: rate-limit, limit: 0}", "redis", "f.yaml:3:37: workload.limit must be between 1 and 10000, and is 0"},
		{"no window", "{kind: rate-limit, window: 0s}", "redis", "f.yaml:3:38: workload.window must be between 1ms and 87600h0m0s, and is 0s"},
		{"another way to lock", "{kind: transfer, locking: sources}", "redis", `f.yaml:3:37: unknown way to lock two accounts "sources"; did you mean "source"?`},
		{"an idempotency key of a discount", "{kind: discount, period: 1s, idempotency: true}", "redis", "f.yaml:3:40: workload.idempotency: the workload discount has no idempotency"},
		{"what it has not", "{kind: counter, period: 1s}", "redis", "f.yaml:3:27: workload.period: the workload counter has no period"},
		{
			"what it has not, in a use", "{kind: counter}", "{name: redis, workload: {order: sorted}}",
			"f.yaml:4:39: strategies[0].workload.order: the workload counter has no order",
		},
		{
			"another workload", "{kind: counter}", "{name: redis, workload: {kind: register}}",
			"f.yaml:4:45: strategies[0].workload.kind: all strategies of a scenario have one workload",
		},
		{
			"another order in a use", "{kind: multi-lock}", "{name: redis, workload: {order: argumet}}",
			`f.yaml:4:46: unknown order "argumet"; did you mean "argument"?`,
		},
		{
			"work without units", "{kind: counter}", "unique-key",
			"f.yaml:4:14: unique-key needs units of work that are each to be done once; the workload counter has none with these settings",
		},
		{
			"a write without a read", "{kind: register}", "optimistic",
			"f.yaml:4:14: optimistic needs sections that read an item before they write it, and whose first write decides who does the work; the workload register has none with these settings",
		},
		{
			"a pattern without a strategy that fits", "{kind: register}", "optimistic*",
			"f.yaml:4:14: optimistic-reply-lost needs sections that read an item before they write it, and whose first write decides who does the work; the workload register has none with these settings",
		},
		{
			"a second write", "{kind: counter, writes: 2}", "optimistic",
			"f.yaml:4:14: optimistic needs sections that read an item before they write it, and whose first write decides who does the work; the workload counter has none with these settings",
		},
		{
			"a write after the section, in a use", "{kind: counter}", "{name: optimistic, workload: {commit: after-release}}",
			"f.yaml:4:14: optimistic needs sections that read an item before they write it, and whose first write decides who does the work; the workload counter has none with these settings",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f.yaml", fmt.Appendf(nil, "name: x\nduration: 10s\nworkload: %s\nstrategies: [%s]\n", test.workload, test.use))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// What a strategy claims is about work that is done under its lock.
func TestNothingIsClaimedOfALateCommit(t *testing.T) {
	const text = "name: x\nduration: 10s\nworkload: {kind: counter%s}\nstrategies: [redis]\nclaims: true\nfaults: [{case: a, class: P, at: 1s, pause: {target: worker-1, for: 1s}}]\n"
	if _, err := Parse("f.yaml", fmt.Appendf(nil, text, "")); err != nil {
		t.Errorf("inside: %v", err)
	}
	const want = "f.yaml:5:9: claims: strategies[0] claims nothing of work that commits after the release"
	if _, err := Parse("f.yaml", fmt.Appendf(nil, text, ", commit: after-release")); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// --strategy chooses other strategies than those of the file, and they need the same.
func TestAChosenStrategyNeedsItsWork(t *testing.T) {
	s, err := Load("gc-pause")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Uses([]string{"optimistic"}, nil); err != nil {
		t.Errorf("optimistic: %v", err)
	}
	var setting *SettingError
	if _, err := s.Uses([]string{"unique-key"}, nil); !errors.As(err, &setting) {
		t.Errorf("unique-key: %v", err)
	}
}

func TestNothingIsExpectedOfHoldersWithoutALock(t *testing.T) {
	const text = "name: x\nduration: 10s\nworkload: {kind: counter}\nstrategies: [none, optimistic]\nexpect:\n  none: {violates: [exclusion]}\n  optimistic: {holds: [exclusion]}\n"
	const want = "f.yaml:7:15: expect.optimistic: exclusion judges the holders of a lock, and optimistic takes no lock"
	if _, err := Parse("f.yaml", []byte(text)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestAPatternNamesOnlyStrategiesThatGetTheirWork(t *testing.T) {
	s, err := Parse("f.yaml", []byte("name: x\nduration: 10s\nworkload: {kind: cron, period: 1s}\nstrategies: ['[ou]*']\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Strategies) != 1 || s.Strategies[0].Name != "unique-key" {
		t.Errorf("it names %v", s.Strategies)
	}
}

// Under jobs the check "bounds" counts the tries, and most locks do not limit them.
func TestTriesAreExpectedOnlyOfLocksThatLimitThem(t *testing.T) {
	const text = "name: x\nduration: 10s\nworkload: {kind: jobs}\nstrategies: [redis, pg-skip-locked]\n"
	const want = "f.yaml:6:10: expect.redis: under jobs, bounds judges how often a job is begun, and redis does not limit that"
	if _, err := Parse("f.yaml", []byte(text+"expect:\n  redis: {holds: [bounds]}\n")); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := Parse("f.yaml", []byte(text+"expect:\n  pg-skip-locked: {holds: [bounds]}\n")); err != nil {
		t.Errorf("a lock that limits the tries: %v", err)
	}
	s, err := Parse("f.yaml", []byte(text+"claims: true\nfaults: [{case: a, class: C, at: 1s, crash: {target: worker-1, for: 1s}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	e, ok := s.ExpectOf(s.Strategies[0])
	if !ok || !slices.Contains(e.Holds, "once") || slices.Contains(e.Holds, "bounds") {
		t.Errorf("%s claims %v, want once without bounds", s.Strategies[0].Label, e.Holds)
	}
}
