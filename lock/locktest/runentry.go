package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
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
	newRequest(t, scenario, entry, options).run(t)
}

// patience is how long a test that fails looks for a smaller run, in real time.
const patience = 10 * time.Second

// run runs what the options select, and fails the test unless everything is as expected. In a process that has
// a part of the runs of a call, only this call does anything.
func (r *request) run(t testing.TB) {
	t.Helper()
	part := presentPart()
	switch token := *replayFlag; {
	case part != nil && part.Test == r.test && part.Call == r.call:
		r.runPart(t, part)
	case part != nil:
	case token != "":
		r.report(t, func(context.Context) (string, error) { return r.replay(token) })
	default:
		r.report(t, r.decide)
	}
}

// report fails the test if check returns an error or the text of a failure. Otherwise go test -v shows what was tried.
func (r *request) report(t testing.TB, check func(ctx context.Context) (string, error)) {
	t.Helper()
	switch failure, err := check(t.Context()); {
	case err != nil:
		t.Fatal(r.explain(err))
	case failure != "":
		t.Error(failure)
	case r.passed != "":
		t.Log(r.passed)
	}
}

// decide repeats the failure of the last run, if there was one, and runs the campaign unless the test still fails.
func (r *request) decide(ctx context.Context) (string, error) {
	if failure, err := r.again(); failure != "" || err != nil {
		return failure, err
	}
	return r.check(ctx)
}

// check runs the campaign. It returns the text of a failure, "" if everything is as expected.
func (r *request) check(ctx context.Context) (string, error) {
	s, err := r.loadExpecting()
	if err != nil {
		return "", err
	}
	result, err := r.campaign(ctx, s)
	if of, ok := errors.AsType[*run.Error](err); ok {
		r.remember(s.Token(of.Label, of.Seed, unfinished))
	}
	if err != nil {
		return "", err
	}
	if r.results != nil {
		r.results(result)
	}
	if result.Verdict == results.Pass || r.results != nil && !r.names() {
		r.passed = strings.TrimSpace(r.verdict(s, result))
		return "", nil
	}
	return r.failure(ctx, s, result), nil
}

// campaign runs the seeds of the scenario.
func (r *request) campaign(ctx context.Context, s *scenarios.Scenario) (result *results.Campaign, err error) {
	q := campaign.Request{Strategies: []string{r.entry.Name}, Stall: r.stall(), Jobs: r.jobs}
	if r.library == nil {
		return campaign.Run(ctx, s, q)
	}
	q.Jobs = 1 // the runs share the random numbers of the program
	n := r.processes(s.Seeds)
	if n == 1 {
		return campaign.Run(ctx, s, q)
	}
	err = r.spread(ctx, s, n, func(j *campaign.Journal) error {
		q.Journal = j
		result, err = campaign.Run(ctx, s, q)
		return err
	})
	return result, err
}

// stall returns how long a run may stay at one event, in real time; 0 for the default.
func (r *request) stall() time.Duration {
	if r.library == nil {
		return 0
	}
	return hangAfter
}

// loadExpecting reads the scenario of the request, with its seeds and the expectation that decides.
func (r *request) loadExpecting() (*scenarios.Scenario, error) {
	s, err := r.load(r.scenario, r.overrides)
	if err != nil {
		return nil, err
	}
	return s, r.expectIn(s)
}

// load reads a scenario that can name the lock, and prepares for its runs.
func (r *request) load(path string, overrides []results.Override) (*scenarios.Scenario, error) {
	s, err := r.read(path, overrides)
	if err != nil || r.library == nil {
		return s, err
	}
	r.library.rerun = func(seed uint64) string { return r.command(s.Token(r.entry.Name, seed, unfinished)) }
	return s, r.library.suits(s)
}

// read reads a scenario that can name the lock.
func (r *request) read(path string, overrides []results.Override) (*scenarios.Scenario, error) {
	s, err := scenarios.LoadWith(path, overrides, r.entry)
	if err != nil {
		return nil, fmt.Errorf("locktest: %w", err)
	}
	if wrong := r.unknownCheck(s.Checks); wrong != "" {
		return nil, fmt.Errorf("locktest: %s", wrong)
	}
	return s, nil
}

// expectIn sets the seeds of the scenario and the expectation that decides.
func (r *request) expectIn(s *scenarios.Scenario) error {
	if r.kinds != nil {
		return fmt.Errorf("locktest: Kinds: only Explore places faults; Run, Do and RunEntry have those of %s", s.Name)
	}
	if r.seeded && r.seeds < 1 {
		return fmt.Errorf("locktest: Seeds(%d): it must be a positive number", r.seeds)
	}
	if r.jobs < 0 {
		return fmt.Errorf("locktest: -lockquake.jobs %d: it must be 0 or a positive number", r.jobs)
	}
	if r.seeded {
		s.Seeds = r.seeds
	}
	uses, err := s.Uses([]string{r.entry.Name}, nil)
	if err != nil {
		return fmt.Errorf("locktest: %w", err)
	}
	expect := r.expect
	if !r.names() && r.library != nil {
		expect.Holds = slices.DeleteFunc(r.ofLibrary(s.Checks), checker.Advisory)
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
