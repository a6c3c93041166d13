package campaign

import (
	"cmp"
	"runtime"

	"lockquake/scenarios"
)

// GCPercent returns a good GOGC for a program that executes the campaign: the largest percentage from 25 to 400 with which the
// runs that are executed at the same time take less than 1.7 GB. With 5,000 workers, 400 takes a fifth less time than 25.
//
// Whole means that the program keeps the whole histories of its runs. A small run allocates much and keeps little. A large run
// keeps 15 KB for each worker, and its history; if it is judged lock by lock, it keeps the history of one lock at a time.
func GCPercent(s *scenarios.Scenario, r Request, whole bool) int {
	const (
		least, most = 25, 400
		worker      = 15e3  // bytes
		memory      = 1.7e9 // bytes
	)
	if !s.Large() {
		return most
	}
	history := s.HistoryBytes()
	if !whole && s.ByLock(r.Strategies) {
		history /= float64(s.Resources)
	}
	kept := worker*float64(s.Workers) + history
	return int(max(least, min(most, 100*(memory/(r.atOnce(s)*kept)-1))))
}

// atOnce returns the number of runs that are executed at a time.
func (r Request) atOnce(s *scenarios.Scenario) float64 {
	jobs := float64(cmp.Or(r.Jobs, runtime.GOMAXPROCS(0)))
	uses, err := s.Uses(r.Strategies, nil)
	if _, invalid := r.choose(s); err == nil && invalid == nil {
		jobs = min(jobs, float64(r.Seeds.Count())*float64(len(uses)))
	}
	return jobs
}
