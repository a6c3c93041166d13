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

	"lockquake/reports/words"
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
	pauses     string
	delivery
	jobs   int
	resume bool

	executors []func() (Executor, error) // of the extensions
	executor  Executor                   // nil: this process
}

func (p program) newRun() *cobra.Command {
	f := runFlags{program: p}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Run scenarios over many seeds and show how often each strategy fails",
		Long: `Run runs every strategy of a scenario with a range of seeds. It prints how many runs violate
a check, with 95 % intervals, and writes a report directory. A scenario is a file or the
name of a built-in one. Progress is shown on standard error.

A report directory holds

` + contents() + `
With several scenarios the report directory has a subdirectory for each, by its name. Stopped
by Ctrl-C or SIGTERM, run prints and reports the runs that were done, marked as partial; a
second Ctrl-C ends it at once. A report is written as a whole or not at all.

During a campaign, run stores every finished run in the file OUT.runs, beside the report directory.
When it writes the report, it stores the runs there as runs.log, and removes OUT.runs. After any
interruption the same command with --resume continues with OUT.runs, or with OUT/runs.log if there
is no OUT.runs. The results are the same as without the interruption. With more seeds or strategies,
--resume does only the missing runs. Without --resume, run starts from the beginning.

With more than a million runs the campaign keeps only their sums: OUT.runs has the runs of the
last minute, and the sums of earlier ones. --resume can add seeds to sums, but no strategies.

With --shard 3/16, run does the third of 16 parts of the seeds, for one of 16 machines. It exits
with 0 when they are done, even if checks are violated: lockquake merge combines the reports of
the shards, and its verdict decides. With --shard auto, run takes its part from the environment of
the platform (Kubernetes, GitLab, Buildkite, CircleCI, Slurm, AWS Batch, Nomad and others;
docs/ci.md has the variables). If the platform sets no number of parts, write auto/16.

` + exitCodes,
		Example: `  lockquake run gc-pause --seeds 1-1000
  lockquake run gc-pause --until 0.5%
  lockquake run gc-pause --pauses gctrace.log
  lockquake run gc-pause --seeds 1-5000 --resume
  lockquake run gc-pause --seeds 1-5000 --shard 3/16 --out shard-3
  lockquake run gc-pause --seeds 1-1000000000 --shard auto/1000 --out shard
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
	flags.StringVar(&f.until, "until", "", "stop a strategy once the half width of its interval is at most this, as in 0.5%; tested after every 100 seeds")
	p.strategiesFlag(cmd, &f.strategies)
	setFlag(cmd, &f.sets)
	pausesFlag(cmd, &f.pauses)
	f.flags(cmd)
	flags.BoolVar(&f.resume, "resume", false, "continue with the runs in OUT.runs or OUT/runs.log")
	flags.StringVar(&f.part, "shard", "", "run one part of the seeds, as in 3/16, for merge; auto: the part comes from the environment of the platform")
	JobsFlag(cmd, &f.jobs, "runs")
	for _, e := range p.extensions {
		f.executors = append(f.executors, e.RunFlags(p.described, flags))
	}
	completeFlag(cmd, "seeds", cobra.NoFileCompletions)
	completeFlag(cmd, "until", cobra.NoFileCompletions)
	completeFlag(cmd, "shard", cobra.NoFileCompletions)
	return cmd
}

// interruptible returns a context that ends with the first SIGINT or SIGTERM. The second
// signal kills the program.
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
		s, err := f.program.loadPaused(arg, f.sets, f.pauses)
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
	noteSeeds(stderr, f.seeds, f.quiet)
	worst := results.Pass
	for i, s := range loaded {
		if ctx.Err() != nil {
			return interruptError{notBegun(loaded[i:])}
		}
		noteLibraries(stderr, s, f.strategies)
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
		annotate(stderr, annotationsOf(c, inRepository(s.Path), s.Original()))
		if c.Verdict == results.Fail || worst == results.Pass {
			worst = c.Verdict
		}
	}
	return outcome(worst)
}

// one runs one scenario, prints its results, and writes its report into dir. For a campaign
// that was stopped it returns a partial campaign and no error.
func (f *runFlags) one(ctx context.Context, s *scenarios.Scenario, title, dir string, r campaign.Request, stdout, stderr io.Writer) (c *results.Campaign, err error) {
	journal, done, err := f.openJournal(dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	r.Journal = journal
	if f.resume && f.executor == nil && journal.Runs() == 0 {
		from := fmt.Sprintf("at seed %d", max(1, r.Seeds.First))
		if f.part != "" {
			from = "at the first seed of shard " + f.part
		}
		say(stderr, "lockquake: nothing to resume in %s; %s starts %s", dir, s.Name, from)
	}
	delivered, err := f.execute(ctx, s, title, r, stderr)
	if err != nil {
		return nil, err
	}
	if c, err = f.campaign(ctx, s, title, r, stderr); c == nil {
		if !f.noReport && journal.Runs() == 0 {
			done = journal.Remove // it has nothing to resume
			return nil, err
		}
		return nil, f.kept(err, journal, dir)
	}
	if err = f.deliver(c, s, dir, journal, stdout); err != nil || c.Partial {
		return c, f.kept(err, journal, dir)
	}
	if !f.noReport {
		done = journal.Remove // the report has it
	}
	return c, delivered()
}

// kept adds to an internal error that the journal beside the report directory keeps the finished runs.
func (f *runFlags) kept(err error, journal *campaign.Journal, dir string) error {
	if f.noReport || exitCode(err) != exitInternal {
		return err
	}
	return keptError{err, fmt.Sprintf("%s keeps %s; the same command with --resume continues with them", beside(dir), words.Count(journal.Runs(), "finished run"))}
}

// campaign runs one scenario and shows its progress.
func (f *runFlags) campaign(ctx context.Context, s *scenarios.Scenario, title string, r campaign.Request, stderr io.Writer) (*results.Campaign, error) {
	defer setGC(campaign.GCPercent(s, r, false))()
	show, end := f.progress(stderr, title, s, f.strategies)
	defer end()
	r.Progress = show
	return campaign.Run(ctx, s, r)
}

// stoppedIn describes the progress of a campaign that was stopped.
func (f *runFlags) stoppedIn(c *results.Campaign, rest []*scenarios.Scenario) string {
	done := 0
	for _, st := range c.Strategies {
		done += st.Runs
	}
	text := fmt.Sprintf("%s was stopped after %s of %s", c.Scenario, words.Thousands(done), words.Counted(len(c.Strategies)*c.Seeds.Count(), "run"))
	if c.Until > 0 {
		text = fmt.Sprintf("%s was stopped after %s", c.Scenario, words.Counted(done, "run"))
	}
	if len(rest) > 0 {
		text += "; " + notBegun(rest)
	}
	if !f.noReport {
		text += "; --resume continues"
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
	for _, asked := range f.executors {
		if f.executor, err = asked(); f.executor != nil || err != nil {
			break
		}
	}
	switch {
	case err != nil:
		return r, err
	case f.executor != nil && (f.until != "" || f.part != ""):
		return r, usagef("--until and --shard are for a campaign that runs in one process: leave them out")
	case f.executor == nil && f.noReport && (f.resume || f.part != ""):
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
		if r.Part, r.Parts, err = parseShard(f.part, os.Getenv); err != nil {
			return r, err
		}
		f.part = fmt.Sprintf("%d/%d", r.Part, r.Parts)
		if f.until != "" {
			return r, usagef("--until needs all runs, and --shard has a part of them: leave one out")
		}
	}
	return r, nil
}

// noteSeeds says that a single number is one seed and not a number of seeds.
func noteSeeds(w io.Writer, seeds string, quiet bool) {
	if n, err := strconv.ParseUint(seeds, 10, 64); err == nil && n > 1 && !quiet {
		say(w, "note: --seeds %d is seed %[1]d only; --seeds 1-%[1]d runs %[1]d seeds", n)
	}
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
	if first == 0 {
		return 0, 0, usagef("--seeds %s: the first seed is 1", text)
	}
	if first > last {
		return 0, 0, usagef("--seeds %s: the range is empty", text)
	}
	if last-first >= results.MaxSeeds {
		return 0, 0, usagef("--seeds %s: at most %d seeds at a time", text, results.MaxSeeds)
	}
	return first, last, nil
}
