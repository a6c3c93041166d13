package locktest

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// The process is paused for 5 s in its work. Meanwhile its sleep ends, and then its lease. On waking it sends a late write if another
// processor ends the lease, and does it later: as often as the work of a lock of lockquake, never with one processor, in 24 % with two and
// in 40 % with eight. docs/model.md compares that with a stopped process.
func TestAWokenServiceMayWriteBeforeItsContextEnds(t *testing.T) {
	for _, test := range []struct{ cores, low, high int }{{1, 0, 0}, {2, 100, 140}, {8, 180, 230}} {
		t.Run(fmt.Sprint(test.cores), func(t *testing.T) {
			t.Chdir(t.TempDir())
			path := write(t, "waking.yaml", fmt.Sprintf(`name: waking
duration: 10s
workers: 1
sections: 1
cores: %d
workload: {kind: counter, hold: 1s}
network: {latency: 1ms}
strategies: [redis]
faults:
  - {at: 500ms, pause: {target: worker-1, for: 5s}}
checks: [lost-update]
`, test.cores))
			const runs = 500
			late := 0
			Do(t, path, func(d Deps) func(context.Context, string, Work) error {
				return func(ctx context.Context, key string, work Work) error {
					lease, stop := context.WithTimeout(ctx, 2*time.Second)
					defer stop()
					time.Sleep(time.Second)
					if d.Redis.Set(lease, key, 1, 0).Err() == nil {
						late++
					}
					return work(ctx, 0)
				}
			}, Seeds(runs), OneProcess())
			if late < test.low || late > test.high {
				t.Errorf("the late write is sent after %d of %d pauses", late, runs)
			}
		})
	}
}
