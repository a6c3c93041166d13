package command

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"lockquake/scenarios"
)

func (p program) newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Schema prints a JSON Schema (draft 2020-12) of scenario files for this version of lockquake.
An editor with yaml-language-server checks and completes a file that begins with the line

  # yaml-language-server: $schema=lockquake.schema.json

Lockquake validate finds more errors, such as a label that is there twice.`,
		Example:           "  lockquake schema > lockquake.schema.json",
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			return e.Encode(scenarios.Schema(p.own...))
		},
	}
}
