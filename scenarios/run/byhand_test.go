package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/scenarios/internal/runtest"
)

// byHand is a scenario without any chance in it: constant latency of 1 ms, a
// step of 10 us, a poll every 100 ms, a hold of 50 ms, a TTL of 1 s.
const byHand = `
name: by-hand
duration: 10s
workers: 2
sections: 1
workload: {kind: counter, hold: 50ms}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}}
network: {latency: 1ms}
strategies: [redis]
each: [{worker: worker-2, start: 900ms}]
`

// toldOf lists the events of a history that a person would work out, with their
// times in milliseconds. Polls that were refused are counted only.
func toldOf(h *history.History) []string {
	var lines []string
	for _, e := range h.Events {
		var what string
		switch e.Type {
		case history.Granted, history.Expired, history.Freed, history.Evicted, history.Acquired, history.Told, history.Crashed:
			what = e.Worker
		case history.Applied:
			what = fmt.Sprintf("%s %s %s over %s", e.Worker, e.Op, e.Value, e.Prior)
		case history.FaultBegin, history.FaultEnd:
			what = fmt.Sprintf("%s of %s", e.Kind, e.Target)
			if e.Type == history.FaultEnd && e.Until != 0 {
				what += fmt.Sprintf(", its last message at %.2f", float64(e.Until)/float64(time.Millisecond))
			}
		case history.Promoted, history.Restarted:
			what = e.Node
		case history.Released:
			what = fmt.Sprintf("%s %q", e.Worker, e.Class)
		case history.Refused, history.AcquireCalled, history.ReleaseCalled, history.Invoke, history.OK, history.Fail,
			history.Info, history.Renewed, history.NotRenewed, history.LeftQueue, history.Final:
			continue
		}
		lines = append(lines, fmt.Sprintf("%.2f %s %s", float64(e.At)/float64(time.Millisecond), e.Type, what))
	}
	return lines
}

// compareEvents holds what happened to the lines that were worked out.
func compareEvents(t *testing.T, worked string, got []string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(worked), "\n"), got); diff != "" {
		t.Errorf("events (-worked out +got):\n%s", diff)
	}
}

func TestEventsWorkedOutByHand(t *testing.T) {
	for _, test := range []struct {
		name     string
		strategy string
		fault    string
		want     string
	}{
		// Worker 1 comes to lease-checked at 60.09 ms (see the calibration) and is
		// paused for 2 s, and does the step after waking. Redis got its SET at 5.03 ms, in its millisecond 5, so
		// the key goes with millisecond 1006. Worker 2 starts at 900 ms and polls
		// at 905.03 and, each 102.01 ms later (a round trip, a step, 100 ms), at
		// 1007.04 ms, when the key has gone.
		{"a pause between the check and the write", "redis", `
  - when: {worker: worker-1, point: lease-checked}
    pause: {for: 2s}`, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
60.09 fault pause of worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""
2060.09 heal pause of worker-1
2061.10 applied worker-1 write 1 over 1
2064.14 told worker-1
2064.14 released worker-1 "lost"`},
		// The same write, sent at 60.10 ms, is at the far end of the network at
		// 61.10 ms and held there for 2 s. The worker is awake and waits for it.
		{"a late write", "redis", `
  - when: {worker: worker-1, point: write.sent}
    hold: {for: 2s}`, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
60.10 fault hold of worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""
2060.10 heal hold of worker-1
2061.10 applied worker-1 write 1 over 1
2064.14 told worker-1
2064.14 released worker-1 "lost"`},
		// The holder crashes at the same point. Its key is not released, but
		// expires. When worker 1 is back it has done its one section.
		{"a crash of the holder", "redis", `
  - when: {worker: worker-1, point: lease-checked}
    crash: {for: 3s}`, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
60.09 fault crash of worker-1
60.09 crashed worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""
3060.09 heal crash of worker-1`},
		// The server's clock goes 2 s ahead at 500 ms: the key of worker 1 goes at
		// once, and worker 2 is let in by its first SET, at 905.03 ms.
		{"a step of the server's clock", "redis", `
  - when: {worker: worker-1, point: lease-checked}
    pause: {for: 2s}
  - at: 500ms
    clock-step: {target: lock, by: 2s, for: 5s}`, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
60.09 fault pause of worker-1
500.00 fault clock-step of lock
500.00 expired worker-1
905.03 granted worker-2
906.04 acquired worker-2
909.07 applied worker-2 read 0 over 0
961.10 applied worker-2 write 1 over 0
965.14 freed worker-2
966.15 released worker-2 ""
2060.09 heal pause of worker-1
2061.10 applied worker-1 write 1 over 1
2064.14 told worker-1
2064.14 released worker-1 "lost"
5500.00 heal clock-step of lock`},
		// The holder's machine sleeps for 2 s, 10 us before its write leaves. Its
		// monotonic clock stands still, so those 10 us are still to come, and its
		// clock would have found the lease good all the time.
		{"a suspended holder", "redis-checked", `
  - when: {worker: worker-1, point: lease-checked}
    suspend: {for: 2s}`, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
60.09 fault suspend of worker-1
1006.00 expired worker-1
1007.04 granted worker-2
1008.05 acquired worker-2
1011.08 applied worker-2 read 0 over 0
1063.11 applied worker-2 write 1 over 0
1067.15 freed worker-2
1068.16 released worker-2 ""
2060.09 heal suspend of worker-1
2061.10 applied worker-1 write 1 over 1
2064.14 told worker-1
2064.14 released worker-1 "lost"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial := runtest.Trial(t, runtest.Parse(t, byHand+"faults:"+test.fault+"\n"), test.strategy, 1)
			compareEvents(t, test.want, toldOf(trial.History))
		})
	}
}

// The renewing task of the only worker is stalled while its work goes on. The
// holder counts its lease from before its call, at 0.01 ms, since it cannot know
// when the request left. So it is told at 1000.01 ms, by a task of its own, and
// its work stops. The release waits for the renewal that is under way: that
// wakes at 2100 ms, passes its point, finds itself stopped, and ends 10 us
// later. EVALSHA, EVAL, and the server says that it had given the lock up.
func TestStalledRenewalWorkedOutByHand(t *testing.T) {
	text := strings.NewReplacer("workers: 2", "workers: 1", "hold: 50ms", "hold: 1500ms",
		"[redis]", "[redis-watchdog]", "each: [{worker: worker-2, start: 900ms}]", "").Replace(byHand)
	trial := runtest.Trial(t, runtest.Parse(t, text+`
faults:
  - at: 100ms
    stall: {target: worker-1, task: renewal, for: 2s}
`), "redis-watchdog", 1)
	compareEvents(t, `
5.03 granted worker-1
6.04 acquired worker-1
9.07 applied worker-1 read 0 over 0
100.00 fault stall of worker-1
1000.01 told worker-1
1006.00 expired worker-1
2100.00 heal stall of worker-1
2104.03 released worker-1 "lost"`, toldOf(trial.History))
}
