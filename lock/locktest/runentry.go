package locktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// RunEntry runs a scenario with a lock, and fails the test unless everything is as expected. The
// scenario is a file or the name of a built-in one. If the file names the lock, its uses run, else
// the lock runs in place of the scenario's strategies.
//
// The checks of [Holds] and [Violates] decide. Without these options the scenario's own expectation of
// the lock decides, or in a scenario of claims, such as redis-matrix, the claims of the entry. If
// there is none, every check decides except those that find no harm.
//
// The test also fails if the scenario does not load, if no fault hit anything, or if the runs are too
// few or finish too little work to tell.
func RunEntry(t testing.TB, scenario string, entry lock.Entry, options ...Option) {
	t.Helper()
	r := request{test: t.Name(), scenario: scenario, entry: entry, patience: patience}
	r.run(t, options)
}

// patience is how long a test that fails looks for a smaller run, in real time.
const patience = 10 * time.Second

// run runs what the options select, and fails the test unless everything is as expected.
func (r *request) run(t testing.TB, options []Option) {
	t.Helper()
	for _, option := range options {
		option(r)
	}
	check := r.check
	if token := *replayFlag; token != "" {
		check = func(context.Context) (string, error) { return r.replay(token) }
	}
	switch failure, err := check(t.Context()); {
	case err != nil:
		t.Fatal(explain(err))
	case failure != "":
		t.Error(failure)
	}
}

// check runs the campaign. It returns the text of a failure, "" if everything is as expected.
func (r *request) check(ctx context.Context) (string, error) {
	s, err := r.load(r.scenario, r.overrides)
	if err != nil {
		return "", err
	}
	if err := r.expectIn(s); err != nil {
		return "", err
	}
	q := campaign.Request{Strategies: []string{r.entry.Name}, Stall: r.stall()}
	if r.library != nil {
		q.Jobs = 1 // the runs share the random numbers of the program
	}
	result, err := campaign.Run(ctx, s, q)
	if err != nil {
		return "", err
	}
	if result.Verdict == results.Pass {
		return "", nil
	}
	return r.failure(ctx, s, result), nil
}

// stall returns how long a run may stay at one event, in real time; 0 for the default.
func (r *request) stall() time.Duration {
	if r.library == nil {
		return 0
	}
	return hangAfter
}

// load reads a scenario that can name the lock.
func (r *request) load(path string, overrides []results.Override) (*scenarios.Scenario, error) {
	s, err := scenarios.LoadWith(path, overrides, r.entry)
	if err != nil {
		return nil, fmt.Errorf("locktest: %w", err)
	}
	if wrong := r.unknownCheck(s.Checks); wrong != "" {
		return nil, fmt.Errorf("locktest: %s", wrong)
	}
	if r.library != nil {
		return s, r.library.suits(s)
	}
	return s, nil
}

// expectIn sets the seeds of the scenario and the expectation that decides.
func (r *request) expectIn(s *scenarios.Scenario) error {
	if r.seeds < 0 {
		return fmt.Errorf("locktest: Seeds(%d): it is a positive number", r.seeds)
	}
	if r.seeds > 0 {
		s.Seeds = r.seeds
	}
	uses, err := s.Uses([]string{r.entry.Name}, nil)
	if err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	expect := r.expect
	if len(expect.Holds)+len(expect.Violates) == 0 && r.library != nil {
		expect.Holds = ofLibrary(s.Checks)
	}
	if len(expect.Holds)+len(expect.Violates) > 0 {
		s.Claims, s.Expect = false, map[string]results.Expect{}
		for _, use := range uses {
			s.Expect[use.Label] = expect
		}
		return nil
	}
	for _, use := range uses {
		if _, expected := s.ExpectOf(use); expected {
			return nil
		}
	}
	s.Claims, s.Expect = false, nil
	return nil
}
