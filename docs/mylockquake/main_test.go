package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mylockquake": main})
}

// The scripts of testdata say what the program does with its lock.
func TestTheProgramFindsReplaysAndShrinksAFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes several reports, with their pictures")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			scenario, err := os.ReadFile("mine.yaml")
			if err != nil {
				return err
			}
			page, err := os.ReadFile("../your-own-lock.md")
			if err != nil {
				return err
			}
			line := regexp.MustCompile(`go run \. replay .*`).Find(page)
			return errors.Join(os.WriteFile(filepath.Join(env.WorkDir, "mine.yaml"), scenario, 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "page.txt"), line, 0o600))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"pasted": pasted,
		},
	})
}

// pasted is the script command "pasted COMMAND FILE [ARGUMENT...]". It runs the replay line in a
// file with the built program in place of go run, with COMMAND in place of replay, and with the
// arguments added.
func pasted(ts *testscript.TestScript, neg bool, args []string) {
	line, found := strings.CutPrefix(strings.TrimSpace(ts.ReadFile(args[1])), "go run . replay ")
	if !found {
		ts.Fatalf("%s has no replay line of the program: %s", args[1], line)
	}
	if err := ts.Exec("mylockquake", append([]string{args[0], line}, args[2:]...)...); (err != nil) != neg {
		ts.Fatalf("%s %s: %v", args[0], line, err)
	}
}
