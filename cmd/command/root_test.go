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

func TestAnUnknownCommandComesWithTheNearestOrWithAll(t *testing.T) {
	for word, want := range map[string]string{
		"rum":        `unknown command "rum"; did you mean "run"?`,
		"frobnicate": `unknown command "frobnicate"; known are advise, check, `,
	} {
		for _, args := range [][]string{{word}, {"help", word}} {
			var failed bytes.Buffer
			code := newProgram(nil).execute(t.Context(), args, io.Discard, &failed)
			if code != exitUsage || !strings.HasPrefix(failed.String(), "lockquake: "+want) {
				t.Errorf("%v: exit code %d, said %q", args, code, failed.String())
			}
			if word == "frobnicate" && !strings.Contains(failed.String(), ", run, ") {
				t.Errorf("%v: the list has no run: %s", args, failed.String())
			}
		}
	}
}

func TestAnUnknownStrategyComesWithEachNameOnce(t *testing.T) {
	var failed bytes.Buffer
	code := newProgram(nil).execute(t.Context(), []string{"run", "kleppmann", "--strategy", "foo", "--no-report"}, io.Discard, &failed)
	_, list, found := strings.Cut(failed.String(), "known are ")
	if code != exitUsage || !found {
		t.Fatalf("exit code %d, said %q", code, failed.String())
	}
	seen := map[string]bool{}
	for name := range strings.SplitSeq(list, ", ") {
		if seen[name] {
			t.Errorf("%s is there twice: %s", name, list)
		}
		seen[name] = true
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

func TestJobsIsZeroOrMoreInEachCommandThatHasIt(t *testing.T) {
	root, with := newProgram(nil).newRoot(io.Discard, io.Discard), 0
	for _, cmd := range root.Commands() {
		f := cmd.Flags().Lookup("jobs")
		if f == nil {
			continue
		}
		with++
		if !strings.Contains(f.Usage, "0, the default: one per processor") {
			t.Errorf("the help of %s does not say what 0 means: %s", cmd.Name(), f.Usage)
		}
		for text, wrong := range map[string]bool{"0": false, "3": false, "-1": true, "1.5": true, "": true} {
			if err := cmd.Flags().Set("jobs", text); (err != nil) != wrong {
				t.Errorf("%s --jobs %s: %v", cmd.Name(), text, err)
			}
		}
	}
	if with < 6 {
		t.Errorf("%d commands have --jobs", with)
	}
}
