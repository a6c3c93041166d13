package run

import (
	"context"
	"io"
	"time"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Request names one run.
type Request struct {
	// Label is that of the use of a strategy, or the name of a strategy.
	Label string
	Seed  uint64
	// Own are further strategies of the caller's, beside those of the scenario.
	Own []lock.Entry
	// Stall is the time, in real time, that the run may stay at one event; 0 for
	// [DefaultStall].
	Stall time.Duration
	// Trace gets a line for every event of the run; nil for none.
	Trace io.Writer
}

// Once executes one run of one use of a strategy, and returns all of it.
func Once(s *scenarios.Scenario, r Request) (*results.Trial, error) {
	pool := NewPool(s, r.Own, 1, r.Stall)
	uses, err := s.Uses([]string{r.Label}, pool.Own)
	if err != nil {
		return nil, err
	}
	pool.Trace = r.Trace
	return pool.One(context.Background(), s, uses[0], r.Seed)
}
