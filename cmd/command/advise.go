package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/advise"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// adviseFlags are the flags of lockquake advise and lockquake init.
type adviseFlags struct {
	program program
	values  map[string]*string // of the questions, by name
	yes     bool
	force   bool
	out     string
	format  string
	jobs    int
	quiet   bool
}

// adviseFormats lists the values of --format.
func adviseFormats() []string { return []string{"text", "markdown", "json"} }

func (p program) newAdvise() *cobra.Command {
	f := adviseFlags{program: p}
	cmd := &cobra.Command{
		Use:   "advise",
		Short: "Answer whether a lock is safe with your pauses, which TTL it needs, and which lock to take",
		Long: `Advise takes your lock with its servers, pauses, latency and work. It writes a scenario with
comments, and runs it. The answer says which faults break the lock and how often, which changes
and which other locks lose nothing, which TTL is the smallest that is enough, what each lock
costs, which assumption matters most, and what is not simulated.

On a terminal it asks for each input, unless one is given as a flag. Elsewhere, and with --yes, it
uses defaults for the missing inputs, and lists them.

A distribution is written as "3s", "up to 3s", "1s to 3s", "p99 50ms", "p50 5ms, p99 50ms",
"mean 20s", none, or {dist: ...} as in a scenario. It can also be a file: one duration a line, or
the log of a runtime (docs/pauses.md). Pauses can say how often they come: "up to 3s, every 5m".

The answer takes up to a minute on two cores, or some minutes if a job is much longer than its
lease. With work that is much shorter than the lease, or messages that take long, it can take hours.
If it may take more than ten minutes, advise says so after ten seconds. Inputs with even longer runs
are an error. The same inputs give the same answer.

` + "Exit codes: 0 an answer, 64 usage error, 70 a fault of lockquake itself, 130 interrupted.",
		Example: `  lockquake advise
  lockquake advise --topology failover --renew 10s --pauses "up to 3s" --latency "p99 50ms" --work 10m
  lockquake advise --ttl '?' --work "p50 2s, p99 20s" --pauses pauses.txt
  lockquake advise --topology database`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.advise(ctx, cmd)
		},
	}
	f.flags(cmd, "lockquake-advice.yaml")
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "text", "what to print: "+strings.Join(adviseFormats(), ", "))
	JobsFlag(cmd, &f.jobs, "runs")
	quietFlag(cmd, &f.quiet)
	completeFlag(cmd, "format", cobra.FixedCompletions(adviseFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// flags adds the flags that advise and init share.
func (f *adviseFlags) flags(cmd *cobra.Command, out string) {
	f.values = map[string]*string{}
	flags := cmd.Flags()
	flags.SortFlags = false
	for _, q := range advise.Questions() {
		f.values[q.Name] = flags.String(q.Name, "", q.Doc)
		switch {
		case q.Words != nil:
			completeFlag(cmd, q.Name, cobra.FixedCompletions(q.Words, cobra.ShellCompDirectiveNoFileComp))
		case q.Name == "lock":
			completeFlag(cmd, q.Name, f.program.completeStrategies)
		case q.Name == "ttl", q.Name == "renew":
			completeFlag(cmd, q.Name, cobra.NoFileCompletions)
		}
	}
	flags.BoolVar(&f.yes, "yes", false, "use the defaults of missing inputs, and ask nothing")
	flags.StringVar(&f.out, "out", out, "file to write the scenario to")
	flags.BoolVar(&f.force, "force", false, "replace that file")
}

// advise asks, runs and answers.
func (f *adviseFlags) advise(ctx context.Context, cmd *cobra.Command) error {
	if err := oneOf("format", f.format, adviseFormats()); err != nil {
		return err
	}
	in, err := f.inputs(ctx, cmd)
	if err != nil {
		return err
	}
	if err := in.Fits(); err != nil {
		return usageError{"advise: " + err.Error()}
	}
	asked, err := in.Scenario(f.out, f.program.name)
	if err != nil {
		return flagged("advise:", err)
	}
	f.warn(cmd.ErrOrStderr(), asked)
	r := advise.Request{Inputs: in, Path: f.out, Program: f.program.name, Jobs: f.jobs}
	bar := progressOf(cmd.ErrOrStderr(), "advise")
	ahead := forecast{scenario: asked, began: bar.began}
	r.Progress = func(p campaign.Progress) {
		if text := ahead.text(p, bar.now()); text != "" {
			bar.clear()
			say(cmd.ErrOrStderr(), "%s: %s", f.program.name, text)
		}
		if !f.quiet {
			bar.show(p)
		}
	}
	answer, scenario, err := advise.Run(ctx, r)
	bar.end()
	if err != nil {
		if ctx.Err() != nil {
			return interruptError{"before the answer; nothing was written"}
		}
		return flagged("advise:", err)
	}
	if err := writeScenario(f.out, scenario.Text); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s, the scenario of this answer\n", f.out)
	return f.print(cmd.OutOrStdout(), answer)
}

// forecast says once how much advise has to run, if that may take longer than longAnswer.
type forecast struct {
	scenario *scenarios.Scenario
	began    time.Time
	said     bool
}

// longAnswer is much more time than usual inputs take.
const longAnswer = 10 * time.Minute

// text returns what there is to say after a run, "" if nothing. It judges the runs of the first ten seconds or more.
func (f *forecast) text(p campaign.Progress, now time.Time) string {
	took := now.Sub(f.began)
	if f.said || took < between {
		return ""
	}
	all := took + left(p, took)
	if all <= longAnswer {
		return ""
	}
	f.said = true
	seconds := float64(p.Total) * float64(f.scenario.Workers) * f.scenario.Duration.Seconds()
	return fmt.Sprintf("about %s of %d workers for %v (%s worker seconds) may take about %v: work that is much shorter than the lease, and messages that take long, make many events",
		words.Counted(p.Total, "run"), f.scenario.Workers, f.scenario.Duration, words.Thousands(int(seconds)), all.Round(time.Minute))
}

// warn prints a line for each pair of inputs that defeat each other, such as a renewal after the end of the lease.
func (f *adviseFlags) warn(w io.Writer, s *scenarios.Scenario) {
	for _, warning := range s.Warnings {
		say(w, "%s: warning: %s", f.program.name, warning.Text)
	}
}

// oneOf returns a usage error for a value of a flag that is not known.
func oneOf(flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return usageError{"--" + flag + ": " + strictyaml.Unknown(flag, value, known)}
}

// print prints the answer.
func (f *adviseFlags) print(w io.Writer, a *results.Advice) error {
	switch f.format {
	case "json":
		return results.WriteJSON(w, a)
	case "markdown":
		_, err := w.Write(reports.AnswerMarkdown(a))
		return err
	}
	return tables.Advice(w, a, screenOf(w))
}

// writable returns an error if the file of the scenario exists and must not be replaced.
func (f *adviseFlags) writable() error {
	if filepath.Ext(f.out) != ".yaml" && filepath.Ext(f.out) != ".yml" {
		return usagef("--out: a scenario is a .yaml file, not %q", f.out)
	}
	if dir, err := os.Stat(filepath.Dir(f.out)); err != nil || !dir.IsDir() {
		return usagef("--out: there is no folder %q", filepath.Dir(f.out))
	}
	if err := mayWriteScenario("out", f.out); err != nil {
		return err
	}
	old, err := os.ReadFile(f.out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return usageError{"--out: " + err.Error()}
	case f.force || advise.Untouched(old):
		return nil
	}
	return usagef("--out: %s was edited, or is not a file of advise; name another file, or use --force", f.out)
}
