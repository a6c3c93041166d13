// Package runtest reads and runs scenarios for the tests of several packages, and ends a
// test whose scenario cannot be read or run.
package runtest

import (
	"context"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// Parse reads the text of a scenario.
func Parse(t *testing.T, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("quick.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Load reads a built-in scenario.
func Load(t *testing.T, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Campaign runs a campaign.
func Campaign(t *testing.T, s *scenarios.Scenario, r campaign.Request) *results.Campaign {
	t.Helper()
	c, err := campaign.Run(context.Background(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Trial executes one run, and returns all of it.
func Trial(t *testing.T, s *scenarios.Scenario, label string, seed uint64) *results.Trial {
	t.Helper()
	trial, err := run.Once(s, run.Request{Label: label, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

// InStep is a scenario in which the waiters of many locks ask for them at the same instants, and too few of each
// lock for a peak.
const InStep = `
name: in-step
description: workers that poll without jitter
duration: 520s
workers: 100
resources: 25
workload: {kind: counter, hold: 60s, think: 0s}
network: {latency: 1ms}
lock: {ttl: 90s, retry: {attempts: unlimited, delay: 5s, jitter: 0s}}
strategies: [redis]
checks: [lost-update, load]
`
