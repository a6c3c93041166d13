package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

// sweepFlags are the flags of lockquake sweep. It shares some with run.
type sweepFlags struct {
	runFlags
	vary      []string
	check     string
	find      bool
	precision string
	require   []string
}

func (p program) newSweep() *cobra.Command {
	f := sweepFlags{runFlags: runFlags{program: p}}
	cmd := &cobra.Command{
		Use:   "sweep SCENARIO --vary PATH=VALUES",
		Short: "Vary one or two parameters, and find where each strategy breaks",
		Long: `Sweep runs a scenario with every value of a parameter, or with every pair of values of two
parameters, over the same seeds. It prints a table of the rate of each strategy at each value. A
directory has the same as a picture (lines, or a map for each strategy), as CSV and as JSON. All
settings of a scenario file can be varied:

  --vary lock.ttl=1s..30s             ten steps, in equal ratios if the range is wide
  --vary lock.ttl=1s..30s/20          twenty steps of equal length; /20log: of equal ratio
  --vary workers=2,5,10,20            these values
  --vary resource.fence=off,writes    words, too
  --vary faults.pause.for.median=...  the one fault of that kind; else faults[2].pause.for
  --vary strategies.fenced.lock.ttl=  the use of a strategy with that label

With --find, sweep then bisects between the first two neighbouring steps of which one breaks a
strategy and the other does not. It prints the value at which the strategy breaks, its precision,
and its share of the TTL. A value breaks a strategy if at least one run violates the check, if
less than 1 % of the work is finished, or if a bound is not met. The bounds are those of the
scenario's expectations and those of --require, as in --require 'finished >= 99 %'.

Stopped by Ctrl-C or SIGTERM, sweep shows and writes the points that were done. The exit code
does not depend on the results: it is 0, or 64, 70 and 130 as for the other commands.`,
		Example: `  lockquake sweep gc-pause --vary lock.ttl=1s..60s
  lockquake sweep gc-pause --vary lock.ttl=1s..20s --vary faults.pause.for.median=500ms..8s
  lockquake sweep kleppmann --vary faults.pause.for=5s..15s --find
  lockquake sweep gc-pause --vary lock.ttl=1s..60s --find --require 'finished >= 99 %'`,
		Args:              exactlyOne("one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.sweep(ctx, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.vary, "vary", nil, "a parameter and its values, as in lock.ttl=1s..30s; once or twice")
	setFlag(cmd, &f.sets)
	pausesFlag(cmd, &f.pauses)
	flags.StringVar(&f.check, "check", "", "the check that counts (default: any that decides)")
	flags.BoolVar(&f.find, "find", false, "find the value at which each strategy breaks")
	flags.StringArrayVar(&f.require, "require", nil, "a bound that every strategy must meet, as in 'finished >= 99 %'; repeatable")
	flags.StringVar(&f.precision, "precision", "1%", "precision of the value that --find searches for, as a share of the value")
	f.searchFlags(cmd, "seeds to run at each point, as in 1-1000 or 17 (default: those of the scenario, at most 1-100)", "lockquake-sweep", "directory to write picture, CSV and JSON to")
	for _, flag := range []string{"vary", "precision", "require"} {
		completeFlag(cmd, flag, cobra.NoFileCompletions)
	}
	return cmd
}

// searchFlags adds the flags of sweep and rate that run has too, with the words of the command.
func (f *runFlags) searchFlags(cmd *cobra.Command, seeds, out, directory string) {
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", seeds)
	f.program.strategiesFlag(cmd, &f.strategies)
	outFlag(cmd, &f.out, out, directory)
	flags.BoolVar(&f.noReport, "no-report", false, "write no directory")
	formatFlag(cmd, &f.format)
	JobsFlag(cmd, &f.jobs, "runs")
	quietFlag(cmd, &f.quiet)
	completeFlag(cmd, "seeds", cobra.NoFileCompletions)
	completeFlag(cmd, "check", f.program.completeChecksOf)
}

// completeChecksOf offers the checks of the scenario on the command line.
func (p program) completeChecksOf(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, arg := range args {
		if s, err := p.load(arg); err == nil {
			names = append(names, s.Checks...)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (f *sweepFlags) sweep(ctx context.Context, arg string, stdout, stderr io.Writer) error {
	r, err := f.request()
	if err != nil {
		return err
	}
	precision, err := parsePrecision(f.precision)
	if err != nil {
		return err
	}
	axes, err := f.axes()
	if err != nil {
		return err
	}
	bounds, err := scenarios.ParseBounds(f.require)
	if err != nil {
		return flagged("--require", err)
	}
	if !f.noReport {
		if err := reports.MayWriteSweep(f.out); err != nil {
			return usageError{err.Error()}
		}
	}
	noteSeeds(stderr, f.seeds, f.quiet)
	s, err := f.program.loadPaused(arg, f.sets, f.pauses)
	if err != nil {
		return err
	}
	noteLibraries(stderr, s, f.strategies)
	show, end := f.progress(stderr, s.Name, s, f.strategies)
	defer end()
	r.Progress = show
	var result *results.Sweep
	if f.find {
		result, err = search.Find(ctx, s, search.FindRequest{
			Axis: axes[0], Precision: precision, Check: f.check, Bounds: bounds,
			Seeds: r.Seeds, Strategies: r.Strategies, Jobs: r.Jobs, Progress: r.Progress,
		})
	} else {
		result, err = search.Sweep(ctx, s, search.SweepRequest{
			Axes: axes, Check: f.check, Bounds: bounds,
			Seeds: r.Seeds, Strategies: r.Strategies, Jobs: r.Jobs, Progress: r.Progress,
		})
	}
	flag := "--vary"
	if setting, ok := errors.AsType[*scenarios.SettingError](err); ok && setting.Setting == f.check {
		flag = "--check"
	}
	err = flagged(flag, err)
	if result == nil || len(result.Points) == 0 {
		if ctx.Err() != nil {
			return interruptError{"before a point was done"}
		}
		return err
	}
	if deliverErr := f.deliver(result, stdout); deliverErr != nil {
		return deliverErr
	}
	if ctx.Err() != nil && result.Partial {
		return interruptError{fmt.Sprintf("%s was stopped in the middle of the sweep", s.Name)}
	}
	return err
}

func (f *sweepFlags) axes() ([]results.Axis, error) {
	switch most := 2; {
	case len(f.vary) == 0:
		return nil, usagef("sweep needs a parameter to vary, as in --vary lock.ttl=1s..30s")
	case f.find && len(f.vary) > 1:
		return nil, usagef("--find takes one --vary, not %d", len(f.vary))
	case len(f.vary) > most:
		return nil, usagef("--vary can be given once or twice, not %d times", len(f.vary))
	}
	var axes []results.Axis
	for _, text := range f.vary {
		axis, err := scenarios.ParseAxis(text)
		if err != nil {
			return nil, flagged("--vary", err)
		}
		if slices.ContainsFunc(axes, func(other results.Axis) bool { return other.Path == axis.Path }) {
			return nil, usagef("--vary: %s is varied twice", axis.Path)
		}
		axes = append(axes, axis)
	}
	return axes, nil
}

// deliver prints a sweep and writes its directory.
func (f *sweepFlags) deliver(s *results.Sweep, stdout io.Writer) error {
	if !f.noReport {
		if err := reports.WriteSweep(f.out, s); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return results.WriteJSON(stdout, s)
	}
	if err := tables.Sweep(stdout, s, screenOf(stdout)); err != nil {
		return err
	}
	if !f.noReport {
		fmt.Fprintf(stdout, "\npicture: %s\n", filepath.Join(f.out, "sweep.png"))
	}
	return nil
}

// parsePrecision reads 1% or 0.01.
func parsePrecision(text string) (float64, error) {
	const hundred = 100
	number, isPercent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		x /= hundred
	}
	if err != nil || !(x > 0 && x < 1) {
		return 0, usagef("--precision is a share such as 1%% or 0.01, not %q", text)
	}
	return x, nil
}
