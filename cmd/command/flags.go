package command

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"
)

// formats lists the values of --format of most commands.
func formats() []string { return []string{"table", "json"} }

// formatFlag adds --format to a command.
func formatFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "format", "table", "what to print: table or json")
	completeFlag(cmd, "format", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp))
}

// strategiesFlag adds --strategy to a command that takes several.
func (p program) strategiesFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringSliceVar(into, "strategy", nil, "only these strategies, labels or libraries such as redsync (default: all of the scenario)")
	completeFlag(cmd, "strategy", p.completeStrategies)
}

// outFlag adds --out, which names a directory, to a command.
func outFlag(cmd *cobra.Command, into *string, name, doc string) {
	cmd.Flags().StringVar(into, "out", name, doc)
	completeFlag(cmd, "out", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

// quietFlag adds --quiet to a command.
func quietFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "quiet", false, "show no progress")
}

// writeScenario writes a scenario to the file that a flag names. A path that cannot be written to is a usage error. If the write
// fails, a new file is removed.
func writeScenario(flag, path string, text []byte) error {
	_, missing := os.Lstat(path)
	err := os.WriteFile(path, text, 0o644)
	if refused, ok := errors.AsType[*fs.PathError](err); ok && refused.Op == "open" {
		return usagef("--%s: %v", flag, err)
	}
	if err != nil && errors.Is(missing, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// jobs is the value of --jobs. It is not negative.
type jobs int

// JobsFlag adds --jobs to a command: how many units, such as "runs", it does at a time. 0, the default, is one per
// processor; a negative number is a usage error.
func JobsFlag(cmd *cobra.Command, into *int, unit string) {
	cmd.Flags().Var((*jobs)(into), "jobs", unit+" at a time; 0, the default: one per processor")
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
}

func (j *jobs) String() string { return strconv.Itoa(int(*j)) }

func (j *jobs) Type() string { return "int" }

func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("must be 0 or a positive integer")
	}
	*j = jobs(n)
	return nil
}
