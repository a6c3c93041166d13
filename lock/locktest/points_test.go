package locktest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"lockquake/scenarios/run"
)

// A pause at a point .called falls before the request leaves: it is sent when the pause is over.
func TestAPauseBeforeARequestLeaves(t *testing.T) {
	for _, test := range []struct {
		strategy, point, sent string
	}{
		{"redis", "acquire.called", "acquire"},
		{"pg-advisory-session", "connect.called", "connect"},
		{"pg-advisory-session", "query.called", "query"},
	} {
		t.Run(test.point, func(t *testing.T) {
			t.Chdir(t.TempDir())
			path := write(t, "called.yaml", `name: called
duration: 10s
workers: 1
sections: 1
workload: {kind: counter, hold: 1s}
network: {latency: 1ms}
lock: {ttl: 30s}
strategies: [`+test.strategy+`]
faults:
  - {when: {worker: worker-1, point: `+test.point+`, nth: 1}, pause: {target: worker-1, for: 5s}}
checks: [lost-update]
`)
			locks := newSetNX
			if test.strategy != "redis" {
				locks = onDatabase
			}
			withLibrary(t, path, lockerOf(locks), nil, func(r *request) {
				s, err := r.load(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				var trace bytes.Buffer
				if _, err := run.Once(s, run.Request{Label: r.entry.Name, Seed: 1, Trace: &trace}); err != nil {
					t.Fatal(err)
				}
				var got []string
				for line := range strings.Lines(trace.String()) {
					switch f := strings.Fields(line); {
					case f[1] == "pause", f[1] == "resume", f[1] == "point" && f[3] == test.point, f[1] == "sent" && f[3] == test.sent:
						got = append(got, f[1])
					}
				}
				if want := []string{"point", "pause", "resume", "sent"}; len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
					t.Errorf("got %v\n%s", got, trace.String())
				}
			})
		})
	}
}
