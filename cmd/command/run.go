package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// runFlags are the flags of lockquake run.
type runFlags struct {
	program    program
	seeds      string
	until      string
	strategies []string
	sets       []string
	delivery
	jobs   int
	quiet  bool
	resume bool
}

func (p program) newRun() *cobra.Command {
	f := runFlags{program: p}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Run scenarios over many seeds and say how often each strategy fails",
		Long: `Run carries out every strategy of a scenario over a range of seeds, prints how many runs
violate a check, with 95 % intervals, and writes a report directory. A scenario is a file
or the name of a built-in one. Progress is shown on standard error.

A report directory holds

` + contents() + `
With several scenarios each has a directory of its own in it, by its name. Stopped by Ctrl-C
or SIGTERM, run prints and reports what was done, marked as partial; a second Ctrl-C ends it
at once. A report is complete or it is not there.

While it works, run keeps every run that has ended in a file beside the directory, OUT.runs. It is
gone once the report is there, which has the runs as runs.log. However run was stopped, the same
command with --resume goes on with OUT.runs, or where there is none with OUT/runs.log, and comes to
the same results as if nothing had happened; with more seeds or strategies it carries out what is
missing. Without --resume it begins anew.

With --shard 3/16 run carries out the third of 16 parts of the seeds, on a machine of its own,
and exits 0 when they are done, whatever it has seen: lockquake merge puts the reports of
the shards together, and its verdict decides.

` + exitCodes,
		Example: `  lockquake run gc-pause --seeds 1-1000
  lockquake run gc-pause --until 0.5%
  lockquake run gc-pause --seeds 1-5000 --resume
  lockquake run gc-pause --seeds 1-5000 --shard 3/16 --out shard-3
  lockquake run my-lock.yaml --strategy redis,redis-fenced --out report
  lockquake run kleppmann --format json`,
		Args:              atLeastOne("a scenario"),
		ValidArgsFunction: p.completeScenarios(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "seeds to run, as in 1-1000 or 17 (default: 1 to the scenario's seeds)")
	flags.StringVar(&f.until, "until", "", "stop a strategy once its rate is known to so much to either side, as in 0.5%; looked at after every 100 seeds")
	flags.StringSliceVar(&f.strategies, "strategy", nil, "only these strategies or labels (default: all of the scenario)")
	setFlag(cmd, &f.sets)
	f.flags(cmd)
	flags.BoolVar(&f.resume, "resume", false, "go on with what OUT.runs or OUT/runs.log holds")
	flags.StringVar(&f.part, "shard", "", "carry out one part of the seeds, as in 3/16, for merge")
	flags.IntVar(&f.jobs, "jobs", 0, "runs at a time (default: one a processor)")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	completeFlag(cmd, "seeds", cobra.NoFileCompletions)
	completeFlag(cmd, "until", cobra.NoFileCompletions)
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
	completeFlag(cmd, "strategy", p.completeStrategies)
	completeFlag(cmd, "shard", cobra.NoFileCompletions)
	return cmd
}

// interruptible returns a context that ends with the first signal to stop. The
// second ends the program as if nobody had listened.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (f *runFlags) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	r, err := f.request()
	if err != nil {
		return err
	}
	var loaded []*scenarios.Scenario
	for _, arg := range args {
		s, err := f.program.loadWith(arg, f.sets)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(loaded, func(other *scenarios.Scenario) bool { return other.Name == s.Name }) {
			return usagef("two scenarios are called %s, and would have one report", s.Name)
		}
		loaded = append(loaded, s)
	}
	for _, s := range loaded {
		if err := f.writable(f.dirOf(s, len(loaded) > 1)); err != nil {
			return err
		}
	}
	worst := results.Pass
	for i, s := range loaded {
		if ctx.Err() != nil {
			return interruptError{notBegun(loaded[i:])}
		}
		warn(stderr, s, f.strategies)
		title := s.Name
		if len(loaded) > 1 {
			title = fmt.Sprintf("%s (%d of %d)", s.Name, i+1, len(loaded))
		}
		c, err := f.one(ctx, s, title, f.dirOf(s, len(loaded) > 1), r, stdout, stderr)
		if err != nil {
			return err
		}
		if c.Partial {
			return interruptError{f.stoppedIn(c, loaded[i+1:])}
		}
		if f.part != "" {
			continue // merge decides
		}
		if c.Verdict == results.Fail || worst == results.Pass {
			worst = c.Verdict
		}
	}
	return outcome(worst)
}

// one runs one scenario, prints what came out of it, and leaves it in dir. The
// error of a campaign that was stopped is in it.
func (f *runFlags) one(ctx context.Context, s *scenarios.Scenario, title, dir string, r campaign.Request, stdout, stderr io.Writer) (c *results.Campaign, err error) {
	if f.noReport {
		if c, err = f.campaign(ctx, s, title, r, stderr); c == nil {
			return nil, err
		}
		return c, f.deliver(c, s, dir, nil, stdout)
	}
	journal, err := openRuns(dir, s, f.resume)
	if err != nil {
		return nil, err
	}
	done := journal.Close
	defer func() { err = errors.Join(err, done()) }()
	r.Journal = journal
	if c, err = f.campaign(ctx, s, title, r, stderr); c == nil {
		return nil, err
	}
	if err = f.deliver(c, s, dir, journal, stdout); err == nil && !c.Partial {
		done = journal.Remove // the report has it
	}
	return c, err
}

// campaign runs one scenario, and shows how far it has come.
func (f *runFlags) campaign(ctx context.Context, s *scenarios.Scenario, title string, r campaign.Request, stderr io.Writer) (*results.Campaign, error) {
	if f.quiet {
		return campaign.Run(ctx, s, r)
	}
	bar := newProgress(stderr, title, s, f.strategies)
	defer bar.end()
	r.Progress = bar.show
	return campaign.Run(ctx, s, r)
}

// stoppedIn says how far a campaign came that was stopped.
func (f *runFlags) stoppedIn(c *results.Campaign, rest []*scenarios.Scenario) string {
	done := 0
	for _, st := range c.Strategies {
		done += st.Runs
	}
	text := fmt.Sprintf("%s was stopped after %d of %d runs", c.Scenario, done, len(c.Strategies)*c.Seeds.Count())
	if c.Until > 0 {
		text = fmt.Sprintf("%s was stopped after %d runs", c.Scenario, done)
	}
	if len(rest) > 0 {
		text += "; " + notBegun(rest)
	}
	if !f.noReport {
		text += "; --resume goes on"
	}
	return text
}

func notBegun(rest []*scenarios.Scenario) string {
	var names []string
	for _, s := range rest {
		names = append(names, s.Name)
	}
	return "not begun: " + strings.Join(names, ", ")
}

// request reads the flags about what is run.
func (f *runFlags) request() (r campaign.Request, err error) {
	if err := f.usable(); err != nil {
		return r, err
	}
	if f.jobs < 0 {
		return r, usagef("--jobs is a positive number, not %d", f.jobs)
	}
	if f.noReport && (f.resume || f.part != "") {
		return r, usagef("--resume and --shard need the runs that a report keeps, and --no-report keeps none")
	}
	r.Strategies, r.Jobs = f.strategies, f.jobs
	if f.seeds != "" {
		if r.Seeds.First, r.Seeds.Last, err = parseSeeds(f.seeds); err != nil {
			return r, err
		}
	}
	if f.until != "" {
		if r.Until, err = parseShare(f.until); err != nil {
			return r, err
		}
	}
	if f.part != "" {
		if r.Part, r.Parts, err = parseShard(f.part); err != nil {
			return r, err
		}
		if f.until != "" {
			return r, usagef("--until looks at all runs, and --shard has a part of them: leave one out")
		}
	}
	return r, nil
}

// parseShare reads 0.5% as 0.005.
func parseShare(text string) (float64, error) {
	number, isShare := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !isShare || !(percent > 0 && percent < 50) {
		return 0, usagef("--until is a share between 0%% and 50%%, such as 0.5%%, not %q", text)
	}
	return percent / 100, nil
}

// parseShard reads 3/16.
func parseShard(text string) (part, parts int, err error) {
	first, second, _ := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(first)
	parts, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || part < 1 || part > parts || strings.Contains(text, "+") {
		return 0, 0, usagef("--shard is a part of the seeds such as 3/16, not %q", text)
	}
	return part, parts, nil
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
