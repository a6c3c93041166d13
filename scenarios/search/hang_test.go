package search

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// hung is a lock that waits outside its Env.
type hung struct{ outside <-chan struct{} }

func (h hung) Do(context.Context, string, lock.Resource, lock.Body) error {
	<-h.outside
	return nil
}

const hangs = "name: hanging\nduration: 5s\nworkload: {kind: counter}\nlock: {ttl: 1s}\nstrategies: [redis]\n"

// A run that hangs is reported by everything that executes runs, and not only by a campaign.
func TestHangInASearchIsReported(t *testing.T) {
	outside := make(chan struct{})
	defer close(outside)
	s := runtest.Parse(t, hangs)
	const stall = 200 * time.Millisecond
	own := []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy { return hung{outside} }}}
	mine := []string{"mine"}
	for name, execute := range map[string]func() error{
		"Failing": func() error {
			_, _, err := Failing(t.Context(), s, FailingRequest{Strategies: mine, Own: own, Stall: stall})
			return err
		},
		"Shrink": func() error {
			_, err := Shrink(t.Context(), s, ShrinkRequest{Label: "mine", Seed: 1, Own: own, Stall: stall})
			return err
		},
		"Place": func() error {
			_, _, err := ExploreRequest{Strategies: mine, Own: own, Stall: stall}.Place(s, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var failed *run.Error
			var hang *run.HangError
			if err := execute(); !errors.As(err, &failed) || !errors.As(err, &hang) || failed.Label != "mine" {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}
