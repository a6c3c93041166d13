package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
)

// Settings that defeat each other are named with their place; those that do not,
// are not.
func TestConflictsAreNamed(t *testing.T) {
	const head = "name: c\nduration: 60s\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", head + `workload: {kind: counter, hold: 100ms}
lock: {ttl: 2s}
strategies: [redis, redis-watchdog]`, nil},
		{"renewal after the end", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis-watchdog]
lock: {ttl: 5s, renew: 10s}`, []string{`c.yaml:5:24: warning: redis-watchdog: the lease ends after 5s, so a renewal every 10s comes too late`}},
		{"a period that only the preset has follows the TTL", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis-watchdog]
lock: {ttl: 1s}`, nil},
		{"work longer than max-hold", head + `workload: {kind: counter, hold: 20m}
strategies: [redis-watchdog]`, []string{`c.yaml:3:33: warning: redis-watchdog: a lease is kept for 10m0s at most (max-hold), and work takes 20m0s`}},
		{"work longer than the lease, for two strategies", head + `workload: {kind: counter, hold: {dist: uniform, min: 1s, max: 9s}}
strategies: [redis, redis-checked, redis-watchdog]
lock: {ttl: 2s}`, []string{`c.yaml:5:13: warning: redis, redis-checked: the lease ends after 2s and is not renewed, and work takes 5s or longer in half of the sections`}},
		{"for one worker", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
each: [{worker: worker-2, lock: {ttl: 50ms}}]`, []string{`c.yaml:5:39: warning: redis: the lease ends after 50ms and is not renewed, and work takes 100ms`}},
		{"a flaw that is one on purpose", head + `workload: {kind: counter, hold: 10s}
strategies: [redis-short-ttl]`, nil},
		{"a timeout that the file sets", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
lock: {ttl: 2s}
client: {read-timeout: 3s}`, []string{`c.yaml:6:24: warning: redis: a client waits for a reply for 3s, and the lease ends after 2s`}},
		{"a reply that always comes too late", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis, pg-advisory-xact]
lock: {ttl: 20s}
network: {latency: 3s}`, []string{`c.yaml:6:20: warning: redis: a client waits for a reply for 5s, and a request and its reply take 6s: no request succeeds`}},
		{"replies that nearly always come too late, with a timeout of the file: 2 x 1.18 s", head + `workload: {kind: counter, hold: 100ms}
strategies: [kube-lease]
lock: {ttl: 20s}
kubernetes: {timeout: 2s}
network: {latency: {dist: uniform, min: 1s, max: 1900ms}}`, []string{`c.yaml:6:23: warning: kube-lease: a client waits for a reply for 2s, and a request and its reply take 2.36s or longer in most cases: hardly any request succeeds`}},
		{"replies of which half come too late", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
lock: {ttl: 20s}
network: {latency: {dist: uniform, min: 1ms, max: 3100ms}}`, nil},
		{"a slow way to the lock, and only for worker-1 a slow way to one of its servers", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis, redlock]
lock: {ttl: 20s, node-timeout: 0s}
network:
  links:
    - {from: lock, to: each worker, latency: 6s}
    - {from: worker-1, to: lock-2, latency: 10s}
each: [{worker: worker-2, client: {read-timeout: 7s}}]`, []string{`c.yaml:8:5: warning: redis, redlock: a client waits for a reply for 5s, and a request and its reply take 6.001s: no request succeeds`}},
		{"a slow way to the resource, and one that is slow for one worker", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
lock: {ttl: 20s}
network:
  links:
    - {from: each worker, to: resource, latency: 10s}
    - {from: worker-1, to: lock, latency: 10s}`, nil},
		{"servers of a quorum that answer too late", head + `workload: {kind: counter, hold: 10ms}
strategies: [redlock, redlock-fixed-drift]
network: {latency: 30ms}`, []string{`c.yaml:5:20: warning: redlock: a client waits for a reply for 50ms, and a request and its reply take 60ms: no request succeeds`}},
		{"leases as short as the allowance for clock drift", head + `workload: {kind: counter, hold: 10us}
strategies:
  - {name: redlock, lock: {ttl: 2ms}}
  - {name: redlock-extend, lock: {ttl: 50ms, drift: 50ms}}
  - {name: redlock-delayed-restart, lock: {ttl: 3ms}}`, []string{
			`c.yaml:5:33: warning: redlock: a lease of 2ms is shortened by 2ms for clock drift: no grant is valid`,
			`c.yaml:6:53: warning: redlock-extend: a lease of 50ms is shortened by 50ms for clock drift: no grant is valid`,
		}},
		{"retry beyond the run", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
lock: {retry: {delay: 1h}}`, []string{`c.yaml:5:23: warning: redis: a refused worker asks again after 1h0m0s, and new sections begin for 1m0s only`}},
		{"a candidate that gives up before the lease of a crashed leader is over: two pauses of 1.5 s, and a lease of 5 s", head + `workload: {kind: counter, hold: 100ms}
strategies: [kube-lease]
lock: {ttl: 5s, renew: 1s, retry: {attempts: 3, delay: 1s, jitter: 500ms}}
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]`, []string{`c.yaml:5:46: warning: kube-lease: an acquire gives up after 3s at most, and has to watch the lease of a crashed holder for 5s to take it over: no worker ever does`}},
		{"a profile with delays of 100 and 200 ms", head + `workload: {kind: counter, hold: 100ms}
strategies: [{name: kube-lease, lock: {profile: default, retry: {jitter: 0s}}}]
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]`, []string{`c.yaml:4:49: warning: kube-lease: an acquire gives up after 300ms at most, and has to watch the lease of a crashed holder for 5s to take it over: no worker ever does`}},
		{"candidates that watch the lease to its end: five pauses of 1 s", head + `workload: {kind: counter, hold: 100ms}
strategies: [kube-lease]
lock: {ttl: 5s, renew: 1s, retry: {attempts: 6, delay: 1s, jitter: 0s}}
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]`, nil},
		{"candidates for one tick, which belongs to another one if it is refused", head + `workload: {kind: cron, period: 1s, hold: 100ms, key: tick}
strategies: [kube-lease]
lock: {ttl: 5s, renew: 1s, retry: {attempts: 1}}
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]`, nil},
		{"candidates that give up, and nothing keeps a leader from its release", head + `workload: {kind: counter, hold: 100ms}
strategies: [kube-lease]
lock: {ttl: 5s, renew: 1s, retry: {attempts: 1}}`, nil},
		{"locks that others take over even if no acquire lasts for a lease", head + `workload: {kind: counter, hold: 100ms}
strategies: [dynamodb-unfenced, redis]
lock: {ttl: 5s, retry: {attempts: 1}}
faults: [{at: 5s, crash: {target: worker-1, for: 1h}}]`, nil},
		{"fewer connections than workers of a process: 7 workers in 2 processes are 4 and 3", head + `workers: 7
processes: 2
workload: {kind: counter, hold: 100ms}
strategies: [pg-advisory-session, pg-lease-row, redis]
postgres: {pool-size: 3}`, []string{`c.yaml:7:23: warning: pg-advisory-session: 4 workers of a process share 3 connections, and a section keeps one from its acquire to its end: the other workers wait for a connection, and not for the lock`}},
		{"fewer connections than workers, by default", head + `workers: 5
processes: 1
workload: {kind: counter, hold: 100ms}
strategies: [pg-advisory-xact]`, []string{`c.yaml:4:12: warning: pg-advisory-xact: 5 workers of a process share 4 connections, and a section keeps one from its acquire to its end: the other workers wait for a connection, and not for the lock`}},
		{"a connection for each worker", head + `workers: 8
processes: 2
workload: {kind: counter, hold: 100ms}
strategies: [pg-advisory-session]`, nil},
		{"a process for each worker", head + `workers: 8
workload: {kind: counter, hold: 100ms}
strategies: [pg-advisory-session]
postgres: {pool-size: 1}`, nil},
		{"a scenario about the pool", head + `workers: 6
processes: 1
workload: {kind: counter, hold: 100ms}
strategies: [pg-advisory-session, pg-pool-nested]
postgres: {pool-size: 3}`, nil},
		{"tokens that are ignored", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis-fenced]
checks: [fencing]`, []string{`c.yaml:4:14: warning: redis-fenced: the resource ignores the fencing tokens of the lock: set resource.fence`}},
		{"points of a renewal that there is not", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults: [{when: {worker: worker-1, point: renew.sent}, pause: {for: 1s}}]`, []string{`c.yaml:5:43: warning: no strategy renews its lease, so no worker comes to renew.sent: this fault hits nothing`}},
		{"more sections than there are", head + `sections: 2
workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults: [{when: {worker: worker-1, point: acquired, nth: 3}, pause: {for: 1s}}]`, []string{`c.yaml:6:58: warning: a worker has 2 sections, so it does not come to acquired 3 times: this fault hits nothing`}},
		{"a failover without a replica", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults: [{at: 5s, failover: {target: lock}}]`, []string{`c.yaml:5:29: warning: no strategy has a replica that could take over (servers.replicas): this fault hits nothing`}},
		{"servers that no strategy uses", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
servers: {nodes: 3}`, []string{`c.yaml:5:18: warning: no strategy takes its lock from more than one server`}},
		{"a stall of a task that there is not", head + `workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults: [{at: 5s, stall: {target: worker-1, task: renewal, for: 5s}}]`, []string{`c.yaml:5:51: warning: no strategy has a task of this name, since none renews its lease: this fault hits nothing`}},
		{"one worker and no fault", head + `workers: 1
workload: {kind: counter, hold: 100ms}
strategies: [redis]`, []string{"c.yaml:3:10: warning: one worker and no fault: nothing competes for the lock and nothing fails, so the runs show nothing about mutual exclusion"}},
		{"one worker and a fault", head + `workers: 1
workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults: [{at: 5s, pause: {target: worker-1, for: 1s}}]`, []string{"c.yaml:3:10: warning: one worker: no other one competes for the lock, so the runs show nothing about mutual exclusion"}},
		{"a large run with all checks", `name: c
duration: 5000s
workers: 10
workload: {kind: counter, hold: 100ms}
strategies: [redis]`, nil},
		{"a large run with the check load", `name: c
duration: 5000s
workers: 10
workload: {kind: counter, hold: 100ms}
strategies: [redis]
checks: [lost-update, load]`, nil},
		{"a large run without the check load", `name: c
duration: 5000s
workers: 10
workload: {kind: counter, hold: 100ms}
strategies: [redis]
checks: [lost-update]`, nil},
		{"a run that is just not large", `name: c
duration: 4999s
workers: 10
workload: {kind: counter, hold: 100ms}
strategies: [redis]`, nil},
		{"a large run of a workload with several items", `name: c
duration: 5000s
workers: 10
resources: 2
workload: {kind: transfer, hold: 100ms}
strategies: [redis]
checks: [conserved]`, []string{"c.yaml:5:18: warning: 10 workers for 1h23m20s: the history of each run is kept in memory, because a section of transfer may work on several items"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("c.yaml", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range s.Warnings {
				got = append(got, w.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("warnings of\n%s\n(-want +got):\n%s", strings.TrimSpace(test.text), diff)
			}
		})
	}
}

// A strategy is named once, not once for each case, only if it is chosen, and only if it has a lease.
func TestAWarningNamesTheChosenStrategiesWithALeaseOnce(t *testing.T) {
	s, err := Parse("c.yaml", []byte(`name: c
duration: 60s
workload: {kind: counter, hold: 100ms}
lock: {ttl: 5s, renew: 5s}
strategies:
  - redis-watchdog
  - {name: redis-watchdog, label: mine}
  - pg-advisory-xact
no-fault: true
faults:
  - {case: pauses, pause: {target: each worker, every: 10s, for: 1s}}
  - {case: crashes, at: 5s, crash: {target: worker-1, for: 1s}}
`))
	if err != nil {
		t.Fatal(err)
	}
	const text = "c.yaml:4:24: warning: "
	const late = ": the lease ends after 5s, so a renewal every 5s comes too late"
	for _, test := range []struct {
		chosen []string
		want   []string
	}{
		{nil, []string{text + "redis-watchdog, mine" + late}},
		{[]string{"mine"}, []string{text + "mine" + late}},
		{[]string{"mine under pauses"}, []string{text + "mine" + late}},
		{[]string{"pg-advisory-xact"}, nil},
	} {
		var got []string
		for _, w := range s.WarningsOf(test.chosen) {
			got = append(got, w.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.chosen, diff)
		}
	}
}

// What a lock of the caller's claims says that it hands out tokens.
func TestTheTokensOfALockWithClaimsOfFencingAreNamedIfTheResourceIgnoresThem(t *testing.T) {
	own := lock.Entry{Name: "mine", Claims: lock.FencedClaims(), New: func(lock.Deps) lock.Strategy { return nil }}
	for file, want := range map[string]string{
		"":                          "c.yaml:4:14: warning: mine: the resource ignores the fencing tokens of the lock: set resource.fence",
		"resource: {fence: writes}": "",
	} {
		s, err := Parse("c.yaml", []byte("name: c\nduration: 60s\nworkload: {kind: counter, hold: 100ms}\nstrategies: [mine]\nchecks: [fencing]\nfaults: [{at: 5s, pause: {target: each worker, for: 1s}}]\n"+file), own)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range s.Warnings {
			got += w.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
