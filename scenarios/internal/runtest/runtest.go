// Package runtest reads and runs scenarios for the tests of several packages, and ends a
// test whose scenario cannot be read or run.
package runtest

import (
	"context"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
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

// Campaign carries out a campaign.
func Campaign(t *testing.T, s *scenarios.Scenario, opts ...campaign.Option) *results.Campaign {
	t.Helper()
	c, err := campaign.Run(context.Background(), s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Trial carries out one run, and keeps all of it.
func Trial(t *testing.T, s *scenarios.Scenario, label string, seed uint64, opts ...campaign.Option) *results.Trial {
	t.Helper()
	trial, err := campaign.Once(s, label, seed, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}
