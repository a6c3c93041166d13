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
			line := regexp.MustCompile(`go run \./mylockquake replay .*`).Find(page)
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
	line, found := strings.CutPrefix(strings.TrimSpace(ts.ReadFile(args[1])), "go run ./mylockquake replay ")
	if !found {
		ts.Fatalf("%s has no replay line of the program: %s", args[1], line)
	}
	if err := ts.Exec("mylockquake", append([]string{args[0], line}, args[2:]...)...); (err != nil) != neg {
		ts.Fatalf("%s %s: %v", args[0], line, err)
	}
}

// The page shows the code that is built and run here.
func TestThePageShowsTheProgramAndItsScenario(t *testing.T) {
	page, err := os.ReadFile("../your-own-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"main.go", "mine.yaml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, shown, _ := strings.Cut(string(data), "package main\n\n")
		if file == "mine.yaml" {
			shown = string(data)
		}
		if !strings.Contains(string(page), shown) {
			t.Errorf("your-own-lock.md does not show the whole of %s", file)
		}
	}
}
