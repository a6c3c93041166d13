package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/matrix"
	"lockquake/scenarios/results"
)

// matrixFlags are the flags of lockquake matrix.
type matrixFlags struct {
	program    program
	needs      []string
	strategies []string
	on         string
	flawed     bool
	advice     bool
	seeds      string
	out        string
	noReport   bool
	format     string
	jobs       int
	quiet      bool
}

// matrixFormats lists the values of --format.
func matrixFormats() []string { return []string{"table", "answer", "markdown", "json"} }

func (p program) newMatrix() *cobra.Command {
	f := matrixFlags{program: p}
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Answer which lock fits which need, from runs of all strategies under all classes of faults",
		Long: fmt.Sprintf(`Matrix runs every strategy without a known flaw for every need, without faults and under each
class of faults. For each need it prints the strategies that held under each class that the need
requires, cheapest first, with the widest 95 %% bound. Tables with the failing runs and the costs
follow. The needs are

%s
A strategy holds only if, for each of these classes, a fault of the class hit in at least %d runs,
no run failed, all checks were decided, and the work was done. Then fewer than 10 %% of such runs
fail (95 %%). The bound is for the mixture of faults of the class, not for each fault. A cell has
%d runs, and up to %d if its faults rarely hit. If faults hit too few of them, the strategy is
unknown, and the answer has the command with enough seeds. A strategy that fails a need within the
first %d seeds gets no more runs, and its other cells are not known. The results do not depend on
the number of cores.

The leases are those of the scenarios, 2 s. Other leases are not tried.

The directory has

%s
Each cell of the page has the command that repeats its first failing run, or all of its runs.
Each need is a scenario with the prefix need-, which lockquake run also runs.

With --advice it also compares published advice on locks with the results.

Stopped by Ctrl-C or SIGTERM, matrix prints and writes what was done, marked as partial. The
exit code does not depend on the results: it is 0, or 64, 70 and 130 as for the other commands.`,
			needList(), results.EnoughRuns, matrix.DefaultSeeds, matrix.DefaultMost, matrix.DefaultScreen, matrixContents()),
		Example: `  lockquake matrix
  lockquake matrix --need leader,queue
  lockquake matrix --need queue --on postgres
  lockquake matrix --need database --strategy redis-fenced,pg-advisory-xact --seeds 1-200
  lockquake matrix --flawed --out everything`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.needs, "need", nil, "only these needs (default: all)")
	flags.StringSliceVar(&f.strategies, "strategy", nil, "only these strategies, and none as the baseline (default: those without a known flaw)")
	flags.StringVar(&f.on, "on", "", "only the locks on these servers, and none as the baseline: "+strings.Join(familyNames(), ", "))
	flags.BoolVar(&f.flawed, "flawed", false, "also run the strategies with a known flaw")
	flags.BoolVar(&f.advice, "advice", false, "compare published advice with the results")
	flags.StringVar(&f.seeds, "seeds", "", fmt.Sprintf("seeds of each cell, as in 1-200, and no others (default: 1-%d, and more if the faults rarely hit)", matrix.DefaultSeeds))
	outFlag(cmd, &f.out, "lockquake-matrix", "directory to write the report to")
	flags.BoolVar(&f.noReport, "no-report", false, "write no report directory")
	flags.StringVar(&f.format, "format", "table", "what to print: "+strings.Join(matrixFormats(), ", "))
	JobsFlag(cmd, &f.jobs, "runs")
	quietFlag(cmd, &f.quiet)
	completeFlag(cmd, "seeds", cobra.NoFileCompletions)
	completeFlag(cmd, "need", cobra.FixedCompletions(matrix.NeedNames(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "strategy", p.completeStrategies)
	completeFlag(cmd, "on", cobra.FixedCompletions(familyNames(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "format", cobra.FixedCompletions(matrixFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// needList describes the needs, a line each.
func needList() string {
	var b strings.Builder
	for _, n := range matrix.Needs() {
		fmt.Fprintf(&b, "  %-12s %s\n", n.Name, n.Asks)
	}
	return b.String()
}

// matrixContents describes the files of the directory, a line each.
func matrixContents() string {
	var b strings.Builder
	for _, c := range reports.MatrixContents() {
		fmt.Fprintf(&b, "  %-12s %s\n", c.Name, c.Doc)
	}
	return b.String()
}

func (f *matrixFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	r, err := f.request()
	if err != nil {
		return err
	}
	if !f.noReport {
		if err := reports.MayWriteMatrix(f.out); err != nil {
			return usageError{err.Error()}
		}
	}
	noteSeeds(stderr, f.seeds, f.quiet)
	if !f.quiet {
		bar := progressOf(stderr, "matrix")
		r.Progress = func(at matrix.Progress) { bar.show(campaign.Progress{Done: at.Done, Total: at.Total}) }
		defer bar.end()
	}
	m, err := matrix.Run(ctx, r)
	if m == nil {
		if ctx.Err() != nil {
			return interruptError{"before a run was done"}
		}
		return err
	}
	if f.advice && ctx.Err() == nil {
		if m.Advice, err = matrix.Advise(ctx, m, f.program.own, f.jobs); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if err := f.deliver(m, stdout); err != nil {
		return err
	}
	return f.stopped(ctx, m)
}

// stopped returns an error if an interrupt left something undone.
func (f *matrixFlags) stopped(ctx context.Context, m *results.Matrix) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case m.Partial:
		return interruptError{fmt.Sprintf("the matrix was stopped after %s; the tables show what they tell", words.Counted(m.Runs, "run"))}
	case f.advice && m.Advice == nil:
		return interruptError{"the matrix is complete, and the advice was not compared"}
	}
	return nil
}

// request reads the flags.
func (f *matrixFlags) request() (r matrix.Request, err error) {
	if err := oneOf("format", f.format, matrixFormats()); err != nil {
		return r, err
	}
	for _, name := range f.needs {
		if !slices.Contains(matrix.NeedNames(), name) {
			return r, usageError{"--need: " + strictyaml.Unknown("need", name, matrix.NeedNames())}
		}
	}
	var known []string
	for _, e := range f.program.entries() {
		known = append(known, e.Name)
	}
	for _, name := range f.strategies {
		if !slices.Contains(known, strings.TrimSuffix(name, "+key")) {
			return r, usageError{"--strategy: " + strictyaml.Unknown("strategy", name, known)}
		}
	}
	if f.on != "" && !slices.Contains(familyNames(), f.on) {
		return r, usageError{"--on: " + strictyaml.Unknown("kind of server", f.on, familyNames())}
	}
	r = matrix.Request{Needs: f.needs, Strategies: f.strategies, On: f.on, Flawed: f.flawed, Own: f.program.own, Program: f.program.name, Jobs: f.jobs}
	if f.seeds != "" {
		if r.Seeds.First, r.Seeds.Last, err = parseSeeds(f.seeds); err != nil {
			return r, err
		}
	}
	return r, nil
}

// familyNames lists the kinds of servers.
func familyNames() []string {
	var names []string
	for _, f := range scenarios.Families() {
		names = append(names, f.Name)
	}
	return names
}

// deliver prints a matrix and writes its directory.
func (f *matrixFlags) deliver(m *results.Matrix, stdout io.Writer) error {
	if !f.noReport {
		if err := reports.WriteMatrix(f.out, m); err != nil {
			return err
		}
	}
	switch f.format {
	case "json":
		return results.WriteJSON(stdout, m)
	case "markdown":
		_, err := stdout.Write(reports.MatrixMarkdown(m))
		return err
	}
	o := tables.MatrixOptions{Screen: screenOf(stdout), AnswerOnly: f.format == "answer"}
	if err := tables.Matrix(stdout, m, o); err != nil {
		return err
	}
	if !f.noReport {
		fmt.Fprintf(stdout, "\nreport: %s\n", filepath.Join(f.out, "matrix.html"))
	}
	return nil
}
