package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lockquake",
		Short: "Shakes distributed locks until they break",
		Long: `lockquake runs workers against a distributed lock in a deterministic simulation, injects
pauses, late packets and partitions, checks what happened to the protected resource, and
says how often each lock fails, with the shortest story of how.

Exit codes: 0 all as expected, 1 a violation where none was expected or none where one
was, 2 unknown, 64 usage or scenario error, 70 a fault of lockquake or of the lock under
test itself, 130 interrupted.`,
		Example: `  lockquake reproduce kleppmann
  lockquake run gc-pause --seeds 1-1000
  lockquake list scenarios`,
		Version:       scenarios.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return usageError{strictyaml.Unknown("command", args[0], names)}
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err.Error()} })
	root.AddCommand(newRun(), newReproduce(), newReplay(), newList(), newValidate())
	return root
}

// atLeastOne is cobra.MinimumNArgs(1) with a usage error.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs %s; see lockquake %s --help", cmd.Name(), what, cmd.Name())
		}
		return nil
	}
}

// exactlyOne is cobra.ExactArgs(1) with a usage error.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s needs %s, not %d arguments; see lockquake %s --help", cmd.Name(), what, len(args), cmd.Name())
		}
		return nil
	}
}

// load reads a scenario. A name that stands for none is a mistake in the
// command line.
func load(arg string) (*scenarios.Scenario, error) {
	s, err := scenarios.Load(arg)
	var inFile *strictyaml.Error
	if err != nil && !errors.As(err, &inFile) {
		return nil, usageError{err.Error()}
	}
	return s, err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colours reports whether a stream is to be coloured: a terminal, and nobody
// who asked for none.
func colours(w any) bool {
	_, plain := os.LookupEnv("NO_COLOR")
	return isTerminal(w) && !plain && os.Getenv("TERM") != "dumb"
}
