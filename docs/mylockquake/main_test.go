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

// The program finds the flaw of a lock of your own, replays the failure and shrinks it.
func TestScripts(t *testing.T) {
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

// pasted runs the command line of a file with more words added: pasted COMMAND FILE [ARGUMENT...].
// The built program replaces go run, and COMMAND replaces the one in the line.
func pasted(ts *testscript.TestScript, neg bool, args []string) {
	line, called := strings.CutPrefix(strings.TrimSpace(ts.ReadFile(args[1])), "go run ./mylockquake replay ")
	if !called {
		ts.Fatalf("%s does not replay with the program's name: %s", args[1], line)
	}
	if err := ts.Exec("mylockquake", append([]string{args[0], line}, args[2:]...)...); (err != nil) != neg {
		ts.Fatalf("%s %s: %v", args[0], line, err)
	}
}

// The page shows the code that is built and run here.
func TestThePageShowsTheProgram(t *testing.T) {
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
			t.Errorf("your-own-lock.md does not show %s as it is", file)
		}
	}
}
