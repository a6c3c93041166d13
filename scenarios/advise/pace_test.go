package advise

import (
	"testing"

	"lockquake/scenarios/campaign"
)

// The work is counted in requests, so that it is the same on every machine. The estimates are those when each lock has
// had one run, and two runs, under each cause.
func TestTheWorkOfAnAnswerIsEstimatedWithin30Percent(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes all steps")
	}
	for name, given := range map[string]map[string]string{
		"a lock that loses updates whatever is changed": nil,
		"a second lock is changed":                      {"topology": "failover", "renew": "1s", "ttl": "3s", "work": "200ms"},
		"a lock without a lease":                        {"topology": "database", "work": "2s"},
	} {
		t.Run(name, func(t *testing.T) {
			var expected []float64
			var a *adviser
			a, err := newAdviser(Request{Inputs: inputs(t, given), Path: "advice.yaml", Program: "lockquake", Seeds: 2, Progress: func(p campaign.Progress) {
				if n := len(a.pace.pairs); p.Done == n || p.Done == 2*n {
					expected = append(expected, a.pace.expected)
				}
				if p.Share <= 0 || p.Share > 1 || p.Total < p.Done {
					t.Errorf("after %d of %d runs the share is %v", p.Done, p.Total, p.Share)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.run(t.Context(), a.screen, a.smallestTTL, a.locks, a.longestTTL, a.vary); err != nil {
				t.Fatal(err)
			}
			for _, e := range expected {
				if ratio := e / float64(a.pace.done); ratio < 0.7 || ratio > 1.3 {
					t.Errorf("the work is %d requests and %.0f were expected, %.2f of it", a.pace.done, e, ratio)
				}
			}
			if len(expected) != 2 {
				t.Errorf("%d estimates", len(expected))
			}
		})
	}
}
