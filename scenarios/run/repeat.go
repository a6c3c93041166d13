package run

import (
	"fmt"
	"slices"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// RepeatError reports a run that ended differently when it was repeated.
type RepeatError struct {
	Label     string
	Seed      uint64
	Now, Then string // checksums
}

func (e *RepeatError) Error() string {
	return fmt.Sprintf("%s, seed %d: the run has checksum %s now and had %s before: this program or this lock does not repeat it; "+
		"time, tasks and random numbers must be those of its Env, and what its workers share must be kept in Deps.Process and outlive no run", e.Label, e.Seed, e.Now, e.Then)
}

// Repeats executes a run twice, and returns a [*RepeatError] if the checksums differ.
func (r *Runner) Repeats(use scenarios.Strategy, seed uint64) error {
	then, err := r.Once(use, seed)
	if err != nil {
		return err
	}
	now, err := r.Once(use, seed)
	if err == nil && now.Checksum != then.Checksum {
		err = &RepeatError{use.Label, seed, now.Checksum, then.Checksum}
	}
	return err
}

// OwnEvents gives a trial its own copy of the events, which the runner overwrites in its next run.
func OwnEvents(t *results.Trial) {
	t.History = &history.History{Meta: t.History.Meta, Events: slices.Clone(t.History.Events)}
}
