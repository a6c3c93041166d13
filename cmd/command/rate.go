package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/rate"
	"lockquake/scenarios/results"
)

const mostLocks = 1_000_000_000

// rateFlags are the flags of lockquake rate. It shares some with run.
type rateFlags struct {
	runFlags
	over  time.Duration
	locks int
	check string
}

func (p program) newRate() *cobra.Command {
	f := rateFlags{runFlags: runFlags{program: p}}
	cmd := &cobra.Command{
		Use:   "rate SCENARIO --pauses FILE",
		Short: "Estimate how many violations a year your pauses cause",
		Long: `Rate takes the pauses of a process from a log, and estimates how often a year they break your locks.
It is for failures that are too rare to count: it does not wait for a long pause, but gives each run
exactly one, at a random moment. The rate is

  long pauses per hour of a process, from the log
  x share of the runs with one long pause that violate a check of corruption
  x processes per lock (the workers of the scenario) x --locks

Its interval combines the uncertainties of the first two factors. A pause is long if it can outlast a
lease: rate places pauses at every point of a small run and searches for the shortest that breaks a lock.
It never guesses at pauses longer than those of the log: if none of them is long, the rate is an upper
bound.

The pauses of the log replace the faults of the scenario; the other settings should be those of your
locks (--set lock.ttl=30s). The log is that of one process, or of several one after the other: a recording
of lockquake hiccup, or any file that --pauses of run takes (docs/pauses.md). A list of durations does not
have the length of its recording: give it with --pauses-over.

The report directory has the answer (report.md), all figures (rate.json), and the scenario of the runs with
the pauses of the log (scenario.yaml), which the replay lines repeat.

Stopped by Ctrl-C or SIGTERM, rate shows and writes the result of the runs so far.

Exit codes: 0 done, whatever the rates are, 64 usage error, 70 a run or a file failed, 130 interrupted.`,
		Example: `  lockquake hiccup --for 24h
  lockquake rate gc-pause --pauses hiccup.log --locks 40
  lockquake rate gc-pause --pauses gctrace.log --strategy redis,fenced --set lock.ttl=10s
  lockquake rate my-lock.yaml --pauses pauses.txt --pauses-over 720h --seeds 1-10000`,
		Args:              exactlyOne("one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.rate(ctx, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.pauses, "pauses", "", "take the lengths of the workers' pauses, and how often they come, from this file: "+pauseFiles)
	flags.DurationVar(&f.over, "pauses-over", 0, "the time that the log covers, summed over processes (default: what the log says)")
	flags.IntVar(&f.locks, "locks", 1, "number of your locks that are used like that of the scenario")
	PositiveFlags(flags, "pauses-over", "locks")
	setFlag(cmd, &f.sets)
	flags.StringVar(&f.check, "check", "", "the check that counts (default: any of corruption)")
	f.searchFlags(cmd, "seeds to run with each strategy, as in 1-10000 (default: 1-1000)", "lockquake-rate", "directory to write the report to")
	for _, flag := range []string{"pauses-over", "locks"} {
		completeFlag(cmd, flag, cobra.NoFileCompletions)
	}
	return cmd
}

func (f *rateFlags) rate(ctx context.Context, arg string, stdout, stderr io.Writer) error {
	s, r, err := f.asked(arg)
	if err != nil {
		return err
	}
	noteSeeds(stderr, f.seeds, f.quiet)
	noteLibraries(stderr, s, f.strategies)
	r.Bound = func(text string) { say(stderr, "%s: %s", s.Name, text) }
	if !f.quiet {
		r.Searching = func() {
			say(stderr, "%s: searching for the shortest pause that breaks a lock", s.Name)
		}
		var bar *progress // of the runs, which begin after the search
		r.Progress = func(at campaign.Progress) {
			if bar == nil {
				bar = newProgress(stderr, s.Name, s, f.strategies)
			}
			bar.show(at)
		}
		defer func() {
			if bar != nil {
				bar.end()
			}
		}()
	}
	y, runs, err := rate.Run(ctx, s, r)
	if y == nil {
		return f.refused(ctx, s, err)
	}
	y.Command = f.line(arg)
	if deliverErr := f.deliver(y, runs, stdout); deliverErr != nil {
		return deliverErr
	}
	if y.Partial {
		done, total := 0, 0
		for i := range y.Strategies {
			if of := &y.Strategies[i]; of.Without == nil {
				done, total = done+of.Runs, total+y.Seeds.Count()
			}
		}
		return interruptError{fmt.Sprintf("%s was stopped after %s of %s with a long pause", s.Name, words.Thousands(done), words.Counted(total, "run"))}
	}
	return err
}

// asked reads the flags.
func (f *rateFlags) asked(arg string) (*scenarios.Scenario, rate.Request, error) {
	q, err := f.request()
	r := rate.Request{File: f.pauses, Over: f.over, Locks: f.locks, Check: f.check, Seeds: q.Seeds, Strategies: q.Strategies, Jobs: q.Jobs}
	switch {
	case err != nil:
		return nil, r, err
	case f.pauses == "":
		return nil, r, usagef("rate needs the pauses of a process, as in --pauses hiccup.log; see %s hiccup --help", f.program.name)
	case f.locks > mostLocks:
		return nil, r, usagef("--locks is at most %d, not %d", mostLocks, f.locks)
	}
	if r.Log, err = scenarios.ReadPauses(f.pauses); err != nil {
		return nil, r, usageError{"--pauses: " + err.Error()}
	}
	if r.Log.Span == 0 && f.over == 0 {
		return nil, r, usagef("--pauses: %s does not say over how long it was recorded: add --pauses-over, as in --pauses-over 24h", f.pauses)
	}
	if !f.noReport {
		if err := reports.MayWriteYearly(f.out); err != nil {
			return nil, r, usageError{err.Error()}
		}
		r.Path = filepath.Join(f.out, "scenario.yaml")
	}
	s, err := f.program.loadWith(arg, f.sets)
	return s, r, err
}

// refused turns an error without results into one of the command line.
func (f *rateFlags) refused(ctx context.Context, s *scenarios.Scenario, err error) error {
	if ctx.Err() != nil {
		return interruptError{s.Name + " was stopped before a run was done; nothing was written"}
	}
	if impossible, ok := errors.AsType[*rate.Error](err); ok {
		return usageError{impossible.Error()}
	}
	if setting, ok := errors.AsType[*scenarios.SettingError](err); ok && f.check != "" && setting.Setting == f.check {
		return flagged("--check", err)
	}
	return badSearch(err)
}

// line returns the command that reproduces the figures.
func (f *rateFlags) line(arg string) string {
	words := []string{f.program.name, "rate", scenarios.Word(arg), "--pauses", scenarios.Word(f.pauses), fmt.Sprintf("--locks %d", f.locks)}
	if f.over > 0 {
		words = append(words, fmt.Sprintf("--pauses-over %v", f.over))
	}
	for _, set := range f.sets {
		words = append(words, "--set", scenarios.Word(set))
	}
	for _, flag := range []struct{ name, value string }{{"check", f.check}, {"seeds", f.seeds}, {"strategy", strategyList(f.strategies...)}} {
		if flag.value != "" {
			words = append(words, "--"+flag.name, scenarios.Word(flag.value))
		}
	}
	return strings.Join(words, " ")
}

// deliver prints an estimate and writes its directory.
func (f *rateFlags) deliver(y *results.Yearly, runs *scenarios.Scenario, stdout io.Writer) error {
	if !f.noReport {
		if err := reports.WriteYearly(f.out, y, runs.Text); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return results.WriteJSON(stdout, y)
	}
	return tables.Yearly(stdout, y, screenOf(stdout))
}
