package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockquake/lock"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

// Explore removes the faults of a scenario, and runs it once for each kind of fault at each point of a small run
// of a lock library, as the command lockquake explore does. The test fails if one of these runs corrupts the
// resource, or violates a check of [Holds]. With [Violates] it fails if no run violates one of these checks. As for [Run], the
// checks told and errors judge a library only if these options name them. [Kinds] names the kinds of faults.
func Explore(t *testing.T, scenario string, new func(Deps) lock.Locker, options ...Option) { //nolint:predeclared // new makes a lock
	t.Helper()
	withLibrary(t, scenario, lockerOf(new), options, func(r *request) {
		t.Helper()
		switch part := presentPart(); {
		case *replayFlag != "":
			t.Log("locktest: Explore runs nothing with -lockquake.replay: a token names a run of a scenario")
		case part == nil:
			r.report(t, r.explore)
		}
	})
}

// explore returns the text of a failure, "" if everything is as expected.
func (r *request) explore(ctx context.Context) (string, error) {
	if r.seeded {
		return "", fmt.Errorf("locktest: Seeds(%d): Explore has one run for each place of a fault, all with the same seed", r.seeds)
	}
	s, err := r.read(r.scenario, r.overrides)
	if err != nil {
		return "", err
	}
	s.Faults = nil // Explore removes them, so they need not suit
	if err := r.library.suits(s); err != nil {
		return "", err
	}
	s.Checks = r.ofLibrary(s.Checks)
	x, err := search.Explore(ctx, s, search.ExploreRequest{Kinds: r.kinds, Strategies: []string{r.entry.Name}, Jobs: 1, Stall: r.stall()})
	if impossible, ok := errors.AsType[*search.Error](err); ok {
		return "", fmt.Errorf("locktest: Kinds: %w", impossible)
	}
	if err != nil {
		return "", err
	}
	st := x.Strategies[0]
	var wrong []string
	for _, check := range r.expect.Violates {
		if st.Checks[check] == 0 {
			wrong = append(wrong, check+" is violated by no placement (expected)")
		}
	}
	for _, check := range r.expect.Holds {
		if n := st.Checks[check]; n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s is violated by %d of %d placements", check, n, st.Tried))
		}
	}
	if corrupting := st.Harmful(results.Corrupts); !r.names() && len(corrupting) > 0 {
		wrong = append(wrong, fmt.Sprintf("the resource is corrupted by %d of %d placements, first by %s", len(corrupting), st.Tried, strings.Join(slices.Compact(corrupting[0].Texts()), " and ")))
	}
	if len(wrong) == 0 {
		r.passed = fmt.Sprintf("%s: %d placements of a fault, as expected", s.Name, st.Tried)
		return "", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", s.Name, strings.Join(wrong, "; "))
	if err := tables.Exploration(&b, x, words.Screen{Width: widest}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// widest is the width of a table in the log of a test, in columns. It has room for a whole row with the longest label and
// placement; a test log has no width.
const widest = 200
