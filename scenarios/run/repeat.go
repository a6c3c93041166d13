package run

import (
	"fmt"
	"slices"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// RepeatError is a run that ends otherwise than it did before.
type RepeatError struct {
	Label     string
	Seed      uint64
	Now, Then string // checksums
}

func (e *RepeatError) Error() string {
	return fmt.Sprintf("%s, seed %d: the run has checksum %s now and had %s before: this program or this lock does not repeat it; "+
		"time, tasks and random numbers must be those of its Env, and what its workers share must be kept in Deps.Process and outlive no run", e.Label, e.Seed, e.Now, e.Then)
}

// Repeats carries out a run twice, and says if they differ.
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

// OwnEvents gives a trial events of its own: they were the runner's, and would be
// the next run's.
func OwnEvents(t *results.Trial) {
	t.History = &history.History{Meta: t.History.Meta, Events: slices.Clone(t.History.Events)}
}
