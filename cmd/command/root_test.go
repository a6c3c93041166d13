package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

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

// A command is copied as one line, so it may be longer.
func TestTheHelpOfACommandFitsTheScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	for _, cmd := range newProgram(nil).newRoot(io.Discard, io.Discard).Commands() {
		file, err := os.Create(filepath.Join(t.TempDir(), "help.txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if code := newProgram(nil).execute(t.Context(), []string{"help", cmd.Name()}, file, io.Discard); code != exitOK {
			t.Errorf("help %s: exit code %d", cmd.Name(), code)
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "Usage:\n  lockquake "+cmd.Name()) {
			t.Errorf("help %s has no usage:\n%s", cmd.Name(), text)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 && !strings.HasPrefix(line, "  lockquake ") {
				t.Errorf("help %s: %s", cmd.Name(), line)
			}
		}
	}
}
