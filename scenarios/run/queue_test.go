package run_test

import (
	"fmt"
	"slices"
	"testing"

	"lockquake/history"
)

// Worker 2 waits in the queue behind a worker that crashed and whose lease ends after 20 s. A waiter answers that it did not
// obtain the lock only if another owner had it for too long. If its own session ends, it answers lost, so that its unit of
// work does not count as left to another worker.
func TestAWaiterWhoseSessionEndedAnswersLost(t *testing.T) {
	for _, c := range []struct {
		name, lock string
		want       history.Class
	}{
		{"its lease of 5 s ends in the queue", "{ttl: 5s}", history.ClassLost},
		{"its lease lasts", "{ttl: 60s}", history.ClassOK},
		{"it waits for 10 s at most", "{ttl: 60s, lock-timeout: 10s}", history.ClassNotObtained},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := ran(t, fmt.Sprintf(`
name: queued
duration: 40s
workers: 2
sections: 1
workload: {kind: counter, hold: 5s}
network: {latency: 1ms}
lock: {renewal: none}
strategies: [etcd]
each:
  - {worker: worker-1, lock: {ttl: 20s}}
  - {worker: worker-2, start: 500ms, lock: %s}
faults:
  - {at: 1s, crash: {target: worker-1, for: 1h}}
`, c.lock))
			var answers []history.Class
			left := 0
			for _, e := range trial.History.Events {
				switch {
				case e.Type == history.Released && e.Worker == "worker-2":
					answers = append(answers, e.Class)
				case e.Type == history.LeftQueue && e.Worker == "worker-2":
					left++
				}
			}
			if lost := c.want == history.ClassLost; lost != (left == 1) || left > 1 {
				t.Errorf("the lease of worker 2 ends %d times in the queue", left)
			}
			if want := []history.Class{c.want}; !slices.Equal(answers, want) {
				t.Errorf("worker 2 answers %v, want %v", answers, want)
			}
		})
	}
}

// Worker 2 is cut off from ZooKeeper while it is in the queue, and its session expires. Worker 1, which holds the lock, loses
// its session before that, which ends a grant.
func TestASessionThatEndsInTheQueue(t *testing.T) {
	trial := ran(t, `
name: queued
duration: 60s
workers: 2
sections: 1
workload: {kind: counter, hold: 5s}
network: {latency: 1ms}
lock: {ttl: 10s}
strategies: [zookeeper]
each:
  - {worker: worker-2, start: 500ms}
faults:
  - {at: 1s, partition: {from: worker-1, to: lock, for: 40s}}
  - {at: 1100ms, partition: {from: worker-2, to: lock, for: 40s}}
`)
	var ends []string
	for _, e := range trial.History.Events {
		if e.Type == history.Expired || e.Type == history.LeftQueue {
			ends = append(ends, fmt.Sprint(e.Type, " ", e.Worker, " ", e.With))
		}
	}
	slices.Sort(ends)
	if want := []string{"expired worker-1 ", "left-queue worker-2 session"}; !slices.Equal(ends, want) {
		t.Errorf("the sessions end as %q, want %q", ends, want)
	}
}
