package command

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/libraries"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// listed is one line of a catalogue.
type listed struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
	Doc  string `json:"doc"`
}

// catalogue is one argument of list.
type catalogue struct {
	name  string
	lines func() ([]listed, error)
}

func (p program) catalogues() []catalogue {
	return []catalogue{
		{"scenarios", p.listScenarios},
		{"strategies", p.listStrategies},
		{"libraries", listLibraries},
		{"parts", listParts},
		{"workloads", listWorkloads},
		{"resources", listResources},
		{"faults", listFaults},
		{"checks", listChecks},
		{"points", listPoints},
	}
}

func (p program) newList() *cobra.Command {
	var format string
	var names []string
	for _, c := range p.catalogues() {
		names = append(names, c.name)
	}
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "] [LIBRARY]",
		Short: "List the names that a scenario can use",
		Long: `List prints the names that a scenario can use, and the libraries that --strategy takes. Without an
argument it prints all of them. With the name of a library it prints how the library differs from the
nearest strategy.`,
		Example: "  lockquake list\n  lockquake list strategies --format json\n  lockquake list libraries redsync",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 && args[0] == "libraries" {
				var known []cobra.Completion
				offerLibraries(func(name, doc string) { known = append(known, cobra.CompletionWithDesc(name, doc)) })
				return known, cobra.ShellCompDirectiveNoFileComp
			}
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.list(cmd.OutOrStdout(), args, names, format)
		},
	}
	formatFlag(cmd, &format)
	return cmd
}

func (p program) list(w io.Writer, args, names []string, format string) error {
	if err := oneOf("format", format, formats()); err != nil {
		return err
	}
	if len(args) == 2 && args[0] == "libraries" {
		return p.listLibrary(w, args[1], format)
	}
	if len(args) > 1 {
		return usagef("list takes one argument, not %d", len(args))
	}
	all := map[string][]listed{}
	for i, c := range p.catalogues() {
		if len(args) == 1 && args[0] != c.name {
			continue
		}
		lines, err := c.lines()
		if err != nil {
			return err
		}
		all[c.name] = lines
		if format == "table" {
			if len(args) == 0 {
				if i > 0 {
					fmt.Fprintln(w)
				}
				fmt.Fprintf(w, "%s\n", strings.ToUpper(c.name))
			}
			if err := table(w, lines); err != nil {
				return err
			}
		}
	}
	switch {
	case len(all) == 0:
		if l, ok := libraries.Find(args[0]); ok {
			return usagef("%s is a library: lockquake list libraries %s", args[0], l.Name)
		}
		return usageError{strictyaml.Unknown("catalogue", args[0], names)}
	case format == "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	return nil
}

// listLibrary prints one library.
func (p program) listLibrary(w io.Writer, name, format string) error {
	l, ok := libraries.Find(name)
	if !ok {
		var names []string
		for _, l := range libraries.All() {
			names = append(names, l.Name)
		}
		return usageError{strictyaml.Unknown("library", name, names)}
	}
	if format == "json" {
		return results.WriteJSON(w, l)
	}
	return printLibrary(w, l)
}

func table(w io.Writer, lines []listed) error {
	var rows [][]string
	for _, l := range lines {
		if l.Note != "" {
			rows = append(rows, []string{l.Name, l.Note, l.Doc})
		} else {
			rows = append(rows, []string{l.Name, l.Doc})
		}
	}
	return screenOf(w).Catalogue(w, rows)
}

func (p program) listScenarios() ([]listed, error) {
	var lines []listed
	for _, name := range scenarios.Builtins() {
		s, err := p.load(name)
		if err != nil {
			return nil, err
		}
		lines = append(lines, listed{Name: name, Doc: s.Description})
	}
	return lines, nil
}

func (p program) listStrategies() ([]listed, error) {
	var lines []listed
	for _, e := range scenarios.Strategies() {
		note := "sound"
		switch {
		case e.Name == lock.None().Name:
			note = "baseline"
		case e.Flawed:
			note = "flawed"
		}
		switch e.FenceKind() {
		case lock.FenceKindOrder:
			note += ", fenced"
		case lock.FenceKindNoOrder:
			note += ", fence not in order"
		case lock.FenceKindNone:
		}
		doc := e.Doc
		if claims := e.Claims.String(); claims != "" {
			doc += " (claims " + claims + ")"
		}
		lines = append(lines, listed{e.Name, note, doc})
	}
	for _, e := range p.own {
		lines = append(lines, listed{e.Name, "own", e.Doc})
	}
	return lines, nil
}

// listParts lists the parts of locks, each with its ways as a scenario sets them.
func listParts() ([]listed, error) {
	var lines []listed
	for _, part := range scenarios.Parts() {
		lines = append(lines, listed{Name: part.Name, Doc: part.Doc})
		for _, way := range part.Ways {
			doc := way.Doc
			if way.Flaw {
				doc += " (a flaw)"
			}
			lines = append(lines, listed{Name: part.Name + ": " + way.Name, Doc: doc})
		}
	}
	return lines, nil
}

func listWorkloads() ([]listed, error) {
	var lines []listed
	for _, i := range workload.Catalogue() {
		params := []string{"hold", "think"}
		for _, p := range i.Params {
			params = append(params, p.Name)
		}
		lines = append(lines, listed{i.Name, strings.Join(params, ", "), i.Doc})
	}
	return lines, nil
}

func listResources() ([]listed, error) {
	var lines []listed
	for _, p := range resource.Policies() {
		note := "sound"
		if p.Flawed {
			note = "flawed"
		}
		lines = append(lines, listed{string(p.Policy), note, p.Doc})
	}
	return lines, nil
}

func listFaults() ([]listed, error) {
	var lines []listed
	for _, k := range faults.Kinds() {
		lines = append(lines, listed{string(k.Kind), strings.Join(k.Params(), ", "), k.Doc})
	}
	return lines, nil
}

func listChecks() ([]listed, error) {
	var lines []listed
	for _, c := range checker.Catalogue() {
		note := "every workload"
		if c.Workloads != nil {
			note = strings.Join(c.Workloads, ", ")
		}
		lines = append(lines, listed{c.Name, note, c.Doc + "; one violation is " + c.Unit})
	}
	return lines, nil
}

func listPoints() ([]listed, error) {
	var lines []listed
	for _, p := range scenarios.Points() {
		doc, err := pointDoc(p)
		if err != nil {
			return nil, err
		}
		lines = append(lines, listed{Name: p, Doc: doc})
	}
	return lines, nil
}

func (p program) newValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenario files for errors",
		Long: `Validate reads scenario files, or built-in scenarios by name, as run does. It prints the first
error of each with its file, line and column, and the nearest valid word. It warns of settings that
contradict each other, such as a lease that ends before it is renewed.

Exit codes: 0 no error, with or without warnings; 64 an error in a file.`,
		Example: `  lockquake validate my-lock.yaml
  lockquake validate scenarios/*.yaml`,
		Args: atLeastOne("a scenario"),

		ValidArgsFunction: p.completeScenarios(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			var outcome error
			for _, arg := range args {
				err := p.validate(arg, cmd.OutOrStdout())
				if err != nil && exitCode(err) != exitUsage {
					return err
				}
				if err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "lockquake: %v\n", err)
					outcome = outcomeError{exitUsage}
				}
			}
			return outcome
		},
	}
}

// validate reads one scenario, and prints its warnings and its size.
func (p program) validate(arg string, stdout io.Writer) error {
	s, err := p.load(arg)
	if err == nil {
		err = s.Fits()
	}
	if err != nil {
		return err
	}
	noteLibraries(stdout, s, nil)
	warn(stdout, s, nil)
	_, err = fmt.Fprintf(stdout, "%s: ok, %s, %s, hash %s\n", arg, words.Count(len(s.Strategies), "strategy"), words.Count(len(s.Checks), "check"), s.Hash)
	return err
}

// warn prints the warnings of a scenario, a line for each. If strategies or labels are
// chosen, it prints only the warnings about these.
func warn(w io.Writer, s *scenarios.Scenario, chosen []string) {
	for _, warning := range s.WarningsOf(chosen) {
		fmt.Fprintln(w, warning)
	}
}
