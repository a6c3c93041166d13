package command

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// mayWriteScenario returns a usage error if writeScenario cannot write to a path. It is called before the runs.
func mayWriteScenario(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usagef("--%s: %s is not a file", flag, path)
	}
	_, missing := os.Lstat(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return usagef("--%s: %v", flag, err)
	}
	err = file.Close()
	if errors.Is(missing, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// writeScenario writes a scenario to a file. If the write fails, a new file is removed.
func writeScenario(path string, text []byte) error {
	_, missing := os.Lstat(path)
	err := os.WriteFile(path, text, 0o644)
	if err != nil && errors.Is(missing, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// JobsFlag adds --jobs to a command: how many units, such as "runs", it does at a time. By default it is 0: one per
// processor.
func JobsFlag(cmd *cobra.Command, into *int, unit string) {
	cmd.Flags().IntVar(into, "jobs", 0, unit+" at a time (default: one per processor)")
	PositiveFlags(cmd.Flags(), "jobs")
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
}

// PositiveFlags makes flags for numbers and durations refuse 0 and less. Their default may be 0.
func PositiveFlags(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		f.Value = positive{f.Value}
		if f.DefValue == "0s" {
			f.DefValue = "0" // the only zero that pflag leaves out for a value of ours
		}
	}
}

// positive is the value of a flag that is more than 0.
type positive struct{ pflag.Value }

func (p positive) Set(text string) error {
	if err := p.Value.Set(text); err != nil {
		return err
	}
	if set := p.String(); set == "0" || set == "0s" || strings.HasPrefix(set, "-") {
		return errors.New("must be more than 0")
	}
	return nil
}
