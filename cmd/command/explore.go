package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockquake/faults"
	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
	"lockquake/scenarios/search"
)

// exploreFlags are the flags of lockquake explore.
type exploreFlags struct {
	program    program
	search     search.ExploreRequest
	strategies []string
	sets       []string
	pauses     string
	placement  []string
	write      string
	format     string
	jobs       int
	fail       bool
	quiet      bool
}

func (p program) newExplore() *cobra.Command {
	f := exploreFlags{program: p}
	cmd := &cobra.Command{
		Use:   "explore SCENARIO",
		Short: "Place a fault at every point of a small run, and list the places where it breaks a check",
		Long: `Explore removes the faults of a scenario, reduces its size, and records every point that its
workers pass. Then it runs the scenario again with one fault of each kind at each point. It prints
the number of placements, what they break, and a map. With --faults 2 it places every second fault
after every first one, and lists the pairs that it leaves out.

The kinds of faults (those with * are the default of --kinds) are

` + placedKinds() + `
With --pauses FILE a pause lasts as long as the longest in the file (docs/pauses.md).

--placement tells the story of one placement, in the form in which the output prints it. --write
makes a scenario file of that placement, or of the first placement that does the most harm.

Stopped by Ctrl-C or SIGTERM, explore prints the placements that were tried, marked as partial; a
second Ctrl-C ends it at once. It stores no runs: the same command starts from the beginning and
finds the same placements.

Exit codes: 0 even if a placement breaks a check; with --fail-on-violation 1 if a placement
corrupts something or breaks fencing, or if there was none to try; 64 usage or scenario error, 70 a
fault of lockquake or of the lock under test itself, 130 interrupted.`,
		Example: `  lockquake explore kleppmann
  lockquake explore gc-pause --strategy redis --kinds pause,crash --for 3s
  lockquake explore kleppmann --placement "when worker-1 lease-checked 1 pause worker-1 for 15s"`,
		Args:              exactlyOne("one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.declare(cmd.Flags())
	p.strategiesFlag(cmd, &f.strategies)
	formatFlag(cmd, &f.format)
	quietFlag(cmd, &f.quiet)
	JobsFlag(cmd, &f.jobs, "runs")
	setFlag(cmd, &f.sets)
	cmd.Flags().StringVar(&f.pauses, "pauses", "", "let a pause last as long as the longest in this file (default: as long as other faults): "+pauseFiles)
	var names []cobra.Completion
	for _, k := range search.PlacedKinds() {
		names = append(names, cobra.CompletionWithDesc(k.Name, k.Doc))
	}
	completeFlag(cmd, "kinds", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"faults", "workers", "sections", "for", "seed", "placement"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	return cmd
}

func (f *exploreFlags) declare(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.search.Kinds, "kinds", nil, "kinds of faults to place (default: those with a star)")
	flags.IntVar(&f.search.Faults, "faults", 1, "faults in one run, 1 or 2")
	flags.IntVar(&f.search.Workers, "workers", 0, "workers (default: those of the scenario, 2 at most)")
	flags.IntVar(&f.search.Sections, "sections", 1, "sections of each worker")
	flags.DurationVar(&f.search.For, "for", 0, "how long a fault lasts (default: one and a half times the longest lease)")
	flags.Uint64Var(&f.search.Seed, "seed", 1, "seed of all runs")
	PositiveFlags(flags, "faults", "workers", "sections", "for", "seed")
	flags.StringArrayVar(&f.placement, "placement", nil, "try this fault only, and tell what happened; twice for two faults")
	flags.StringVar(&f.write, "write", "", "write a placement as a scenario to this file")
	flags.BoolVar(&f.fail, "fail-on-violation", false, "exit with 1 if a placement corrupts something or breaks fencing, or if there was none to try")
}

// placedKinds lists the kinds of faults, a line each.
func placedKinds() string {
	var b strings.Builder
	for _, k := range search.PlacedKinds() {
		star := " "
		if k.Default {
			star = "*"
		}
		fmt.Fprintf(&b, "  %s %-15s %s\n", star, k.Name, k.Doc)
	}
	return b.String()
}

func (f *exploreFlags) run(ctx context.Context, arg string, stdout, stderr io.Writer) error {
	if err := oneOf("format", f.format, formats()); err != nil {
		return err
	}
	switch {
	case f.search.Faults > 2:
		return usagef("--faults is 1 or 2, not %d", f.search.Faults)
	case f.pauses != "" && len(f.placement) > 0:
		return usagef("--pauses has no effect on --placement, which says how long its pause lasts; leave one of them out")
	}
	if f.write != "" {
		if err := mayWriteScenario("write", f.write); err != nil {
			return err
		}
	}
	if f.pauses != "" {
		log, _, err := scenarios.MeasuredPauses(f.pauses)
		if err != nil {
			return usageError{"--pauses: " + err.Error()}
		}
		f.search.Pauses = &log
	}
	s, err := f.program.loadWith(arg, f.sets)
	if err != nil {
		return err
	}
	noteLibraries(stderr, s, f.strategies)
	if len(f.placement) > 0 {
		return f.withPlaces(arg, f.place(ctx, s, f.placement, stdout), f.placement)
	}
	e, err := f.explore(ctx, s, stderr)
	if e == nil {
		if failed, ok := errors.AsType[*run.Error](err); ok {
			return f.withPlaces(arg, err, failed.Places)
		}
		return badSearch(err)
	}
	if f.format == "json" {
		if printErr := results.WriteJSON(stdout, e); printErr != nil {
			return printErr
		}
	} else if printErr := f.print(arg, e, stdout); printErr != nil {
		return printErr
	}
	// A search that was stopped has found placements too.
	if err := f.writeWorst(context.WithoutCancel(ctx), s, e, stderr); err != nil {
		return err
	}
	if e.Partial {
		return interruptError{fmt.Sprintf("%s was stopped after %s", s.Name, words.Counted(e.Tried(), "placement"))}
	}
	harmful := slices.ContainsFunc(e.Strategies, func(st results.ExploredStats) bool { return st.Corrupting+st.Fencing > 0 })
	if f.fail && (harmful || e.Tried() == 0) {
		return outcomeError{exitViolation}
	}
	return nil
}

// badSearch turns a search.Error into a usage error.
func badSearch(err error) error {
	if senseless, ok := errors.AsType[*search.Error](err); ok {
		return usageError{senseless.Error()}
	}
	return err
}

// explore runs the search and shows its progress.
func (f *exploreFlags) explore(ctx context.Context, s *scenarios.Scenario, stderr io.Writer) (*results.Exploration, error) {
	r := f.search
	r.Strategies, r.Jobs = f.strategies, f.jobs
	if !f.quiet {
		bar := newProgress(stderr, s.Name, s, f.strategies)
		defer bar.end()
		r.Progress = bar.show
	}
	return search.Explore(ctx, s, r)
}

// print prints the tables, and the command that tells the placement in the first row of the harmful ones.
func (f *exploreFlags) print(arg string, e *results.Exploration, stdout io.Writer) error {
	if err := tables.Exploration(stdout, e, screenOf(stdout)); err != nil {
		return err
	}
	if harmful := e.HarmfulByKind(); len(harmful) > 0 {
		first := harmful[0]
		fmt.Fprintf(stdout, "\nto print one as a story (--write FILE writes it as a scenario):\n%s\n", f.line(arg, first.Strategy.Label, first.Placements[0].Texts()))
	}
	return nil
}

// placementError is the error of a run with a placement. Its text is the command that repeats it.
type placementError struct {
	error
	again string
}

func (e placementError) Unwrap() error { return e.error }

// withPlaces adds the command that repeats a placement to the error of its run, if it is one.
func (f *exploreFlags) withPlaces(arg string, err error, places []string) error {
	if failed, ok := errors.AsType[*run.Error](err); ok && len(places) > 0 {
		return placementError{err, f.line(arg, failed.Label, places)}
	}
	return err
}

// line returns the command that tells one placement as a story.
func (f *exploreFlags) line(arg, label string, places []string) string {
	words := []string{f.program.name, "explore", scenarios.Word(arg), "--strategy", scenarios.Word(strategyList(label))}
	for _, set := range f.sets {
		words = append(words, "--set", scenarios.Word(set))
	}
	if f.search.Workers > 0 {
		words = append(words, fmt.Sprintf("--workers %d", f.search.Workers))
	}
	if f.search.Sections > 1 {
		words = append(words, fmt.Sprintf("--sections %d", f.search.Sections))
	}
	if f.search.Seed > 1 {
		words = append(words, fmt.Sprintf("--seed %d", f.search.Seed))
	}
	for _, place := range places {
		words = append(words, "--placement", scenarios.Word(place))
	}
	return strings.Join(words, " ")
}

// writeWorst writes the first placement that does the most harm, if --write is set.
func (f *exploreFlags) writeWorst(ctx context.Context, s *scenarios.Scenario, e *results.Exploration, stderr io.Writer) error {
	if f.write == "" {
		return nil
	}
	for _, least := range []results.Harm{results.Corrupts, results.Unfences, results.Breaks} {
		for _, st := range e.Strategies {
			harmful := st.Harmful(least)
			if len(harmful) == 0 {
				continue
			}
			return f.place(ctx, s, harmful[0].Texts(), nil)
		}
	}
	tried := ""
	if e.Partial {
		tried = " that was tried"
	}
	say(stderr, "lockquake: nothing was written to %s: no placement%s breaks a check", f.write, tried)
	return nil
}

// writeFile writes a scenario with one placement.
func (f *exploreFlags) writeFile(placed *scenarios.Scenario, specs []faults.Spec) error {
	const suffix = "-placed"
	const longest = 64 // letters of a name
	placed.Name = placed.Name[:min(len(placed.Name), longest-len(suffix))] + suffix
	placed.Description = fmt.Sprintf("faults placed in %s: %d", placed.Path, len(specs))
	text, err := scenarios.Rewrite(placed, "Made by lockquake explore.")
	if err != nil {
		return err
	}
	return writeScenario(f.write, text)
}

// place runs one placement. It prints the story of each strategy unless stdout is nil, and
// writes the placement to a file if --write is set.
func (f *exploreFlags) place(ctx context.Context, s *scenarios.Scenario, lines []string, stdout io.Writer) error {
	specs, err := search.ParsePlacement(lines...)
	if err != nil {
		return usageError{err.Error()}
	}
	r := f.search
	r.Strategies = f.strategies
	placed, trials, err := r.Place(ctx, s, specs)
	switch {
	case err != nil && ctx.Err() != nil:
		return interruptError{"before the placement was tried"}
	case err != nil:
		return badSearch(err)
	}
	for i, trial := range trials {
		if stdout == nil {
			break
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if err := story.Tell(trial).Write(stdout, screenOf(stdout)); err != nil {
			return err
		}
	}
	if f.write != "" {
		return f.writeFile(placed, specs)
	}
	return nil
}
