package run_test

import (
	"strings"
	"testing"

	"lockquake/scenarios/internal/runtest"
)

// inSession is byHand with an advisory lock of a session, whose data is on a server of its own.
var inSession = strings.NewReplacer("[redis]", "[pg-advisory-session]", "lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}}\n", "").Replace(byHand)

// The lock is granted at 7.04 ms: a dial, a start-up and the preparation of the statement take 2.01 ms
// each. The first read of the resource needs a dial.
func TestEventsOfASessionLockWorkedOutByHand(t *testing.T) {
	for _, test := range []struct {
		name, settings, want string
	}{
		// Worker 1 is cut off from the server during its work. The server notices after 5 s, and gives
		// the lock to worker 2, while worker 1 still works. Its reset reaches worker 1, whose release then
		// sends nothing.
		{"a client that is cut off, noticed by the keep-alive", `
workload: {kind: counter, hold: 8s}
servers: {postgres: {keepalive: 5s}}
faults:
  - at: 100ms
    partition: {from: worker-1, to: lock, mode: drop, for: 20s}`, `
7.04 granted worker-1
8.05 acquired worker-1
11.08 applied worker-1 read 0 over 0
100.00 fault partition of worker-1->lock
5100.00 evicted worker-1
5100.00 granted worker-2
5101.01 acquired worker-2
5104.04 applied worker-2 read 0 over 0
8013.11 applied worker-1 write 1 over 0
8014.14 released worker-1 "unknown"
13106.07 applied worker-2 write 1 over 1
13110.11 freed worker-2
13111.12 released worker-2 ""
20100.00 heal partition of worker-1->lock`},
		// Without it the server learns of the cut when the link heals and the connection is reset.
		{"a client that is cut off, not noticed", `
workload: {kind: counter, hold: 8s}
faults:
  - at: 100ms
    partition: {from: worker-1, to: lock, mode: drop, for: 20s}`, `
7.04 granted worker-1
8.05 acquired worker-1
11.08 applied worker-1 read 0 over 0
100.00 fault partition of worker-1->lock
8013.11 applied worker-1 write 1 over 0
20100.00 heal partition of worker-1->lock
20100.00 evicted worker-1
20100.00 granted worker-2
20100.00 released worker-1 "unknown"
20101.01 acquired worker-2
20104.04 applied worker-2 read 1 over 1
28106.07 applied worker-2 write 2 over 1
28110.11 freed worker-2
28111.12 released worker-2 ""`},
		// The new primary knows no advisory lock. Worker 1 finds out at its release, worker 2 at once,
		// since it waits.
		{"a failover", `
workload: {kind: counter, hold: 2s}
servers: {replicas: 1, lag: 10ms}
faults:
  - at: 1s
    failover: {}`, `
7.04 granted worker-1
8.05 acquired worker-1
11.08 applied worker-1 read 0 over 0
1000.00 fault failover of lock
1000.00 evicted worker-1
1000.00 promoted lock-replica
1000.00 released worker-2 "unknown"
1000.00 heal failover of lock
2013.11 applied worker-1 write 1 over 0
2014.14 released worker-1 "unknown"`},
		// The context of worker 2 ends while it waits in the queue. It never gets the lock.
		{"a cancelled wait", `
workload: {kind: counter, hold: 2s}
faults:
  - at: 950ms
    cancel: {target: worker-2}`, `
7.04 granted worker-1
8.05 acquired worker-1
11.08 applied worker-1 read 0 over 0
950.00 fault cancel of worker-2
950.00 released worker-2 "cancelled"
950.00 heal cancel of worker-2
2013.11 applied worker-1 write 1 over 0
2017.15 freed worker-1
2018.16 released worker-1 ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(inSession, "workload: {kind: counter, hold: 50ms}\n", "", 1)
			trial := runtest.Trial(t, runtest.Parse(t, text+test.settings+"\n"), "pg-advisory-session", 1)
			compareEvents(t, test.want, toldOf(trial.History))
		})
	}
}
