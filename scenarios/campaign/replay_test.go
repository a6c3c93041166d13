package campaign

import (
	"reflect"
	"testing"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// A token carries what was set, and repeats the run exactly.
func TestOverridesReplay(t *testing.T) {
	s, err := scenarios.LoadWith("kleppmann", []results.Override{{Path: "faults.pause.for", Value: "11s"}, {Path: "network.latency", Value: "{dist: uniform, min: 1ms, max: 5ms}"}})
	if err != nil {
		t.Fatal(err)
	}
	trial := trialOf(t, s, "redis", 3)
	token, err := results.ParseToken(trial.Replay)
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenarios.LoadWith(token.Scenario, token.Overrides)
	if err != nil || again.Hash != token.Hash {
		t.Fatalf("the token's scenario has the hash %s, and loads with %v, %v", token.Hash, again, err)
	}
	repeated, err := run.Once(again, run.Request{Label: token.Label, Seed: token.Seed})
	if err != nil || repeated.Checksum != token.Checksum {
		t.Errorf("%s repeats with %v, %v", trial.Replay, repeated, err)
	}
	if want := `kleppmann --set faults.pause.for=11s --set 'network.latency={dist: uniform, min: 1ms, max: 5ms}'`; s.Argument() != want {
		t.Errorf("a command line has %s, want %s", s.Argument(), want)
	}
}

// Every run of a campaign can be replayed: its token gives the same checksum.
func TestReplayTokensRepeatTheirRuns(t *testing.T) {
	s := loaded(t, "gc-pause")
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 5}})
	seen := 0
	for _, st := range c.Strategies {
		for _, f := range st.Failures {
			token, err := results.ParseToken(f.Trial.Replay)
			if err != nil {
				t.Fatal(err)
			}
			again := trialOf(t, s, token.Label, token.Seed)
			if again.Checksum != token.Checksum {
				t.Errorf("%s replays with checksum %s", f.Trial.Replay, again.Checksum)
			}
			if !reflect.DeepEqual(f.Trial.History, again.History) {
				t.Errorf("%s replays with another history", f.Trial.Replay)
			}
			seen++
		}
	}
	if seen == 0 {
		t.Error("no failure was replayed")
	}
}
