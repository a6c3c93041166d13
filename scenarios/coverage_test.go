package scenarios

import (
	"cmp"
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
			used["work writes"] = used["work writes"] || w.Writes > 1
			used["work attempts"] = used["work attempts"] || w.Attempts > 1
			used["work fails"] = used["work fails"] || w.Fails > 0
			used["work does not look again"] = used["work does not look again"] || !w.Recheck
			used["work idempotency"] = used["work idempotency"] || w.Idempotency
			used["work sliding"] = used["work sliding"] || w.Sliding
			for _, p := range s.WorkloadInfo().Params {
				if p.Word != nil {
					used["work "+p.Name+": "+cmp.Or(p.Word.Of(w), p.Word.Known[0])] = true
				}
			}
		}
		for _, f := range s.Faults {
			used["fault "+string(f.Kind())] = true
		}
		for _, check := range s.Checks {
			used["check "+check] = true
		}
	}
	wanted := []string{"work writes", "work attempts", "work fails", "work does not look again", "work idempotency", "work sliding"}
	for _, p := range workload.Params(workload.Catalogue()) {
		if p.Word != nil {
			for _, word := range p.Word.Known {
				wanted = append(wanted, "work "+p.Name+": "+word)
			}
		}
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
