package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/libraries"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

func TestLibrariesNameWhatThereIs(t *testing.T) {
	taken := map[string]bool{}
	presets := map[string]lock.Entry{}
	for _, e := range scenarios.Strategies() {
		taken[e.Name], presets[e.Name] = true, e
	}
	for _, l := range libraries.All() {
		for _, name := range append(l.Aliases, l.Name) {
			if taken[name] || name != strings.ToLower(name) {
				t.Errorf("%s: the name %s is taken, or not in lower case", l.Name, name)
			}
			taken[name] = true
			if found, ok := libraries.Find(strings.ToUpper(name)); !ok || found.Name != l.Name {
				t.Errorf("%s is not found as %s", l.Name, name)
			}
		}
		if _, ok := presets[l.Preset]; !ok {
			t.Errorf("%s: no strategy is called %s", l.Name, l.Preset)
		}
		_, repository, _ := strings.Cut(l.Project, "/")
		for _, bug := range l.Bugs {
			if s, err := scenarios.Load(bug); err != nil || !strings.Contains(s.Source, repository) {
				t.Errorf("%s: the scenario %s (%v) does not name %s as its source", l.Name, bug, err, repository)
			}
		}
		if !strings.Contains(l.Project, "/") || len(l.Commit) != 40 {
			t.Errorf("%s has no repository or no commit", l.Name)
		}
		if !slices.ContainsFunc(l.Facts, func(f libraries.Fact) bool { return f.Kind == libraries.Same && f.File != "" }) {
			t.Errorf("%s: nothing that was read says why the preset is the nearest", l.Name)
		}
	}
}

// TestLibrariesRun runs each library with its own numbers, and by --strategy in a scenario that does
// not name it.
func TestLibrariesRun(t *testing.T) {
	for _, l := range libraries.All() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("name: x\nduration: 5s\nworkload: %s\nstrategies: [{name: %s, lock: {%s}}]\n", workloadOf(l), l.Preset, joined(l.Lock, l.Defaults))
			s, err := scenarios.Parse("x.yaml", []byte(text))
			if err != nil {
				t.Fatalf("its settings: %v\n%s", err, text)
			}
			uses, err := s.Uses([]string{l.Name}, nil)
			if err != nil || len(uses) != 1 || uses[0].Label != l.Name || uses[0].Name != l.Preset {
				t.Fatalf("--strategy %s runs %v, error %v", l.Name, uses, err)
			}
			entries := scenarios.Strategies()
			e := entries[slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == l.Preset })]
			params := s.ParamsOf(e.Defaults, uses[0], "worker-1")
			for part := range strings.SplitSeq(l.Lock, ", ") {
				if name, way, ok := strings.Cut(part, ": "); ok && name != "fallback" && params.Parts[name] != way {
					t.Errorf("the part %s is %q, want %q", name, params.Parts[name], way)
				}
			}
			trial, err := run.Once(s, run.Request{Label: l.Name, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			again, err := run.Once(s, run.Request{Label: l.Name, Seed: 1})
			if err != nil || again.Checksum != trial.Checksum {
				t.Errorf("a second run has the checksum %v, and not %v; error %v", again.Checksum, trial.Checksum, err)
			}
		})
	}
}

// A scenario names a library as the command line does. What it sets counts over the parts of the library.
func TestAScenarioCanNameALibrary(t *testing.T) {
	const text = "name: x\nduration: 5s\nworkload: {kind: counter, hold: 50ms}\nstrategies: [redsync, %s]\n"
	s, err := scenarios.Parse("x.yaml", fmt.Appendf(nil, text, "{name: RedLock.NET, label: ours, lock: {owner: random}}"))
	if err != nil {
		t.Fatal(err)
	}
	presets := map[string]lock.Entry{}
	for _, e := range scenarios.Strategies() {
		presets[e.Name] = e
	}
	for i, want := range []struct{ label, library, name, owner string }{
		{"redsync", "redsync", "redlock", "call"},
		{"ours", "redlock-net", "redlock-extend-deaf", "random"},
	} {
		use := s.Strategies[i]
		if got := s.ParamsOf(presets[use.Name].Defaults, use, "").Parts["owner"]; use.Label != want.label || use.Library != want.library || use.Name != want.name || got != want.owner {
			t.Errorf("%s is %s of %s, owner %s; want %+v", use.Label, use.Name, use.Library, got, want)
		}
	}
	for name, want := range map[string]string{"redlock-net": "ours", "redsync": "redsync", "redlock-extend-deaf": "ours"} {
		if uses, err := s.Uses([]string{name}, nil); err != nil || len(uses) != 1 || uses[0].Label != want {
			t.Errorf("--strategy %s runs %v, error %v; want %s", name, uses, err, want)
		}
	}
	var found []string
	for _, l := range s.LibrariesOf(nil) {
		found = append(found, l.Name)
	}
	if got := strings.Join(found, " "); got != "redsync redlock-net" {
		t.Errorf("the libraries are %s", got)
	}
	written, err := scenarios.Rewrite(s, "")
	if err != nil || !strings.Contains(string(written), "- redsync") || !strings.Contains(string(written), "name: redlock-net") {
		t.Errorf("%v: written as %s", err, written)
	}
	again, err := scenarios.Parse("y.yaml", written)
	if err != nil || again.Strategies[1].Library != "redlock-net" {
		t.Errorf("read again: %v", err)
	}
	if _, err := scenarios.Parse("x.yaml", fmt.Appendf(nil, text, "redsink")); err == nil || !strings.Contains(err.Error(), `x.yaml:4:23: unknown strategy "redsink"; did you mean "redsync"?`) {
		t.Errorf("a name with a typo: %v", err)
	}
}

// TestLibrariesFailWhereTheirPageSaysSo runs each library in the scenarios in which it is said to fail.
func TestLibrariesFailWhereTheirPageSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, l := range libraries.All() {
		if len(l.Fails) == 0 {
			t.Errorf("%s fails nowhere", l.Name)
		}
		for _, name := range l.Fails {
			t.Run(l.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s, err := scenarios.Load(name)
				if err != nil {
					t.Fatal(err)
				}
				const enough = 10
				c, err := campaign.Run(t.Context(), s, campaign.Request{Strategies: []string{l.Name}, Seeds: results.SeedRange{First: 1, Last: enough}})
				if err != nil {
					t.Fatal(err)
				}
				if st := c.Strategies[0]; !slices.ContainsFunc(st.Order, func(check string) bool {
					known, _ := checker.Lookup(check)
					return !known.Advisory && st.Checks[check].Violating > 0
				}) {
					t.Errorf("no check was violated in %d runs", enough)
				}
			})
		}
	}
}

// workloadOf returns a workload that has what the preset needs.
func workloadOf(l libraries.Library) string {
	switch {
	case strings.HasPrefix(l.Preset, "pg-skip-locked"):
		return "{kind: jobs, hold: 50ms}"
	case l.Preset == "optimistic-state":
		return "{kind: triggers, period: 1s, hold: 50ms}"
	case strings.HasPrefix(l.Preset, "kube-"):
		return "{kind: leader, period: 1s, hold: 50ms}"
	}
	return "{kind: counter, hold: 50ms}"
}

func joined(settings ...string) string {
	return strings.Join(slices.DeleteFunc(settings, func(s string) bool { return s == "" }), ", ")
}
