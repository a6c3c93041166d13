package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// It has an example, and is in a group of the root's help.
func TestEveryCommandHasHelp(t *testing.T) {
	var out bytes.Buffer
	root := newProgram(nil).newRoot(&out, &out)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s has no help with an example", cmd.CommandPath())
		}
		if cmd.Parent() == root && !root.ContainsGroup(cmd.GroupID) {
			t.Errorf("%s is in no group", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	if len(root.Commands()) < 8 {
		t.Errorf("there are %d commands only", len(root.Commands()))
	}
}
