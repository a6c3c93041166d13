package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// halves is an extension whose executor runs the two halves of the seeds apart.
func halves(t *testing.T, delivered *bool) Option {
	return WithExtension(Extension{
		Program: "halver", Title: "In halves:",
		Commands: func(p Program) []*cobra.Command {
			return []*cobra.Command{{Use: "fails", Short: "Fails", Example: "  lockquake fails", RunE: func(*cobra.Command, []string) error {
				return Usagef("%s fails", p.Name)
			}}}
		},
		RunFlags: func(_ Program, flags *pflag.FlagSet) func() (Executor, error) {
			in := flags.String("halves-in", "", "directory of the halves")
			return func() (Executor, error) {
				switch *in {
				case "":
					return nil, nil
				case "stopped":
					return func(context.Context, Work) (func() error, error) { return nil, Interruptedf("half of it") }, nil
				}
				return func(ctx context.Context, w Work) (func() error, error) {
					w.Status("begins")
					text, whole, err := campaign.Describe(w.Scenario, w.Request)
					path := filepath.Join(t.TempDir(), "description")
					if err = errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
						return nil, err
					}
					for i, half := range []results.SeedRange{{First: 6, Last: whole.Seeds.Last}, {First: whole.Seeds.First, Last: 5}} {
						of, err := campaign.ReadJournal(path)
						if err != nil {
							return nil, err
						}
						s, err := of.Scenario()
						r, rErr := of.Campaign()
						j, jErr := campaign.CreateJournal(filepath.Join(*in, string(rune('a'+i))), w.Scenario)
						if err = errors.Join(err, rErr, jErr, of.Close()); err != nil {
							return nil, err
						}
						r.Piece, r.Journal = half, j
						if _, err := campaign.Run(ctx, s, r); err != nil {
							return nil, err
						}
						if err := errors.Join(w.Request.Journal.Import(j), j.Close()); err != nil {
							return nil, err
						}
					}
					return func() error { *delivered = true; return nil }, nil
				}, nil
			}
		},
	})
}

func TestRunsThatAreExecutedElsewhereGiveTheSameReport(t *testing.T) {
	dir := t.TempDir()
	delivered := false
	run := func(args ...string) (code int, out, said string) {
		var stdout, stderr bytes.Buffer
		code = newProgram([]Option{halves(t, &delivered)}).execute(t.Context(), append([]string{"run", "kleppmann", "--seeds", "1-12"}, args...), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	code, want, _ := run("--out", here, "--quiet")
	if delivered {
		t.Error("without its flag the executor runs")
	}
	gotCode, got, said := run("--out", there, "--quiet", "--halves-in", dir)
	if gotCode != code || strings.ReplaceAll(got, there, here) != want {
		t.Errorf("exit code %d and %d, printed\n%s\nand\n%s\nsaid %s", gotCode, code, got, want, said)
	}
	if !delivered {
		t.Error("the executor does not hear of the report")
	}
	for _, name := range []string{"results.json", "runs.log", "report.html"} {
		one, err := os.ReadFile(filepath.Join(here, name))
		two, err2 := os.ReadFile(filepath.Join(there, name))
		if err = errors.Join(err, err2); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s differs (%v)", name, err)
		}
	}
	delivered = false
	if gotCode, got, said := run("--no-report", "--halves-in", dir); gotCode != code || !delivered || !strings.HasPrefix(want, got[:strings.Index(got, "\n")]) {
		t.Errorf("--no-report: exit code %d, %s%s", gotCode, got, said)
	}
	if left, err := filepath.Glob(there + ".runs"); len(left) > 0 || err != nil {
		t.Errorf("left: %v", left)
	}
}

func TestAnExtensionEndsTheProgramAsTheCommandDoes(t *testing.T) {
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"fails", "lockquake: halver fails\n", exitUsage},
		{"run kleppmann --halves-in stopped --quiet --no-report", "lockquake: interrupted: half of it\n", exitInterrupted},
		{"run kleppmann --halves-in . --shard 1/2", "lockquake: --until and --shard are for a campaign that runs in one process: leave them out\n", exitUsage},
		{"run kleppmann --halves-in . --until 1%", "lockquake: --until and --shard are for a campaign that runs in one process: leave them out\n", exitUsage},
	} {
		var out, said bytes.Buffer
		code := newProgram([]Option{halves(t, new(bool))}).execute(t.Context(), strings.Fields(test.args), &out, &said)
		if code != test.code || said.String() != test.want {
			t.Errorf("%s: exit code %d, %q", test.args, code, &said)
		}
	}
	var help bytes.Buffer
	newProgram([]Option{halves(t, new(bool))}).execute(t.Context(), []string{"fails", "--help"}, &help, &help)
	if !strings.Contains(help.String(), "  halver fails\n") {
		t.Errorf("the help shows another name:\n%s", &help)
	}
}
