package run_test

import (
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

// A run is described by the most serious violated check that decides. A task that runs a second
// time because its lease is over is described by once, and not by belief, which decides nothing.
func TestMostTellingCheckDecides(t *testing.T) {
	s := runtest.Parse(t, `
name: visibility
duration: 3m
seeds: 1
workers: 3
workload: {kind: cron, hold: {dist: uniform, min: 8s, max: 12s}, period: 20s, key: tick}
lock: {ttl: 5s, retry: {attempts: 7, delay: 1s, jitter: 100ms}}
strategies:
  - {name: redis, label: shorter-than-task}
expect:
  shorter-than-task: {violates: [once], holds: [exclusion]}
`)
	trial := runtest.Trial(t, s, "shorter-than-task", 1)
	if violated := trial.Checks(checker.Invalid); !slices.Contains(violated, "belief") || trial.Telling != "once" {
		t.Errorf("violated are %v, and the run is told by %q, want once", violated, trial.Telling)
	}
	c := runtest.Campaign(t, s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 3}})
	if first := c.Strategies[0].Failures[0].Check; first != "once" {
		t.Errorf("the first failure is of %s, want once", first)
	}
}

// In a history the requests of the lock servers and of the resource have one
// numbering.
func TestRequestsHaveOneNumbering(t *testing.T) {
	for _, name := range []string{"lost-reply", "redlock-freeze", "check-then-write", "cron"} {
		t.Run(name, func(t *testing.T) {
			s := runtest.Load(t, name)
			trial := runtest.Trial(t, s, s.Strategies[len(s.Strategies)-1].Label, 1)
			side := map[int64]bool{}
			commands, operations := 0, 0
			for _, e := range trial.History.Events {
				var operation bool
				switch e.Type {
				case history.Granted, history.Refused, history.Renewed, history.NotRenewed, history.Freed:
					commands++
				case history.Invoke, history.Applied, history.OK, history.Fail, history.Info:
					operation = true
					operations++
				default:
					continue
				}
				if e.Request == 0 {
					t.Fatalf("event %d (%s) has no request", e.Seq, e.Type)
				}
				if before, seen := side[e.Request]; seen && before != operation {
					t.Fatalf("event %d (%s): request %d is of a lock server and of the resource", e.Seq, e.Type, e.Request)
				}
				side[e.Request] = operation
			}
			if commands == 0 || operations == 0 {
				t.Errorf("%d commands, %d operations", commands, operations)
			}
		})
	}
}

// A fault says what it hit: the message that it caught, the keys that it took away.
// Promotions and restarts are in the history when they happen, and not when they
// might have.
func TestFaultEventsNameTheirHits(t *testing.T) {
	const head = "name: hit\nduration: 20s\nseeds: 1\nworkers: 2\nworkload: {kind: counter, hold: 2s, think: 100ms}\n" +
		"lock: {ttl: 30s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}\n"
	tests := []struct{ name, text, want string }{
		{"evicted", "strategies: [redis-fenced]\nfaults:\n  - {at: 1s, evict: {target: lock, key: '*:fence'}}\n", "fault hit resource-1:fence"},
		{"deleted", "strategies: [redis-fenced]\nfaults:\n  - {at: 1s, delete: {target: lock, key: '*'}}\n", "fault hit resource-1, resource-1:fence; evicted"},
		{
			"a copy", "strategies: [redis]\nfaults:\n  - {when: {worker: worker-1, point: write.sent, nth: 1}, duplicate: {for: 5s}}\n",
			"fault caught write",
		},
		{
			"a failover", "servers: {replicas: 1, failover: 2s}\nstrategies: [redis]\nfaults:\n  - {at: 5s, crash: {target: lock, for: 4s}}\n",
			"fault; promoted lock-replica; restarted lock",
		},
		{
			"a crash that is over before the failover", "servers: {replicas: 1, failover: 4s}\nstrategies: [redis]\nfaults:\n  - {at: 5s, crash: {target: lock, for: 2s}}\n",
			"fault; evicted; restarted lock",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := runtest.Parse(t, head+tt.text)
			trial := runtest.Trial(t, s, s.Strategies[0].Label, 1)
			ops := map[int64]string{}
			for _, e := range trial.History.Events {
				if e.Type == history.Invoke {
					ops[e.Request] = e.Op
				}
			}
			var got []string
			for _, e := range trial.History.Events {
				switch e.Type {
				case history.FaultBegin:
					text := "fault"
					if e.Hit != "" {
						text += " hit " + e.Hit
					}
					if e.Request != 0 {
						text += " caught " + ops[e.Request]
					}
					got = append(got, text)
				case history.Evicted:
					got = append(got, "evicted")
				case history.Promoted, history.Restarted:
					got = append(got, string(e.Type)+" "+e.Node)
				default:
				}
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
		})
	}
}
