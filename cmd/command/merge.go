package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

func (p program) newMerge() *cobra.Command {
	var d delivery
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Combine the reports of several shards into one",
		Long: `Merge takes the runs of several reports, such as those of run --shard. It prints the table of all
runs, and writes the report that one campaign over all seeds would have written. DIR is a report
directory, or its file runs.log.

Version, scenario and settings must be the same, and no run may be missing: every strategy
needs every seed from the first to the last. A run that several reports have counts once, and no report
may be named twice. The merged report may not replace one of the others.
Reports of more than a million runs have only sums, and no seed may be in two of them.
Merge repeats only the failing runs whose history the new report shows.

` + exitCodes,
		Example: `  lockquake merge shard-1 shard-2 shard-3 --out lockquake-report
  lockquake merge shards/* --format json --no-report`,
		Args: atLeastOne("the directory of a report"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return d.merge(ctx, p, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	d.flags(cmd)
	return cmd
}

func (d *delivery) merge(ctx context.Context, p program, args []string, stdout, stderr io.Writer) (err error) {
	if err := d.usable(); err != nil {
		return err
	}
	var open []*campaign.Journal // whose runs are read once more
	defer func() {
		for _, j := range open {
			err = errors.Join(err, j.Close())
		}
	}()
	var s *scenarios.Scenario
	var all *campaign.Journal
	for i, arg := range args {
		j, err := readRuns(arg)
		if err != nil {
			return err
		}
		open = append(open, j)
		if err := d.apart(arg, args[:i]); err != nil {
			return err
		}
		if i == 0 {
			if s, err = p.ours(j.Scenario(p.own...)); err != nil {
				return err
			}
			all = campaign.Combine(s)
		}
		if err := all.Collect(j); err != nil {
			return err
		}
		if !j.HasSingleRuns() {
			open = open[:len(open)-1]
			if err := j.Close(); err != nil {
				return err
			}
		}
	}
	if err := d.writable(d.out); err != nil {
		return err
	}
	show, end := d.progress(stderr, s.Name, s, nil)
	c, err := campaign.Merge(ctx, s, all, show)
	end()
	if c == nil {
		return err
	}
	if c.Partial {
		return interruptError{"nothing was merged"}
	}
	if err := d.deliver(c, s, d.out, all, stdout); err != nil {
		return err
	}
	annotate(stderr, annotationsOf(c, inRepository(s.Path), s.Original()))
	return outcome(c.Verdict)
}

// apart returns an error if a report is also one of those before, or the one to be written.
func (d *delivery) apart(arg string, before []string) error {
	for _, other := range before {
		if sameReport(runsPath(arg), runsPath(other)) {
			return usagef("%s and %s are the same report: name each one once", other, arg)
		}
	}
	if !d.noReport && sameReport(runsPath(arg), reports.RunsPath(d.out)) {
		return usagef("the merged report would replace %s, which is one of the reports to merge: name another directory with --out", d.out)
	}
	return nil
}

// sameReport reports whether two paths lead to one file.
func sameReport(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// runsPath returns the path of the journal of a report directory, or that of a journal.
func runsPath(arg string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return reports.RunsPath(arg)
	}
	return arg
}

// readRuns reads the journal of a report directory, or one by its path.
func readRuns(arg string) (*campaign.Journal, error) {
	path := runsPath(arg)
	if _, err := os.Stat(path); err != nil {
		return nil, usageError{fmt.Sprintf("merge takes reports with their runs: %v", err)}
	}
	return campaign.ReadJournal(path)
}
