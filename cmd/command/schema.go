package command

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"lockquake/history"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
)

// schemas lists the files that have a schema, the default first.
func schemas() []string { return []string{"scenario", "history"} }

func (p program) newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [scenario|history]",
		Short: "Print the JSON Schema of scenario files, for editors, or of histories",
		Long: `Schema prints a JSON Schema (draft 2020-12) for this version of lockquake.

The schema of scenario files is for editors. An editor with yaml-language-server checks and
completes a file that begins with the line

  # yaml-language-server: $schema=lockquake.schema.json

The command validate finds more errors, such as a duplicate label.

The schema of histories is for programs that record or read them (docs/history.md). It describes
one line. The command check finds more errors, such as an answer without a request.`,
		Example: `  lockquake schema > lockquake.schema.json
  lockquake schema history > history.schema.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("schema takes one kind of file, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemas(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch kind := append(args, schemas()[0])[0]; kind {
			case "scenario":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				return e.Encode(scenarios.Schema(p.own...))
			case "history":
				_, err := cmd.OutOrStdout().Write(history.JSONSchema())
				return err
			default:
				return usageError{strictyaml.Unknown("kind of file", kind, schemas())}
			}
		},
	}
}
