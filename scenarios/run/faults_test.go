package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/sim/backend"
	"lockquake/sim/redis/keyspace"
)

// What becomes of byHand: a single worker, or a second one that comes while the
// first is at work.
func alone() string {
	return change(byHand, "workers: 2", "workers: 1", "\neach: [{worker: worker-2, start: 900ms}]", "")
}

func together() string { return change(byHand, "start: 900ms", "start: 30ms") }

// change replaces every old by its new, which stand in turn.
func change(text string, oldnew ...string) string {
	return strings.NewReplacer(oldnew...).Replace(text)
}

// handMade is a run whose events can be worked out, from the fault on.
type handMade struct {
	name     string
	base     string
	strategy string
	faults   string // one a line
	want     string
}

// meet runs the scenario and compares what happened from its first fault on.
// All of its faults hit something.
func (h handMade) meet(t *testing.T) {
	t.Helper()
	var list strings.Builder
	for fault := range strings.SplitSeq(h.faults, "\n") {
		fmt.Fprintf(&list, "  - {%s}\n", strings.TrimSpace(fault))
	}
	trial := runtest.Trial(t, runtest.Parse(t, h.base+"faults:\n"+list.String()), h.strategy, 1)
	got := toldOf(trial.History)
	first := slices.IndexFunc(got, func(line string) bool { return strings.Contains(line, " fault ") })
	if first < 0 {
		t.Fatalf("no fault was injected:\n%s", strings.Join(got, "\n"))
	}
	compareEvents(t, h.want, got[first:])
	for i, b := range trial.Injections {
		if !b.Hit {
			t.Errorf("step %d hit nothing: %+v", i+1, b)
		}
	}
}

// Without a fault, the worker gets its lock at 5.03 ms, reads at 9.07, writes at
// 61.10, asks EVALSHA at 63.13 and EVAL at 65.14, which frees the lock, and is
// done at 66.15. To open a connection takes a round trip and a step, 2.01 ms,
// and so does each HELLO and each EVALSHA. A worker on new connections that goes
// to free its lock at t thus gets there at t + 7.03 ms.
func TestServerFaultsWorkedOutByHand(t *testing.T) {
	const stolen = `
20.00 fault %s of lock
20.00 evicted worker-1
20.00 heal %[1]s of lock
35.03 granted worker-2
36.04 acquired worker-2
39.07 applied worker-2 read 0 over 0
61.10 applied worker-1 write 1 over 0
%.2[2]f told worker-1
%.2[2]f released worker-1 "lost"
91.10 applied worker-2 write 1 over 1
93.13 freed worker-2
94.14 released worker-2 ""`
	for _, test := range []handMade{
		// EVALSHA is answered when the server goes on, and EVAL a round trip later.
		{"a frozen server", alone(), "redis", `at: 20ms, pause: {target: lock, for: 2s}`, `
20.00 fault pause of lock
61.10 applied worker-1 write 1 over 0
2020.00 heal pause of lock
2020.00 expired worker-1
2023.02 told worker-1
2023.02 released worker-1 "lost"`},
		{"a frozen resource", alone(), "redis", `at: 20ms, pause: {target: resource, for: 500ms}`, `
20.00 fault pause of resource
520.00 heal pause of resource
520.00 applied worker-1 write 1 over 0
524.04 freed worker-1
525.05 released worker-1 ""`},
		// It is up again before the next request, and the first worker needs a new
		// connection.
		{"a server that forgets", together(), "redis", `at: 20ms, crash: {target: lock, for: 1ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
21.00 heal crash of lock
21.00 restarted lock
35.03 granted worker-2
36.04 acquired worker-2
39.07 applied worker-2 read 0 over 0
61.10 applied worker-1 write 1 over 0
70.17 told worker-1
70.17 released worker-1 "lost"
91.10 applied worker-2 write 1 over 1
93.13 freed worker-2
94.14 released worker-2 ""`},
		// The dial of 62.13 ms is refused at 64.14, and go-redis dials again 100 ms
		// later: free at 164.14 + 7.03.
		{"a server that keeps its data", alone(), "redis", `at: 20ms, crash: {target: lock, data: kept, for: 100ms}`, `
20.00 fault crash of lock
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
171.17 freed worker-1
172.18 released worker-1 ""`},
		{"a server that persists", alone() + "servers: {persistence: always}\n", "redis", `at: 20ms, crash: {target: lock, for: 100ms}`, `
20.00 fault crash of lock
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
171.17 freed worker-1
172.18 released worker-1 ""`},
		// The lock was given 15 ms before, within the first second.
		{"a loss of power before the disk has it", alone() + "servers: {persistence: every-second}\n", "redis", `at: 20ms, crash: {target: lock, for: 100ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
172.18 told worker-1
172.18 released worker-1 "lost"`},
		{"a kill before the disk has it", alone() + "servers: {persistence: every-second}\n", "redis", `at: 20ms, crash: {target: lock, data: written, for: 100ms}`, `
20.00 fault crash of lock
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
171.17 freed worker-1
172.18 released worker-1 ""`},
		{"a kill of a server that writes nothing", alone(), "redis", `at: 20ms, crash: {target: lock, data: written, for: 100ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
172.18 told worker-1
172.18 released worker-1 "lost"`},
		{"a disk that is lost", alone() + "servers: {persistence: always}\n", "redis", `at: 20ms, crash: {target: lock, data: lost, for: 100ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
61.10 applied worker-1 write 1 over 0
120.00 heal crash of lock
120.00 restarted lock
172.18 told worker-1
172.18 released worker-1 "lost"`},
		{"a resource that is down", alone(), "redis", `at: 20ms, crash: {target: resource, for: 100ms}`, `
20.00 fault crash of resource
65.14 freed worker-1
66.15 released worker-1 "other"
120.00 heal crash of resource`},
		// Of the five requests of the worker, the dial alone is not served.
		{"a busy server", alone(), "redis", `at: 0s, overload: {target: lock, service: 10ms, for: 9s}`, `
0.00 fault overload of lock
25.03 granted worker-1
26.04 acquired worker-1
29.07 applied worker-1 read 0 over 0
81.10 applied worker-1 write 1 over 0
105.14 freed worker-1
106.15 released worker-1 ""
9000.00 heal overload of lock`},
		// The release asks at 63.13 ms for a script that is not known, and comes with it
		// at 65.14: the script is refused as it deletes.
		{"a server that refuses writes", alone(), "redis", `at: 20ms, answer-errors: {target: lock, with: READONLY, for: 2s}`, `
20.00 fault answer-errors of lock
61.10 applied worker-1 write 1 over 0
66.15 released worker-1 "unknown"
1006.00 expired worker-1
2020.00 heal answer-errors of lock`},
		// The take is refused at 5.03 ms, and given back at 7.04 and 9.05, since an error
		// does not say that nothing was done.
		{"a server that is short of memory", alone(), "redis", `at: 0s, answer-errors: {target: lock, with: OOM, for: 20ms}`, `
0.00 fault answer-errors of lock
10.06 released worker-1 "unknown"
20.00 heal answer-errors of lock`},
		{"a server that is short of memory lets keys be deleted", alone(), "redis", `at: 20ms, answer-errors: {target: lock, with: OOM, for: 2s}`, `
20.00 fault answer-errors of lock
61.10 applied worker-1 write 1 over 0
65.14 freed worker-1
66.15 released worker-1 ""
2020.00 heal answer-errors of lock`},
		// The first request of the release is refused already, whatever it asks for.
		{"a server that loads", alone(), "redis", `at: 20ms, answer-errors: {target: lock, with: LOADING, for: 50ms}`, `
20.00 fault answer-errors of lock
61.10 applied worker-1 write 1 over 0
64.14 released worker-1 "unknown"
70.00 heal answer-errors of lock
1006.00 expired worker-1`},
		// Answered at 64.14 ms, it asks again 20 ms later.
		{"a client that sends again what is refused while the server loads", alone() + "client: {max-retries: 3, min-retry-backoff: 20ms, max-retry-backoff: 20ms}\n", "redis", `at: 20ms, answer-errors: {target: lock, with: LOADING, for: 45ms}`, `
20.00 fault answer-errors of lock
61.10 applied worker-1 write 1 over 0
65.00 heal answer-errors of lock
87.15 freed worker-1
88.16 released worker-1 ""`},
		{"a deletion", together(), "redis", `at: 20ms, delete: {target: lock}`, fmt.Sprintf(stolen, "delete", 66.15)},
		{"an eviction", together(), "redis", `at: 20ms, evict: {target: lock}`, fmt.Sprintf(stolen, "evict", 66.15)},
		// The clients of the old primary need a new connection: 4.02 ms more.
		{
			"a failover before the write is there", together() + "servers: {replicas: 1, lag: 1s}\n", "redis",
			`at: 20ms, failover: {target: lock}`, change(fmt.Sprintf(stolen, "failover", 70.17), "20.00 heal", "20.00 promoted lock-replica\n20.00 heal"),
		},
		// The second worker is refused at 35.03 ms and asks again 102.01 later.
		{"a failover after it", together() + "servers: {replicas: 1, lag: 2ms}\n", "redis", `at: 20ms, failover: {target: lock}`, `
20.00 fault failover of lock
20.00 promoted lock-replica
20.00 heal failover of lock
61.10 applied worker-1 write 1 over 0
69.16 freed worker-1
70.17 released worker-1 ""
137.04 granted worker-2
138.05 acquired worker-2
141.08 applied worker-2 read 1 over 1
193.11 applied worker-2 write 2 over 1
195.14 freed worker-2
196.15 released worker-2 ""`},
		// The replica takes over 100 ms after the crash, and it is the one that is
		// dialled at 164.14 ms.
		{
			"a crash of the primary", alone() + "servers: {replicas: 1, lag: 1s, failover: 100ms}\n", "redis",
			`at: 20ms, crash: {target: lock, for: 3s}`, `
20.00 fault crash of lock
61.10 applied worker-1 write 1 over 0
120.00 evicted worker-1
120.00 promoted lock-replica
172.18 told worker-1
172.18 released worker-1 "lost"
3020.00 heal crash of lock
3020.00 restarted lock`,
		},
		// The second worker comes after the first one's write, and does not see it.
		{"a replica of the resource that lags", change(byHand, "start: 900ms", "start: 70ms"), "redis", `at: 20ms, stale: {target: resource, by: 5s, for: 9s}`, `
20.00 fault stale of resource
61.10 applied worker-1 write 1 over 0
65.14 freed worker-1
66.15 released worker-1 ""
75.03 granted worker-2
76.04 acquired worker-2
79.07 applied worker-2 read 0 over 1
131.10 applied worker-2 write 1 over 1
133.13 freed worker-2
134.14 released worker-2 ""
9020.00 heal stale of resource`},
	} {
		t.Run(test.name, test.meet)
	}
}

func TestLinkFaultsWorkedOutByHand(t *testing.T) {
	for _, test := range []handMade{
		// The dial of 62.13 ms is lost, and fails when the link heals; the next one
		// is 100 ms later.
		{"a partition that resets", alone(), "redis", `at: 20ms, partition: {from: worker-1, to: lock, mode: reset, for: 100ms}`, `
20.00 fault partition of worker-1->lock
61.10 applied worker-1 write 1 over 0
120.00 heal partition of worker-1->lock
227.03 freed worker-1
228.04 released worker-1 ""`},
		// The lock is there, but its holder does not know, and frees it.
		{"a reset", alone(), "redis", `when: {worker: worker-1, point: acquire.applied}, reset: {from: worker-1, to: lock}`, `
5.03 fault reset of worker-1->lock
5.03 heal reset of worker-1->lock
12.06 freed worker-1
13.07 released worker-1 "unknown"`},
		// Of the way there, not of the way back: 10 ms each for dial, HELLO and SET,
		// then for EVALSHA and EVAL.
		{"latency", alone(), "redis", `at: 0s, latency: {from: worker-1, to: lock, add: 10ms, for: 5s}`, `
0.00 fault latency of worker-1->lock
35.03 granted worker-1
36.04 acquired worker-1
39.07 applied worker-1 read 0 over 0
91.10 applied worker-1 write 1 over 0
115.14 freed worker-1
116.15 released worker-1 ""
5000.00 heal latency of worker-1->lock`},
		// The SET leaves at 4.03 ms, and comes long after the fault.
		{"latency at the last moment", alone(), "redis", `at: 4ms, latency: {from: worker-1, to: lock, add: 900ms, for: 1ms}`, `
4.00 fault latency of worker-1->lock
5.00 heal latency of worker-1->lock, its last message at 905.03
905.03 granted worker-1
906.04 acquired worker-1
909.07 applied worker-1 read 0 over 0
961.10 applied worker-1 write 1 over 0
965.14 freed worker-1
966.15 released worker-1 ""`},
		// What opens a connection is sent again after a second.
		{"loss", alone(), "redis", `at: 0s, loss: {from: worker-1, to: lock, percent: 100, for: 3ms}`, `
0.00 fault loss of worker-1->lock
3.00 heal loss of worker-1->lock, its last message at 1001.01
1005.03 granted worker-1
1006.04 acquired worker-1
1009.07 applied worker-1 read 0 over 0
1061.10 applied worker-1 write 1 over 0
1065.14 freed worker-1
1066.15 released worker-1 ""`},
		// Its second arrival takes the lock for a worker that does not use it, until it expires.
		{"a duplicate", alone(), "redis", `when: {worker: worker-1, point: acquire.sent}, duplicate: {for: 100ms}`, `
4.03 fault duplicate of worker-1
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
61.10 applied worker-1 write 1 over 0
65.14 freed worker-1
66.15 released worker-1 ""
104.03 heal duplicate of worker-1
105.03 granted worker-1
1106.00 expired worker-1`},
		// Two workers of one process, without a lock: the write is due at 55.07 ms,
		// and is kept until the other's read has come.
		{
			"a message that is overtaken", change(byHand, "[redis]", "[none]", "start: 900ms", "start: 53ms") + "processes: 1\n", "none",
			`when: {worker: worker-1, point: write.sent}, reorder: {for: 5s}`, `
54.07 fault reorder of worker-1
56.04 applied worker-2 read 0 over 0
56.04 applied worker-1 write 1 over 0
57.07 released worker-1 ""
108.07 applied worker-2 write 1 over 1
109.10 released worker-2 ""
5054.07 heal reorder of worker-1`,
		},
		// No message overtakes it.
		{"a message that is not overtaken", alone(), "redis", `when: {worker: worker-1, point: write.sent}, reorder: {for: 100ms}`, `
60.10 fault reorder of worker-1
160.10 heal reorder of worker-1
161.10 applied worker-1 write 1 over 0
165.14 freed worker-1
166.15 released worker-1 ""`},
		// The SET had no effect, which the worker cannot know: it goes to free the
		// lock, with EVALSHA at 6.04 ms and EVAL at 8.05.
		{"an error of the lock's server", alone(), "redis", `when: {worker: worker-1, point: acquire.sent}, error: {text: LOADING}`, `
4.03 fault error of worker-1
4.03 heal error of worker-1
10.06 released worker-1 "unknown"`},
		{"an error of the resource", alone(), "redis", `when: {worker: worker-1, point: write.sent}, error: {text: busy}`, `
60.10 fault error of worker-1
60.10 heal error of worker-1
65.14 freed worker-1
66.15 released worker-1 "unknown"`},
	} {
		t.Run(test.name, test.meet)
	}
}

func TestWorkerFaultsWorkedOutByHand(t *testing.T) {
	for _, test := range []handMade{
		// Only the section that begins meanwhile works for 2 s more.
		{"an overrun", byHand, "redis", `at: 0s, overrun: {target: worker-1, by: 2s, for: 1ms}`, `
0.00 fault overrun of worker-1
1.00 heal overrun of worker-1
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""
2061.10 applied worker-1 write 1 over 1
2064.14 told worker-1
2064.14 released worker-1 "lost"`},
		// The work stops at once, and the lock is freed anyway: EVALSHA leaves a step later.
		{"a cancelled section", alone(), "redis", `at: 20ms, cancel: {target: worker-1}`, `
20.00 fault cancel of worker-1
20.00 heal cancel of worker-1
23.02 freed worker-1
24.03 released worker-1 "cancelled"`},
		// This lock ends its process when a renewal fails, the first of which leaves
		// a third of the TTL after 6.05 ms. The process is back after a second; its
		// old lock has gone by then, and its second section goes well.
		{
			"a lock that ends its process", change(alone(), "[redis]", "[redis-watchdog-crash]", "sections: 1", "sections: 2", "hold: 50ms", "hold: 500ms"),
			"redis-watchdog-crash", `when: {worker: worker-1, point: renew.sent}, error: {text: LOADING}`, `
339.38 fault error of worker-1
339.38 heal error of worker-1
341.39 crashed worker-1
1006.00 expired worker-1
1346.42 granted worker-1
1347.43 acquired worker-1
1350.46 applied worker-1 read 0 over 0
1852.49 applied worker-1 write 1 over 0
1856.53 freed worker-1
1857.54 released worker-1 ""`,
		},
	} {
		t.Run(test.name, test.meet)
	}
}

func TestFaultsOfSeveralServersWorkedOutByHand(t *testing.T) {
	base := change(together(), "[redis]", "[redlock]") + "servers: {nodes: 3}\n"
	// patient keeps servers silent that have crashed at 20 ms for 1 ms, until the
	// TTL of 1 s is over too: until 1021 ms. The second worker asks once.
	patient := func(start string) string {
		return change(base, "start: 30ms", "start: "+start+", lock: {retry: {attempts: 1}}", "nodes: 3", "nodes: 3, delayed-restart: true")
	}
	for _, test := range []handMade{
		// Two of three forget: the second worker has a majority too. The first frees
		// what it has on the third and hears from the others at 70.17 ms.
		{"a majority that forgets", base, "redlock", `at: 20ms, crash: {target: lock-1, for: 1ms}
			at: 20ms, crash: {target: lock-2, for: 1ms}`, `
20.00 fault crash of lock-1
20.00 evicted worker-1
20.00 fault crash of lock-2
20.00 evicted worker-1
21.00 heal crash of lock-1
21.00 restarted lock-1
21.00 heal crash of lock-2
21.00 restarted lock-2
35.03 granted worker-2
35.03 granted worker-2
36.04 acquired worker-2
39.07 applied worker-2 read 0 over 0
61.10 applied worker-1 write 1 over 0
65.14 freed worker-1
70.17 told worker-1
70.17 released worker-1 "lost"
91.10 applied worker-2 write 1 over 1
93.13 freed worker-2
93.13 freed worker-2
94.14 released worker-2 ""`},
		// The first worker gives up to free its lock 50 ms after 62.13 ms. So does the
		// second to get one, after 1015.01 ms, and then it finds servers that are back
		// to tell them of it: dial, HELLO, EVALSHA and EVAL, 8.04 ms.
		{"servers that are silent for a while", patient("1015ms"), "redlock", `at: 20ms, crash: {target: lock, for: 1ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
20.00 evicted worker-1
20.00 evicted worker-1
21.00 heal crash of lock
61.10 applied worker-1 write 1 over 0
112.13 released worker-1 "unknown"
1021.00 restarted lock-1
1021.00 restarted lock-2
1021.00 restarted lock-3
1073.05 released worker-2 "unknown"`},
		{"servers that are back", patient("1021ms"), "redlock", `at: 20ms, crash: {target: lock, for: 1ms}`, `
20.00 fault crash of lock
20.00 evicted worker-1
20.00 evicted worker-1
20.00 evicted worker-1
21.00 heal crash of lock
61.10 applied worker-1 write 1 over 0
112.13 released worker-1 "unknown"
1021.00 restarted lock-1
1021.00 restarted lock-2
1021.00 restarted lock-3
1026.03 granted worker-2
1026.03 granted worker-2
1026.03 granted worker-2
1027.04 acquired worker-2
1030.07 applied worker-2 read 1 over 1
1082.10 applied worker-2 write 2 over 1
1086.14 freed worker-2
1086.14 freed worker-2
1086.14 freed worker-2
1087.15 released worker-2 ""`},
	} {
		t.Run(test.name, test.meet)
	}
}

// A fault hits something if it could have made a difference: it fell into the section of
// the only worker, 0 to 66.15 ms, or removed the key of a holder. The lock is
// held from 5.03 to 65.14 ms.
func TestFaultsCountAsHitsWhenTheyOverlapASection(t *testing.T) {
	const nothing, happens, hits = "nothing happens", "happens", "hits"
	replicated := alone() + "servers: {replicas: 1}\n"
	kept := change(alone(), "[redis]", "[redis-release-never]")
	either := change(alone(), "[redis]", "[redis, redlock]")
	cluster := change(alone(), "[redis]", "[redis, redlock, etcd]")
	for _, test := range []struct{ name, base, strategy, fault, want string }{
		{"a server while somebody works", alone(), "redis", "at: 20ms, pause: {target: lock, for: 1ms}", hits},
		{"a server while nobody works", alone(), "redis", "at: 500ms, pause: {target: lock, for: 1ms}", happens},
		{"a crash until somebody works", alone(), "redis", "at: 0s, crash: {target: lock, for: 1ms}", hits},
		{"a link while somebody works", alone(), "redis", "at: 20ms, latency: {from: worker-1, to: lock, add: 1ms, for: 1ms}", hits},
		{"a link while nobody works", alone(), "redis", "at: 500ms, latency: {from: worker-1, to: lock, add: 1ms, for: 1ms}", happens},
		{"a reset while somebody works", alone(), "redis", "at: 20ms, reset: {from: worker-1, to: lock}", hits},
		{"a reset while nobody works", alone(), "redis", "at: 500ms, reset: {from: worker-1, to: lock}", happens},
		{"a cancel while nobody works", alone(), "redis", "at: 500ms, cancel: {target: worker-1}", happens},
		{"an overrun in the midst of a section", alone(), "redis", "at: 20ms, overrun: {target: worker-1, by: 1s, for: 1s}", happens},
		{"an overrun from its begin", alone(), "redis", "at: 0s, overrun: {target: worker-1, by: 1s, for: 1ms}", hits},
		{"a deletion before the grant", alone(), "redis", "at: 4ms, delete: {target: lock}", happens},
		{"a deletion", alone(), "redis", "at: 20ms, delete: {target: lock}", hits},
		{"a deletion after the release, before its answer", alone(), "redis", "at: 66ms, delete: {target: lock}", happens},
		{"a deletion of what was left behind", kept, "redis-release-never", "at: 500ms, delete: {target: lock}", hits},
		{"an eviction of what has expired", kept, "redis-release-never", "at: 1100ms, evict: {target: lock}", happens},
		{"a failover", replicated, "redis", "at: 20ms, failover: {target: lock}", hits},
		{"a failover while nothing is granted", replicated, "redis", "at: 500ms, failover: {target: lock}", happens},
		{"a failover of a server without a replica", alone(), "redis", "at: 20ms, failover: {target: lock}", nothing},
		{"the leader of a server that has none", cluster, "redis", "at: 20ms, leader-change: {target: lock, for: 1ms}", nothing},
		{"the leader of independent servers", cluster, "redlock", "at: 20ms, leader-change: {target: lock, for: 1ms}", nothing},
		{"a server of another strategy", either, "redis", "at: 20ms, delete: {target: lock-2}", nothing},
		{"a server of this one", either, "redlock", "at: 20ms, delete: {target: lock-2}", hits},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial := runtest.Trial(t, runtest.Parse(t, test.base+"faults:\n  - {"+test.fault+"}\n"), test.strategy, 1)
			got := nothing
			switch b := trial.Injections[0]; {
			case b.Hit:
				got = hits
			case b.Happened:
				got = happens
			}
			if got != test.want {
				t.Errorf("it %s, want it to be that it %s", got, test.want)
			}
		})
	}
}

// The errors with which a plan can let a Redis server refuse commands are those that the simulated
// server knows.
func TestErrorsOfPlansAreConditionsOfServers(t *testing.T) {
	var conditions, codes []string
	for _, c := range keyspace.Conditions() {
		conditions = append(conditions, string(c))
	}
	for _, c := range scenarios.Families()[0].Prototype.(backend.Refuser).Refuses() {
		codes = append(codes, string(c))
	}
	slices.Sort(conditions)
	slices.Sort(codes)
	if diff := cmp.Diff(conditions, codes); diff != "" {
		t.Error(diff)
	}
}

// A replica is needed if a lock waits for it, if work reads from it, or if it becomes the primary.
func TestAFaultOfAReplicaHitsOnlyIfTheReplicaIsNeeded(t *testing.T) {
	const world = `
name: replica
description: two workers beside a replica that is paused
duration: 2s
workers: 2
workload: {kind: counter, hold: 50ms, think: 10ms}
lock: {ttl: 1s}
servers: {replicas: 1, failover: 100ms}
strategies: [redis-replica, redis-replica-wait]
checks: [lost-update]
faults:
  - {at: 500ms, pause: {target: lock-replica, for: 200ms}}
  - {at: 500ms, partition: {from: lock, to: lock-replica, for: 200ms, mode: hold}}
`
	const promoted = world + "  - {at: 1s, failover: {target: lock}}\n"
	for _, test := range []struct {
		name, text, strategy string
		want                 bool
	}{
		{"nobody needs it", world, "redis-replica", false},
		{"the lock waits for it", world, "redis-replica-wait", true},
		{"it becomes the primary", promoted, "redis-replica", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial := runtest.Trial(t, runtest.Parse(t, test.text), test.strategy, 1)
			for i, b := range trial.Injections[:2] {
				if !b.Happened || b.Hit != test.want {
					t.Errorf("fault %d: happened %v, hit %v, want it to hit: %v", i+1, b.Happened, b.Hit, test.want)
				}
			}
		})
	}
}
