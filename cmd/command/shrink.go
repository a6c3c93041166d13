package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/reports/story"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
	"lockquake/scenarios/search"
)

// shrinkFlags are the flags of lockquake shrink.
type shrinkFlags struct {
	program  program
	strategy string
	seed     uint64
	check    string
	sets     []string
	pauses   string
	out      string
	quiet    bool
}

func (p program) newShrink() *cobra.Command {
	f := shrinkFlags{program: p}
	cmd := &cobra.Command{
		Use:   "shrink TOKEN|SCENARIO",
		Short: "Reduce a failing run as far as possible",
		Long: `Shrink takes a failing run and makes it smaller as long as it still violates the same
check: fewer faults, fewer workers and sections, shorter times. It prints the story of the
smallest run, and writes it as a scenario file.

The run is that of a replay token, or of a scenario with --strategy and --seed. Without a seed,
shrink takes the first failing run. Stopped by Ctrl-C, it writes the smallest run so far.

Exit codes: 0 the file is written; 64 usage or scenario error, or a run that does not
fail; 70 a fault of lockquake or of the lock under test itself; 130 interrupted.`,
		Example: `  lockquake shrink gc-pause --strategy redis
  lockquake shrink gc-pause --strategy redis --seed 17 --check linearizable --out small.yaml`,
		Args:              exactlyOne("one token or one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	setFlag(cmd, &f.sets)
	pausesFlag(cmd, &f.pauses)
	flags.StringVar(&f.strategy, "strategy", "", "strategy, label or library such as redsync (default: the first that fails)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the run (default: the first that fails)")
	PositiveFlags(flags, "seed")
	flags.StringVar(&f.check, "check", "", "check that the smaller run must violate (default: the most serious one)")
	flags.StringVar(&f.out, "out", "shrunk.yaml", "file to write the small scenario to")
	quietFlag(cmd, &f.quiet)
	completeFlag(cmd, "strategy", p.completeStrategies)
	completeFlag(cmd, "seed", cobra.NoFileCompletions)
	completeFlag(cmd, "check", p.completeChecksOf)
	return cmd
}

func (f *shrinkFlags) run(ctx context.Context, arg string, stdout, stderr io.Writer) error {
	if err := mayWriteScenario("out", f.out); err != nil {
		return err
	}
	s, err := f.find(ctx, arg)
	if err != nil {
		return shrinkError(err)
	}
	noteLibraries(stderr, s, []string{f.strategy})
	var told func(search.Extent)
	if !f.quiet {
		var last search.Extent
		told = func(e search.Extent) {
			if e != last {
				say(stderr, "still failing: %v", e)
			}
			last = e
		}
	}
	small, err := search.Shrink(ctx, s, search.ShrinkRequest{Label: f.strategy, Seed: f.seed, Check: f.check, Path: f.out, Told: told, Comment: func(seed uint64) string {
		return fmt.Sprintf("Made by lockquake shrink. Run it with: %s reproduce FILE --seed %d", f.program.name, seed)
	}})
	if small == nil {
		return shrinkError(err)
	}
	if err := writeScenario(f.out, small.Scenario.Text); err != nil {
		return err
	}
	if err := f.confirm(small); err != nil {
		return err
	}
	if err := story.TellCheck(small.Trial, small.Check).Write(stdout, screenOf(stdout)); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	say(stdout, "%s violated by %v,", small.Check, small.To)
	say(stdout, "where there were %v; found in %d runs", small.From, small.Runs)
	fmt.Fprintf(stdout, "scenario: %s\n", f.out)
	if small.Partial {
		return interruptError{"it may be made smaller yet"}
	}
	return nil
}

// shrinkError turns the error for a run that does not fail into a usage error.
func shrinkError(err error) error {
	if errors.Is(err, search.ErrHolds) {
		return usageError{err.Error()}
	}
	return err
}

// find sets the strategy and the seed of the run, and loads its scenario. If they are not
// given, it searches for the first failing run.
func (f *shrinkFlags) find(ctx context.Context, arg string) (*scenarios.Scenario, error) {
	if token, err := results.ParseToken(arg); err == nil {
		if f.strategy != "" || f.seed != 0 || len(f.sets) > 0 || f.pauses != "" {
			return nil, usagef("a token names its strategy, its seed and what was set; leave --strategy, --seed, --set and --pauses out")
		}
		s, err := f.program.loadToken(token)
		if err != nil {
			return nil, err
		}
		f.strategy, f.seed = token.Label, token.Seed
		return s, f.checkOf(s)
	}
	s, err := f.program.loadPaused(arg, f.sets, f.pauses)
	if err == nil {
		err = f.checkOf(s)
	}
	if err != nil || f.strategy != "" && f.seed != 0 {
		return s, err
	}
	r := search.FailingRequest{Check: f.check}
	if f.strategy != "" {
		r.Strategies = []string{f.strategy}
	}
	if f.seed != 0 {
		r.Seeds = results.SeedRange{First: f.seed, Last: f.seed}
	}
	f.strategy, f.seed, err = search.Failing(ctx, s, r)
	if err != nil && ctx.Err() != nil {
		return nil, interruptError{"no failing run was found yet"}
	}
	return s, err
}

// checkOf reports a check that the scenario does not have.
func (f *shrinkFlags) checkOf(s *scenarios.Scenario) error {
	if f.check == "" || slices.Contains(s.Checks, f.check) {
		return nil
	}
	return usagef("--check: %s", strictyaml.Unknown("check of "+s.Name, f.check, s.Checks))
}

// confirm runs the written scenario, and compares its checksum.
func (f *shrinkFlags) confirm(small *search.Shrunk) error {
	s, err := f.program.load(f.out)
	if err != nil {
		return err
	}
	again, err := run.Once(s, run.Request{Label: small.Label, Seed: small.Seed})
	if err != nil {
		return err
	}
	if again.Checksum != small.Trial.Checksum {
		return fmt.Errorf("%s gives the checksum %s instead of %s", f.out, again.Checksum, small.Trial.Checksum)
	}
	return nil
}
