package scenarios

import (
	"testing"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// Every strategy, policy, workload, fault and check runs in at least one
// built-in scenario, and so does each way in which work differs.
func TestBuiltinsUseTheCatalogues(t *testing.T) {
	used := map[string]bool{}
	for _, name := range Builtins() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		used["workload "+s.Workload.Kind] = true
		for _, use := range s.Strategies {
			used["strategy "+use.Name] = true
			used["fence "+s.ResourceOf(use).Fence] = true
			w := s.WorkloadOf(use)
			used["work heeds: "+string(w.Heeds)] = true
			used["work commit: "+string(w.Commit)] = true
			used["work writes"] = used["work writes"] || w.Writes > 1
			used["work attempts"] = used["work attempts"] || w.Attempts > 1
			used["work fails"] = used["work fails"] || w.Fails > 0
		}
		for _, f := range s.Faults {
			used["fault "+string(f.Kind())] = true
		}
		for _, check := range s.Checks {
			used["check "+check] = true
		}
	}
	wanted := []string{"work writes", "work attempts", "work fails"}
	for _, commit := range []workload.Commit{workload.CommitInside, workload.CommitAfterRelease} {
		wanted = append(wanted, "work commit: "+string(commit))
	}
	for _, e := range Strategies() {
		wanted = append(wanted, "strategy "+e.Name)
	}
	for _, p := range resource.Policies() {
		wanted = append(wanted, "fence "+string(p.Policy))
	}
	for _, w := range workload.Catalogue() {
		wanted = append(wanted, "workload "+w.Name)
	}
	for _, k := range faults.Kinds() {
		wanted = append(wanted, "fault "+string(k.Kind))
	}
	for _, c := range checker.Catalogue() {
		wanted = append(wanted, "check "+c.Name)
	}
	for _, name := range wanted {
		if !used[name] {
			t.Errorf("no built-in scenario uses the %s", name)
		}
	}
}
