package redis

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// A server that crashes at 1 s for 1 s is back after its silence. A primary is replaced after the
// failover time if it is not back before, and then becomes the replica.
func TestACrashedServerComesBackAsItsLayoutSays(t *testing.T) {
	for _, test := range []struct {
		name    string
		layout  backend.Layout
		crashes []string
		want    []string
	}{
		{
			"servers that stand alone",
			backend.Layout{Names: []string{"lock-1", "lock-2", "lock-3"}},
			[]string{"lock-1", "lock-3"},
			[]string{"2s restarted lock-1", "2s restarted lock-3", "serving [lock-1 lock-2 lock-3]"},
		},
		{
			"a silence",
			backend.Layout{Names: []string{"lock"}, Silence: 3 * time.Second},
			[]string{"lock"},
			[]string{"5s restarted lock", "serving [lock]"},
		},
		{
			"a failover",
			backend.Layout{Names: []string{"lock", "lock-replica"}, Replicated: true, Failover: 500 * time.Millisecond},
			[]string{"lock"},
			[]string{"1.5s promoted lock-replica", "2s restarted lock", "serving [lock-replica]"},
		},
		{
			"back before the failover",
			backend.Layout{Names: []string{"lock", "lock-replica"}, Replicated: true, Failover: 2 * time.Second},
			[]string{"lock"},
			[]string{"2s restarted lock", "serving [lock]"},
		},
		{
			"no failover for a replica",
			backend.Layout{Names: []string{"lock", "lock-replica"}, Replicated: true, Failover: 500 * time.Millisecond},
			[]string{"lock-replica"},
			[]string{"2s restarted lock-replica", "serving [lock]"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := sim.New(sim.Config{})
			defer w.Close()
			var told []string
			l := test.layout
			l.Lag = draw.Fixed(time.Millisecond)
			l.WallOffset = func(string) time.Duration { return 0 }
			l.Record = func(e history.Event) { told = append(told, fmt.Sprintf("%v %s %s", w.Time(), e.Type, e.Node)) }
			c, err := NewCluster(w, l, Options{})
			if err != nil {
				t.Fatal(err)
			}
			w.At(time.Second, func() { c.Crash(test.crashes, faults.DataByPersistence, time.Second) })
			if err := w.Run(); err != nil {
				t.Fatal(err)
			}
			told = append(told, fmt.Sprintf("serving %v", c.Serving()))
			if diff := cmp.Diff(test.want, told); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}
