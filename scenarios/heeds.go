package scenarios

import (
	"cmp"

	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// HeedsOf returns how far the work of a worker heeds its context.
func (s *Scenario) HeedsOf(w workload.Settings, worker string) results.Heeds {
	return cmp.Or(s.EachOf(worker).Heeds, w.Heeds)
}

// HeedsOfWorkers returns the workers whose setting differs from that of the use, nil if there are
// none.
func (s *Scenario) HeedsOfWorkers(use Strategy) map[string]results.Heeds {
	var differ map[string]results.Heeds
	for _, e := range s.Each {
		if e.Heeds != "" && e.Heeds != s.WorkloadOf(use).Heeds {
			if differ == nil {
				differ = map[string]results.Heeds{}
			}
			differ[e.Worker] = e.Heeds
		}
	}
	return differ
}
