package campaign

import (
	"context"
	"strings"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

const boundedWait = `name: bounded
duration: 10s
seeds: 5
workers: 2
workload: {kind: counter, hold: 100ms}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 50ms}}
strategies: [redis]
expect:
  redis: {holds: [exclusion], finished: ">= 99 %", wait-p99: "<= 5s", lost: 0}
`

// A bound that is not met fails the scenario, and the reason has both figures.
func TestBoundsDecide(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		verdict        results.Outcome
		reason         string
	}{
		{name: "met", verdict: results.Pass},
		{"not met", "<= 5s", "<= 10ms", results.Fail, "not expected: redis: wait-p99 was expected to be <= 10ms, and is"},
		{"nothing was done", "hold: 100ms", "hold: 3h, fails: 100", results.Unknown, "redis finished 0 of"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(boundedWait, test.from, test.to, 1)
			if test.verdict == results.Unknown {
				text = strings.Replace(text, `, finished: ">= 99 %", wait-p99: "<= 5s", lost: 0`, "", 1)
			}
			s, err := scenarios.Parse("bounded.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			c, err := Run(context.Background(), s, Request{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Verdict != test.verdict || !strings.Contains(strings.Join(c.Reasons, "\n"), test.reason) {
				t.Errorf("%s (%q), want %s with %q", c.Verdict, c.Reasons, test.verdict, test.reason)
			}
		})
	}
}
