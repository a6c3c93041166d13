package scenarios

import (
	"context"
	"testing"

	"lockquake/scenarios/results"
)

// rtParse reads the text of a scenario.
func rtParse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("quick.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rtLoad reads a built-in scenario.
func rtLoad(t *testing.T, name string) *Scenario {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rtCampaign carries out a campaign.
func rtCampaign(t *testing.T, s *Scenario, opts ...Option) *results.Campaign {
	t.Helper()
	c, err := Run(context.Background(), s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rtTrial carries out one run, and keeps all of it.
func rtTrial(t *testing.T, s *Scenario, label string, seed uint64, opts ...Option) *results.Trial {
	t.Helper()
	trial, err := RunOnce(s, label, seed, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}
