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
	const stall = time.Second
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
			_, _, err := ExploreRequest{Strategies: mine, Own: own, Stall: stall}.Place(t.Context(), s, nil)
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

// The run does not end, and its results are not waited for.
func TestASearchThatIsStoppedGivesUpItsCurrentRun(t *testing.T) {
	outside := make(chan struct{})
	defer close(outside)
	s := runtest.Parse(t, hangs)
	for name, execute := range map[string]func(context.Context, ExploreRequest) (bool, error){
		"Explore": func(ctx context.Context, r ExploreRequest) (bool, error) {
			e, err := Explore(ctx, s, r)
			return e.Partial && e.Tried() == 0, err
		},
		"Place": func(ctx context.Context, r ExploreRequest) (bool, error) {
			_, trials, err := r.Place(ctx, s, nil)
			return trials == nil, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			begun := make(chan struct{}, 9)
			own := []lock.Entry{{Name: "mine", New: func(lock.Deps) lock.Strategy { begun <- struct{}{}; return hung{outside} }}}
			go func() {
				<-begun
				stop()
			}()
			empty, err := execute(ctx, ExploreRequest{Strategies: []string{"mine"}, Own: own, Stall: time.Hour})
			if !empty || !errors.Is(err, context.Canceled) {
				t.Errorf("without results: %v; it ends with %v", empty, err)
			}
		})
	}
}
