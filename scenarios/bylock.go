package scenarios

import (
	"slices"

	"lockquake/faults"
	"lockquake/lock"
)

// ByLock reports whether a campaign can judge each large run of the named strategies lock by lock, without its whole history.
// It may be false for a run whose plan has fewer faults than the scenario.
func (s *Scenario) ByLock(names []string) bool {
	uses, err := s.Uses(names, nil)
	deletes := func(spec faults.Spec) bool { return spec.Fault.Info().Hits == faults.HitsGrants }
	if err != nil || !s.WorkloadInfo().OneItem || slices.ContainsFunc(s.Faults, deletes) {
		return false
	}
	entries := s.entries()
	return !slices.ContainsFunc(uses, func(use Strategy) bool {
		i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name })
		return i < 0 || s.ServersOf(entries[i].Topology, use).Nodes > 1
	})
}
