package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
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

// told lists the events of a history that a person would work out, with their
// times in milliseconds. Polls that were refused are counted only.
func toldOf(h *history.History) []string {
	var lines []string
	for _, e := range h.Events {
		var what string
		switch e.Type {
		case history.Granted, history.Expired, history.Freed, history.Acquired, history.Told:
			what = e.Worker
		case history.Applied:
			what = fmt.Sprintf("%s %s %s over %s", e.Worker, e.Op, e.Value, e.Prior)
		case history.FaultBegin, history.FaultEnd:
			what = fmt.Sprintf("%s of %s", e.Kind, e.Target)
		case history.Released:
			what = fmt.Sprintf("%s %q", e.Worker, e.Class)
		case history.Refused, history.AcquireCalled, history.ReleaseCalled, history.Invoke, history.OK, history.Fail,
			history.Info, history.Crashed, history.Renewed, history.Evicted, history.Final:
			continue
		}
		lines = append(lines, fmt.Sprintf("%.2f %s %s", float64(e.At)/float64(time.Millisecond), e.Type, what))
	}
	return lines
}

func TestEventsWorkedOutByHand(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault string
		want  string
	}{
		// Worker 1 comes to lease-checked at 60.09 ms (see the calibration) and is
		// paused for 2 s. Redis got its SET at 5.03 ms, in its millisecond 5, so
		// the key goes with millisecond 1006. Worker 2 starts at 900 ms and polls
		// at 905.03 and, each 102.01 ms later (a round trip, a step, 100 ms), at
		// 1007.04 ms, when the key has gone.
		{"a pause between the check and the write", `
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
2061.09 applied worker-1 write 1 over 1
2064.13 told worker-1
2064.13 released worker-1 "lost"`},
		// The same write, sent at 60.10 ms, is at the far end of the network at
		// 61.10 ms and held there for 2 s. The worker is awake and waits for it.
		{"a late write", `
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
	} {
		t.Run(test.name, func(t *testing.T) {
			trial, err := RunOnce(parseText(t, byHand+"faults:"+test.fault+"\n"), "redis", 1)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSpace(test.want), "\n")
			if diff := cmp.Diff(want, toldOf(trial.History)); diff != "" {
				t.Errorf("events (-worked out +got):\n%s", diff)
			}
		})
	}
}
