package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/reports/story"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// reproduceFlags are the flags of lockquake reproduce.
type reproduceFlags struct {
	program    program
	seed       uint64
	strategies []string
	sets       []string
	pauses     string
}

func (p program) newReproduce() *cobra.Command {
	f := reproduceFlags{program: p}
	cmd := &cobra.Command{
		Use:   "reproduce SCENARIO",
		Short: "Run each strategy once and tell what happened",
		Long: `Reproduce runs every strategy of a scenario once and tells the run with the worst violation as a
story: which workers believed that they held the lock, which worker held the lease, and what the
resource accepted or refused. It tells the run without a lock only if no lock violates a check. For each
other strategy it prints the violations and the command that tells the story. With one strategy it
always tells the story.`,
		Example: `  lockquake reproduce kleppmann
  lockquake reproduce gc-pause --strategy redis --seed 4
  lockquake reproduce kleppmann --set faults.pause.for=9.9s`,
		Args:              exactlyOne("one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.reproduce(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the runs")
	PositiveFlags(cmd.Flags(), "seed")
	p.strategiesFlag(cmd, &f.strategies)
	setFlag(cmd, &f.sets)
	pausesFlag(cmd, &f.pauses)
	completeFlag(cmd, "seed", cobra.NoFileCompletions)
	return cmd
}

func (f *reproduceFlags) reproduce(ctx context.Context, arg string, stdout, stderr io.Writer) error {
	s, err := f.program.loadPaused(arg, f.sets, f.pauses)
	if err != nil {
		return err
	}
	noteLibraries(stderr, s, f.strategies)
	names := f.strategies
	if len(names) == 0 {
		for _, use := range s.Strategies {
			names = append(names, use.Label)
		}
	}
	defer setGC(campaign.GCPercent(s, campaign.Request{Strategies: names, Jobs: len(names)}, true))()
	if _, err := s.Uses(names, nil); err == nil { // if not, the first run says what is wrong
		noteHistories(stderr, s, len(names))
	}
	var trials []*results.Trial
	for _, name := range names {
		trial, err := run.Once(s, run.Request{Label: name, Seed: f.seed})
		if err != nil {
			return err
		}
		trials = append(trials, trial)
	}
	told := worstOf(trials)
	if told != nil {
		if err := story.Tell(told).Write(stdout, screenOf(stdout)); err != nil {
			return err
		}
		fmt.Fprintln(stdout)
	}
	if len(trials) > 1 {
		f.others(arg, trials, told, stdout)
	}
	// The verdict on these runs is that of a campaign.
	c, err := campaign.Run(ctx, s, campaign.Request{Seeds: results.SeedRange{First: f.seed, Last: f.seed}, Strategies: names})
	if err != nil {
		return err
	}
	say(stdout, "%s, seed %d: %s", s.Name, f.seed, c.Summary())
	return outcome(c.Verdict)
}

// worstOf returns the run with the most serious violation that decides, the first of them, or nil if
// there is none. It returns a run without a lock only if no other one violates anything: its violations are no surprise. A
// single run is returned in any case.
func worstOf(trials []*results.Trial) *results.Trial {
	if len(trials) == 1 {
		return trials[0]
	}
	failed := slices.DeleteFunc(slices.Clone(trials), func(t *results.Trial) bool { return t.Telling == "" })
	unlocked := func(t *results.Trial) bool { return t.Strategy == lock.None().Name }
	if locked := slices.DeleteFunc(slices.Clone(failed), unlocked); len(locked) > 0 {
		failed = locked
	}
	if len(failed) == 0 {
		return nil
	}
	var checks []string
	for _, t := range failed {
		checks = append(checks, t.Telling)
	}
	worst := checker.Serious(checks)[0]
	return failed[slices.Index(checks, worst)]
}

// others says what happened in the runs beside the one that was told, with the command that tells each
// run with a violation.
func (f *reproduceFlags) others(arg string, trials []*results.Trial, told *results.Trial, stdout io.Writer) {
	var held []string
	for _, trial := range trials {
		violated := slices.DeleteFunc(trial.Checks(checker.Invalid), func(check string) bool { return checker.Advisory(check) && check != trial.Telling })
		undecided := trial.Checks(checker.Unknown)
		switch {
		case trial == told:
			continue
		case trial.Telling != "":
			say(stdout, "%s violated %s:", trial.Label, strings.Join(checker.Serious(violated), ", "))
		case len(undecided) > 0:
			say(stdout, "%s violated nothing, and %s cannot be decided:", trial.Label, strings.Join(undecided, ", "))
		default:
			held = append(held, trial.Label)
			continue
		}
		fmt.Fprintf(stdout, "  %s\n", f.line(arg, trial.Label))
	}
	if len(held) > 0 {
		say(stdout, "no harmful violation: %s", strings.Join(held, ", "))
	}
	fmt.Fprintln(stdout)
}

// line returns the command that tells the run of one strategy.
func (f *reproduceFlags) line(arg, label string) string {
	words := []string{f.program.name, "reproduce", scenarios.Word(arg), "--strategy", scenarios.Word(strategyList(label))}
	if f.seed != 1 {
		words = append(words, fmt.Sprintf("--seed %d", f.seed))
	}
	for _, set := range f.sets {
		words = append(words, "--set", scenarios.Word(set))
	}
	if f.pauses != "" {
		words = append(words, "--pauses", scenarios.Word(f.pauses))
	}
	return strings.Join(words, " ")
}

func (p program) newReplay() *cobra.Command {
	var traceFile string
	cmd := &cobra.Command{
		Use:   "replay TOKEN",
		Short: "Repeat one run exactly, from a line of a report",
		Long: `Replay repeats the run that a token names, prints its story, and compares its checksum. A changed
scenario is an error, another version is a warning, and another checksum is a failure.`,
		Example: `  lockquake replay kleppmann@3f2a9c1b0d4e:redis:1:0.1.0:9f1c2d3e4a5b6c7d`,
		Args:    exactlyOne("one token"),

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.replay(args[0], traceFile, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&traceFile, "trace", "", "write every event of the run to this file")
	return cmd
}

func (p program) replay(text, traceFile string, stdout, stderr io.Writer) (err error) {
	token, err := results.ParseToken(text)
	if err != nil {
		return err
	}
	s, err := p.loadToken(token)
	if err != nil {
		return err
	}
	if token.Version != results.Version {
		fmt.Fprintf(stderr, "lockquake: the token was made by version %s, this is %s: the run may differ\n", token.Version, results.Version)
	}
	defer setGC(campaign.GCPercent(s, campaign.Request{Jobs: 1}, true))()
	noteHistories(stderr, s, 1)
	r := run.Request{Label: token.Label, Seed: token.Seed}
	if traceFile != "" {
		f, createErr := os.Create(traceFile)
		if createErr != nil {
			return usagef("--trace: %v", createErr)
		}
		w := bufio.NewWriter(f)
		defer func() {
			for _, e := range []error{w.Flush(), f.Close()} {
				if err == nil && e != nil {
					err = fmt.Errorf("write the trace: %w", e)
				}
			}
		}()
		r.Trace = w
	}
	trial, err := run.Once(s, r)
	if err != nil {
		return err
	}
	if err := story.Tell(trial).Write(stdout, screenOf(stdout)); err != nil {
		return err
	}
	if trial.Checksum != token.Checksum {
		fmt.Fprintf(stdout, "\nchecksum %s, not %s: this is not the run that the token names\n", trial.Checksum, token.Checksum)
		return outcomeError{exitViolation}
	}
	fmt.Fprintf(stdout, "\nchecksum %s: the same run\n", trial.Checksum)
	return nil
}
