package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"lockquake/reports/story"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

func (p program) newReproduce() *cobra.Command {
	var (
		seed  uint64
		names []string
		sets  []string
		log   string
	)
	cmd := &cobra.Command{
		Use:   "reproduce SCENARIO",
		Short: "Run each strategy once and tell what happened",
		Long: `Reproduce runs every strategy of a scenario once and tells the run as a story: which workers
believed to hold the lock, which worker held the lease, and what the resource accepted or refused.`,
		Example: `  lockquake reproduce kleppmann
  lockquake reproduce gc-pause --strategy redis --seed 4
  lockquake reproduce kleppmann --set faults.pause.for=9.9s`,
		Args:              exactlyOne("one scenario"),
		ValidArgsFunction: p.completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.reproduce(cmd.Context(), args[0], names, sets, log, seed, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the runs")
	cmd.Flags().StringSliceVar(&names, "strategy", nil, "only these strategies, labels or libraries such as redsync (default: all of the scenario)")
	setFlag(cmd, &sets)
	pausesFlag(cmd, &log)
	completeFlag(cmd, "seed", cobra.NoFileCompletions)
	completeFlag(cmd, "strategy", p.completeStrategies)
	return cmd
}

func (p program) reproduce(ctx context.Context, arg string, names, sets []string, pauses string, seed uint64, stdout, stderr io.Writer) error {
	s, err := p.loadPaused(arg, sets, pauses)
	if err != nil {
		return err
	}
	noteLibraries(stderr, s, names)
	if len(names) == 0 {
		for _, use := range s.Strategies {
			names = append(names, use.Label)
		}
	}
	for i, name := range names {
		trial, err := run.Once(s, run.Request{Label: name, Seed: seed})
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if err := story.Tell(trial).Write(stdout, screenOf(stdout)); err != nil {
			return err
		}
	}
	// The verdict on these runs is that of a campaign.
	c, err := campaign.Run(ctx, s, campaign.Request{Seeds: results.SeedRange{First: seed, Last: seed}, Strategies: names})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s, seed %d: %s\n", s.Name, seed, c.Summary())
	return outcome(c.Verdict)
}

func (p program) newReplay() *cobra.Command {
	var traceFile string
	cmd := &cobra.Command{
		Use:   "replay TOKEN",
		Short: "Repeat one run exactly, from a line of a report",
		Long: `Replay repeats the run that a token names, prints its story, and compares its checksum. If the
scenario has changed since, that is an error; another version is a warning, another checksum a
failure.`,
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
	s, err := p.load(token.Scenario)
	if err == nil {
		s, err = s.With(token.Overrides)
	}
	if err != nil {
		return flagged("the token:", err)
	}
	if s.Hash != token.Hash {
		return usagef("%s is not the scenario that the token names: its hash is %s, the token's is %s", token.Scenario, s.Hash, token.Hash)
	}
	if token.Version != results.Version {
		fmt.Fprintf(stderr, "lockquake: the token was made by version %s, this is %s: the run may differ\n", token.Version, results.Version)
	}
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
