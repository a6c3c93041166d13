package search

import (
	"testing"

	"lockquake/scenarios/internal/runtest"
)

// A fault may come while a server is in the middle of a request: a run goes on whatever the kind and the point.
func TestEveryKindOfFaultCanComeAtEveryPoint(t *testing.T) {
	var kinds []string
	for _, k := range PlacedKinds() {
		kinds = append(kinds, k.Name)
	}
	for _, strategy := range []string{"redis-watchdog", "redlock", "pg-advisory-session", "pg-lease-row", "etcd", "zookeeper", "dynamodb", "kube-lease"} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			s := runtest.Parse(t, `
name: every-kind
description: two workers want one lock
duration: 20s
workers: 2
workload: {kind: counter, hold: 1s}
lock: {ttl: 2s}
strategies: [`+strategy+`]
`)
			e, err := Explore(t.Context(), s, ExploreRequest{Kinds: kinds})
			if err != nil {
				t.Fatal(err)
			}
			if tried := e.Tried(); tried < 500 {
				t.Errorf("%d placements, want 500 at least", tried)
			}
		})
	}
}
