package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
)

// completeScenarios offers the built-in scenarios that are not named yet, for at most most
// arguments. If none of them fits, the shell offers files.
func (p program) completeScenarios(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, name := range scenarios.Builtins() {
			if s, err := p.load(name); err == nil && !slices.Contains(args, name) {
				names = append(names, cobra.CompletionWithDesc(name, s.Description))
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

// completeStrategies offers the labels of the scenarios on the command line, or all
// strategies if there is none, and the libraries. It leaves out those before the last comma.
func (p program) completeStrategies(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	taken := strings.Split(before, ",")
	var names []cobra.Completion
	offer := func(label, doc string) {
		if !slices.Contains(taken, label) {
			taken = append(taken, label)
			names = append(names, cobra.CompletionWithDesc(before+label, doc))
		}
	}
	docs := map[string]string{}
	for _, e := range p.entries() {
		docs[e.Name] = e.Doc
	}
	for _, arg := range args {
		if s, err := p.load(arg); err == nil {
			for _, use := range s.Strategies {
				offer(use.Label, docs[use.Name])
			}
		}
	}
	if len(names) == 0 {
		for _, e := range p.entries() {
			offer(e.Name, e.Doc)
		}
	}
	if typed != before { // the list is long, so it waits for a letter
		offerLibraries(offer)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeFlag completes a flag of cmd by f.
func completeFlag(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // cmd has no such flag, or it has a completion already
	}
}

// addCompletion adds cobra's command that prints completion scripts, with usage errors as
// the other commands return them. The streams of root must be set.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print a script that lets a shell complete commands"
		cmd.Example = "  source <(lockquake completion bash)\n  lockquake completion fish > ~/.config/fish/completions/" + root.Name() + ".fish"
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usageError{strictyaml.Unknown("shell", args[0], commandsOf(cmd))}
		}
		for _, shell := range cmd.Commands() {
			shell.Args = noArguments
			shell.Example = "  lockquake completion " + shell.Name()
		}
	}
}
