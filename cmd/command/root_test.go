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
	"github.com/spf13/pflag"
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

func TestACommandBehindTwoDashes(t *testing.T) {
	var failed bytes.Buffer
	code := newProgram(nil).execute(t.Context(), []string{"--", "run", "kleppmann"}, io.Discard, &failed)
	if want := "lockquake: write the command run before --\n"; code != exitUsage || failed.String() != want {
		t.Errorf("exit code %d, said %q, want %q", code, failed.String(), want)
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
		if strings.Contains(string(text), "true|false") {
			t.Errorf("help %s shows the values of a flag beside its name:\n%s", cmd.Name(), text)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 && !strings.HasPrefix(line, "  lockquake ") {
				t.Errorf("help %s: %s", cmd.Name(), line)
			}
		}
	}
}

// Without the flag a command has its default, which may be 0.
func TestAFlagForANumberOrADurationRefusesZeroAndLess(t *testing.T) {
	root, numbers := newProgram(nil).newRoot(io.Discard, io.Discard), 0
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			values := map[string]bool{"0": true, "-1": true, "1.5": true, "": true, "3": false} // true: wrong
			switch f.Value.Type() {
			case "int", "uint64":
			case "duration":
				values = map[string]bool{"0": true, "0s": true, "-1ms": true, "": true, "10s": false}
			default:
				return
			}
			numbers++
			for text, wrong := range values {
				if err := f.Value.Set(text); (err != nil) != wrong {
					t.Errorf("%s --%s %q: %v", cmd.Name(), f.Name, text, err)
				}
			}
			if strings.HasPrefix(f.DefValue, "0") && (f.DefValue != "0" || !strings.Contains(f.Usage, "(default: ")) {
				t.Errorf("the help of %s --%s does not say what the default is: %s (default %s)", cmd.Name(), f.Name, f.Usage, f.DefValue)
			}
		})
	}
	if numbers < 16 {
		t.Errorf("there are %d flags for numbers", numbers)
	}
}
