package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/checker"
	"lockquake/checker/stored"
	"lockquake/internal/strictyaml"
)

// checkFlags are the flags of lockquake check.
type checkFlags struct {
	model  string
	keyed  string // true, false, or empty: decided by the operations
	checks []string
	format string
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check HISTORY",
		Short: "Judge a stored history",
		Long: `Check judges a history in a file, without running anything.

A history of lockquake (history.jsonl of a report) is judged by the checks of --check, by
default by all that apply; ` + advisory() + ` are then printed, but do not decide.

A history of Jepsen (its text log or its history.edn) is judged by the model of --model: is there
an order of the operations that the model allows? By default check guesses the model from the
functions of the operations. If a history has several keys, so that every value is [key value],
each key is judged separately. The models are

` + modelDocs() + `
Exit codes: 0 valid, 1 invalid, 2 unknown, 64 usage error, or a malformed or truncated file, 70 a fault of lockquake itself, 130 interrupted.`,
		Example: `  lockquake check lockquake-report/failures/redis-lost-update/history.jsonl
  lockquake check history.jsonl --check fencing,exclusion
  lockquake check store/latest/jepsen.log
  lockquake check store/latest/history.edn --model fenced-mutex --format json`,
		Args: exactlyOne("one history"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, args[0], cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of a Jepsen history: "+strings.Join(modelNames(), ", ")+" (default: guessed)")
	flags.StringVar(&f.keyed, "keyed", "", "whether the values of a Jepsen history are pairs, [key value]: true or false (default: decided by its operations)")
	flags.Lookup("keyed").NoOptDefVal = "true"
	flags.StringSliceVar(&f.checks, "check", nil, "only these checks, for a history of lockquake (default: all that apply)")
	formatFlag(cmd, &f.format)
	var models []cobra.Completion
	for _, m := range stored.Models() {
		models = append(models, cobra.CompletionWithDesc(m.Name, m.Doc))
	}
	completeFlag(cmd, "model", cobra.FixedCompletions(models, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "check", completeChecks)
	return cmd
}

// advisory names the checks that decide only if an expectation names them.
func advisory() string {
	return strings.Join(checker.NamesOf(func(c checker.Check) bool { return c.Advisory }), ", ")
}

// completeChecks offers the checks that are not before the last comma.
func completeChecks(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var names []cobra.Completion
	for _, c := range checker.Catalogue() {
		if !slices.Contains(strings.Split(before, ","), c.Name) {
			names = append(names, cobra.CompletionWithDesc(before+c.Name, c.Doc))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

func modelNames() []string {
	var names []string
	for _, m := range stored.Models() {
		names = append(names, m.Name)
	}
	return names
}

// modelDocs describes the models, a line each.
func modelDocs() string {
	var b strings.Builder
	for _, m := range stored.Models() {
		fmt.Fprintf(&b, "  %-14s %s\n", m.Name, m.Doc)
	}
	return b.String()
}

func (f *checkFlags) run(ctx context.Context, file string, stdout io.Writer) error {
	if err := oneOf("format", f.format, formats()); err != nil {
		return err
	}
	if f.model != "" && !slices.Contains(modelNames(), f.model) {
		return usageError{strictyaml.Unknown("model", f.model, modelNames())}
	}
	if f.keyed != "" && f.keyed != "true" && f.keyed != "false" {
		return usagef("--keyed is true or false, not %q", f.keyed)
	}
	for _, name := range f.checks {
		if !slices.Contains(checker.Names(), name) {
			return usageError{strictyaml.Unknown("check", name, checker.Names())}
		}
	}
	type answer struct {
		judged
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		j, err := f.judge(file)
		answers <- answer{j, err}
	}()
	var a answer
	select {
	case <-ctx.Done():
		return interruptError{file + " was not judged"}
	case a = <-answers:
	}
	if a.err != nil {
		return a.err
	}
	if err := a.print(stdout, f.format); err != nil {
		return err
	}
	switch a.Verdict {
	case checker.Valid:
		return nil
	case checker.Unknown:
		return outcomeError{exitUnknown}
	default:
		return outcomeError{exitViolation}
	}
}

// judge reads a file, detects its format, and judges it.
func (f *checkFlags) judge(file string) (judged, error) {
	data, err := readHistory(file)
	if err != nil {
		return judged{}, usageError{err.Error()}
	}
	j := judged{File: file}
	if isOurs(data) {
		if f.model != "" || f.keyed != "" {
			flag := "--keyed"
			if f.model != "" {
				flag = "--model"
			}
			return j, usagef("%s is for a history of Jepsen, and %s is one of lockquake, judged by --check", flag, file)
		}
		return j, f.judgeOurs(&j, data)
	}
	return j, f.judgeJepsen(&j, data)
}

// readHistory reads a whole file without its byte order mark, unless it is too large to be judged.
func readHistory(file string) ([]byte, error) {
	const most = 1 << 30
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read, so an error does not matter
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("%s is larger than %d bytes", file, most)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}
