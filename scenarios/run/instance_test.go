package run_test

import (
	"context"
	"fmt"
	"testing"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// A process that starts again is another instance of its client.
func TestAProcessThatStartsAgainIsAnotherInstance(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		want        string // which instance each life of a worker is
	}{
		{"no crash", "- {at: 1s, pause: {target: worker-1, for: 1ms}}", "0 1"},
		{"a crash", "- {at: 1s, crash: {target: worker-1, for: 1s}}", "0 1 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lives []int
			seen := map[string]int{}
			e := lock.Entry{Name: "mine", New: func(d lock.Deps) lock.Strategy {
				if _, ok := seen[d.Instance]; !ok {
					seen[d.Instance] = len(seen)
				}
				lives = append(lives, seen[d.Instance])
				return unlocked{}
			}}
			s, err := scenarios.Parse("instance.yaml", []byte(`
name: instance
duration: 5s
workers: 2
workload: {kind: counter, hold: 100ms, think: 100ms}
strategies: [mine]
faults:
  `+tt.fault), e)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the same run again has the same instances
				lives = nil
				if _, err := run.Once(s, run.Request{Label: "mine", Seed: 1}); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(lives); got != "["+tt.want+"]" {
					t.Errorf("instances %s, want [%s]", got, tt.want)
				}
			}
		})
	}
}

type unlocked struct{}

func (unlocked) Do(ctx context.Context, _ string, r lock.Resource, body lock.Body) error {
	return body(ctx, bare{r})
}

type bare struct{ lock.Resource }

func (bare) Token() int64 { return 0 }
func (bare) Check() error { return nil }

func (b bare) Read(ctx context.Context, item string) (string, error) {
	return b.Resource.Read(ctx, item, 0)
}

func (b bare) Write(ctx context.Context, item, value string) error {
	return b.Resource.Write(ctx, item, value, 0)
}
