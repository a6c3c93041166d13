package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/scenarios"
)

// runFlags are the flags of lockquake run.
type runFlags struct {
	seeds      string
	strategies []string
	out        string
	format     string
	jobs       int
	noReport   bool
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Run scenarios over many seeds and say how often each strategy fails",
		Long: `Run carries out every strategy of a scenario over a range of seeds, prints how many runs
violate a check, with 95 % intervals, and writes a report directory. A scenario is a file
or the name of a built-in one.`,
		Example: `  lockquake run gc-pause --seeds 1-1000
  lockquake run my-lock.yaml --strategy redis,redis-fenced --out report
  lockquake run kleppmann --format json`,
		Args: atLeastOne("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "seeds to run, as in 1-1000 or 17 (default: 1 to the scenario's seeds)")
	flags.StringSliceVar(&f.strategies, "strategy", nil, "only these strategies or labels (default: all of the scenario)")
	flags.StringVar(&f.out, "out", "lockquake-report", "directory to write the report to")
	flags.BoolVar(&f.noReport, "no-report", false, "write no report directory")
	flags.StringVar(&f.format, "format", "table", "what to print: table or json")
	flags.IntVar(&f.jobs, "jobs", 0, "runs at a time (default: one a processor)")
	return cmd
}

func (f *runFlags) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	var loaded []*scenarios.Scenario
	for _, arg := range args {
		s, err := load(arg)
		if err != nil {
			return err
		}
		loaded = append(loaded, s)
	}
	worst := scenarios.Pass
	for _, s := range loaded {
		bar := newProgress(stderr)
		c, err := scenarios.Run(ctx, s, append(opts, scenarios.WithProgress(bar.show))...)
		bar.clear()
		if c == nil {
			return err
		}
		if printErr := f.deliver(c, s, len(loaded) > 1, stdout); printErr != nil {
			return printErr
		}
		if err != nil {
			return err
		}
		if c.Verdict == scenarios.Fail || worst == scenarios.Pass {
			worst = c.Verdict
		}
	}
	return outcome(worst)
}

// deliver prints what came out of one scenario and writes its report.
func (f *runFlags) deliver(c *scenarios.Campaign, s *scenarios.Scenario, many bool, stdout io.Writer) error {
	dir := f.out
	if many {
		dir = filepath.Join(dir, s.Name)
	}
	if !f.noReport {
		if err := reports.WriteDir(dir, c, s); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return reports.JSON(stdout, c)
	}
	if err := reports.Table(stdout, c, reports.Options{Color: colours(stdout)}); err != nil {
		return err
	}
	if !f.noReport {
		fmt.Fprintf(stdout, "\nreport: %s\n", filepath.Join(dir, "report.md"))
	}
	return nil
}

func (f *runFlags) options() ([]scenarios.Option, error) {
	if f.format != "table" && f.format != "json" {
		return nil, usagef("--format is table or json, not %q", f.format)
	}
	if f.jobs < 0 {
		return nil, usagef("--jobs is a positive number, not %d", f.jobs)
	}
	var opts []scenarios.Option
	if f.seeds != "" {
		first, last, err := parseSeeds(f.seeds)
		if err != nil {
			return nil, err
		}
		opts = append(opts, scenarios.WithSeeds(first, last))
	}
	if len(f.strategies) > 0 {
		opts = append(opts, scenarios.WithStrategies(f.strategies...))
	}
	if f.jobs > 0 {
		opts = append(opts, scenarios.WithJobs(f.jobs))
	}
	return opts, nil
}

// maxSeeds is how many seeds one campaign takes.
const maxSeeds = 10_000_000

// parseSeeds reads 1-1000 or 17.
func parseSeeds(text string) (first, last uint64, err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 64)
	last, err2 := strconv.ParseUint(to, 10, 64)
	if err1 != nil || err2 != nil {
		return 0, 0, usagef("--seeds is a range such as 1-1000 or a number, not %q", text)
	}
	if first > last {
		return 0, 0, usagef("--seeds %s: the range is empty", text)
	}
	if last-first >= maxSeeds {
		return 0, 0, usagef("--seeds %s: at most %d seeds at a time", text, maxSeeds)
	}
	return first, last, nil
}
