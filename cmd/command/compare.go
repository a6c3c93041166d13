package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/scenarios/results"
)

// compareFlags are the flags of lockquake compare.
type compareFlags struct {
	format   string
	failOn   string
	scenario string
}

// comparisonFormats lists the values of --format, failures those of --fail-on.
func comparisonFormats() []string { return []string{"table", "markdown", "json"} }
func failures() []string          { return []string{"worse", "changed", "never"} }

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE HEAD",
		Short: "Show what got better or worse between two results",
		Long: `Compare compares the results of a run with earlier ones, strategy by strategy and check by
check. The verdict is worse, better, the same, or cannot tell. BASE and HEAD are results.json
files or report directories. Compare names the seeds that changed their verdict, and the settings
of the scenario that differ.

If both have run the same seeds, it compares seed by seed (McNemar's exact test). Otherwise it
compares the rates (Fisher's exact test). The significance level is 5 %, corrected by Holm's method
for the number of checks. A check that the scenario expects to hold is worse as soon as one run
violates it. A check is the same if no seed changed its verdict, or if the rates differ by less than
1 % with 95 % confidence. A check that finds no harm (run marks it harmless) does not decide. The
test of the share of finished work takes each run as one sample, and assumes the largest variance:
that a run finishes all of its jobs or none.

In GitHub Actions each check that got worse is an error of the job, and a difference that may be
chance is a warning. With --scenario FILE they appear at the lines of the strategies in this file.

Exit codes: 0 nothing got worse, 1 something got worse, or with --fail-on changed a verdict, a
check or a strategy changed; 64 usage error, a file without results, or no strategy in common; 70
a fault of lockquake itself.`,
		Example: `  lockquake compare base/results.json lockquake-report
  lockquake compare base head --format markdown >> "$GITHUB_STEP_SUMMARY"
  lockquake compare base head --fail-on changed`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("compare needs two results, base and head, not %d; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.compare(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "table", "what to print: table, markdown (for a pull request) or json")
	flags.StringVar(&f.failOn, "fail-on", "worse", "what makes the exit code 1: worse, changed or never")
	flags.StringVar(&f.scenario, "scenario", "", "file of the scenario; GitHub Actions shows what got worse beside its lines")
	completeFlag(cmd, "format", cobra.FixedCompletions(comparisonFormats(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "fail-on", cobra.FixedCompletions(failures(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *compareFlags) compare(args []string, stdout, stderr io.Writer) error {
	if err := oneOf("format", f.format, comparisonFormats()); err != nil {
		return err
	}
	if err := oneOf("fail-on", f.failOn, failures()); err != nil {
		return err
	}
	var file []byte
	if f.scenario != "" {
		var err error
		if file, err = os.ReadFile(f.scenario); err != nil {
			return usagef("--scenario: %v", err)
		}
	}
	var sides []*results.Campaign
	for _, arg := range args {
		c, err := results.Read(arg)
		if err != nil {
			// The command line named the file, so every error is one of usage.
			return usageError{strings.ReplaceAll(err.Error(), "\n", " ")}
		}
		sides = append(sides, c)
	}
	c := reports.Compare(sides[0], sides[1])
	if len(c.Strategies) == 0 {
		return usagef("cannot compare: base and head have no strategy in common")
	}
	if err := f.print(c, stdout); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	path := ""
	if f.scenario != "" {
		path = inRepository(f.scenario)
	}
	annotate(stderr, annotationsOfComparison(c, path, file))
	if f.failOn != "never" && c.Worse() || f.failOn == "changed" && c.Changed {
		return outcomeError{exitViolation}
	}
	return nil
}

func (f *compareFlags) print(c *reports.Comparison, stdout io.Writer) error {
	switch f.format {
	case "json":
		return c.JSON(stdout)
	case "markdown":
		return c.Markdown(stdout)
	}
	return c.Table(stdout, screenOf(stdout))
}
