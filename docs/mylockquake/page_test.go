package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// follow follows the numbered sections of a page in an empty folder. It writes each named code block to its
// file and runs each command. A text block shows the output of the command above it. That command has to
// fail if the text has a line "not expected".
func follow(t *testing.T, page, checkout string, wantCommands, wantFiles int) {
	t.Helper()
	dir, commands, files := t.TempDir(), 0, 0
	var command, printed string
	var failed bool
	elements := regexp.MustCompile("(?ms)^`(?P<file>\\S+)`:\n\n```\\w+\n(?P<content>.*?)^```|^    (?P<command>\\S.*?)$|^```text\n(?P<shown>.*?)^```")
	for _, found := range elements.FindAllStringSubmatch(page, -1) {
		switch file, content, line, shown := found[1], found[2], found[3], found[4]; {
		case file != "":
			files++
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		case line != "":
			if failed {
				t.Fatalf("%s fails, and the page does not say so:\n%s", command, printed)
			}
			commands++
			command = line
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(line, "=../lockquake", "="+checkout, 1))
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
			out, err := cmd.CombinedOutput()
			printed = regexp.MustCompile(`(?m)^ {8}(?: {8})?`).ReplaceAllString(string(out), "") // go test indents what a test prints
			failed = err != nil
			if folder, ok := strings.CutPrefix(line, "mkdir "); ok {
				dir = filepath.Join(dir, strings.Fields(folder)[0])
			}
		default:
			rest := printed
			for part := range strings.SplitSeq(shown, "...\n") {
				_, after, there := strings.Cut(rest, part)
				if !there {
					t.Errorf("for %s the page shows\n%s\nand it prints\n%s", command, part, printed)
				}
				rest = after
			}
			if says := strings.Contains(shown, "\nnot expected: "); says != failed {
				t.Errorf("%s: fails is %v, and the page says %v:\n%s", command, failed, says, printed)
			}
			failed = false
		}
	}
	if failed {
		t.Errorf("%s fails:\n%s", command, printed)
	}
	if commands != wantCommands || files != wantFiles {
		t.Errorf("the page has %d commands and %d files", commands, files)
	}
}

// From an empty folder to a test that fails with the flaw, and to the command.
func TestThePageIsFollowedLiterally(t *testing.T) {
	followSteps(t, "../your-own-lock.md", "\n## What the Env gives\n", 9, 4)
}

// From an empty folder to a test of a library that fails with its flaw, and to the next run of it.
func TestThePageOfLibrariesIsFollowedLiterally(t *testing.T) {
	followSteps(t, "../test-a-library.md", "\n## What to write\n", 7, 1)
}

// followSteps follows a page until the heading after its steps.
func followSteps(t *testing.T, path, end string, commands, files int) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a module")
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	steps, _, found := strings.Cut(string(page), end)
	if !found {
		t.Fatal("the page has no end of its steps")
	}
	follow(t, steps, checkout, commands, files)
}

func TestThePageShowsTheCodeOfThisFolderAndTheInterfaces(t *testing.T) {
	page, err := os.ReadFile("../your-own-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main.go", "mine.go", "mine.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "`"+name+"`:\n\n") || !strings.Contains(string(page), string(data)) {
			t.Errorf("your-own-lock.md does not show the whole of %s", name)
		}
	}
	code := ""
	for _, name := range []string{"hash.go", "advisory.go", "../../lock/lock.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code += regexp.MustCompile(`(?m)^\s*//.*\n`).ReplaceAllString(string(data), "")
	}
	for _, start := range []string{"type Locker interface", "type Lease interface", "func hashEntry", "func newInHash", "func (a advisory) Do"} {
		_, rest, found := strings.Cut(string(page), "\n"+start)
		body, _, closed := strings.Cut(rest, "\n}\n")
		if !found || !closed || !strings.Contains(code, start+body) {
			t.Errorf("your-own-lock.md does not show %s as it is", start)
		}
	}
}
