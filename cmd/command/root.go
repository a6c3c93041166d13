package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockquake/internal/strictyaml"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// exitCodes explains the exit codes of run and merge.
const exitCodes = `Exit codes: 0 all as expected, 1 an unexpected violation, an expected violation that did not
occur, or a threshold that was not met, 2 unknown, 64 usage or scenario error, 70 a fault of
lockquake or of the lock under test itself, 130 interrupted.`

func (p program) newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   p.file(),
		Short: "Tests distributed locks in a deterministic simulation",
		Long: `lockquake runs workers against a distributed lock in a deterministic simulation, injects
pauses, late packets, partitions and crashes, and checks what happened to the protected
resource. It reports how often each lock fails, and tells the shortest story of each failure.

The output is as wide as the terminal, or as COLUMNS, but at least 80 columns. In a file or a pipe
it has 100 columns. JSON, Markdown and the files of a report do not depend on the width.

` + exitCodes,
		Example: `  lockquake reproduce kleppmann
  lockquake run gc-pause --seeds 1-1000
  lockquake compare base/results.json lockquake-report
  lockquake list scenarios`,
		Version:           results.Version,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: p.shown()},
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return noneEmpty(cmd.Flags()) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(args[0], commandsOf(cmd))
		},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", screenOf(stdout).Columns())))
	fitHelp(root, screenOf(stdout))
	root.SetFlagErrorFunc(flagError)
	add := func(id, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = id
		}
		root.AddCommand(commands...)
	}
	help := newHelp(root)
	root.SetHelpCommand(help)
	root.SetCompletionCommandGroupID("more")
	add("runs", "Test locks:", p.newRun(), p.newMerge(), p.newReproduce(), p.newReplay(), p.newExplore(), p.newShrink(), p.newSweep(), p.newMatrix(), p.newAdvise(), p.newRate(), p.newHiccup(), newCheck(), newCompare())
	add("scenarios", "Write scenarios:", p.newInit(), p.newList(), p.newValidate(), p.newSchema())
	add("more", "More:", p.newVersion(), help)
	for _, e := range p.extensions {
		e.addTo(root, p.described)
	}
	addCompletion(root)
	p.rename(root)
	return root
}

// fitHelp makes the help of all commands fit on a screen.
func fitHelp(root *cobra.Command, on words.Screen) {
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				f.Value = onOff{f.Value}
			}
		})
		var b bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&b)
		usual(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, on.Reflow(b.String()))
	})
}

// onOff is a boolean flag in a help text: pflag prints [=true|false] behind the name of a flag of the type bool.
type onOff struct{ pflag.Value }

func (onOff) Type() string     { return "boolfunc" }
func (onOff) IsBoolFlag() bool { return true }

// newHelp returns cobra's help command, with an error for an unknown command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  lockquake help run",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return commandsOf(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return usageError{err.Error()}
			}
			if len(rest) > 0 {
				return unknownCommand(rest[0], commandsOf(cmd))
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

func commandsOf(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// unknownCommand returns the usage error for a command that does not exist: with the nearest one, or with all.
func unknownCommand(word string, known []string) error {
	if slices.Contains(known, word) {
		return usagef("write the command %s before --", word)
	}
	if len(known) == 0 || strictyaml.Near(word, known) {
		return usageError{strictyaml.Unknown("command", word, known)}
	}
	return usagef("unknown command %.70q; known are %s", word, strings.Join(known, ", "))
}

// flagError returns a usage error for a flag, with the nearest flag that there is.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return usageError{err.Error()}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return usageError{strictyaml.Unknown("flag", "--"+unknown.GetSpecifiedName(), names)}
}

// noneEmpty returns a usage error for a flag with an empty value, as in --out "$OUT" without that variable.
func noneEmpty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); err == nil && (value == "" || value == "[]") {
			err = usagef("--%s is empty; leave it out for the default", f.Name)
		}
	})
	return err
}

// atLeastOne is cobra.MinimumNArgs(1) with a usage error.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs %s; see %s --help", cmd.Name(), what, cmd.CommandPath())
		}
		return nil
	}
}

// exactlyOne is cobra.ExactArgs(1) with a usage error.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s needs %s, not %d arguments; see %s --help", cmd.Name(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// noArguments is cobra.NoArgs with a usage error.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, and %q is one; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	return nil
}

// load reads a scenario. It returns a usage error if there is no such scenario.
func (p program) load(arg string) (*scenarios.Scenario, error) {
	s, err := p.ours(scenarios.Load(arg, p.own...))
	var inFile *strictyaml.Error
	if err != nil && !errors.As(err, &inFile) {
		return nil, usageError{err.Error()}
	}
	return s, err
}
