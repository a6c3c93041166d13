package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockquake/lock"
	"lockquake/scenarios"
)

// document is a page of the documentation.
type document struct{ path, text string }

// documents returns the README and everything under docs.
func documents(t *testing.T) []document {
	t.Helper()
	paths := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	var all []document
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document{path, string(data)})
	}
	return all
}

// Commands, flags and scenarios must exist.
func TestEveryCommandLineInTheDocumentationIsValid(t *testing.T) {
	lines := regexp.MustCompile("(?m)(?:^ *(?:\\$ )?(?:bin/|go run \\./cmd/)?|`)lockquake( [a-z][^`\n]*)")
	seen := 0
	for _, d := range documents(t) {
		for _, found := range lines.FindAllStringSubmatch(d.text, -1) {
			if strings.HasPrefix(found[0], "lockquake") && !inCode(d.text, found[0]) {
				continue // a sentence that begins with the name
			}
			seen++
			checkCommandLine(t, d.path, found[1])
		}
	}
	if seen < 100 {
		t.Errorf("only %d command lines were found", seen)
	}
}

// inCode reports whether a line is between two fences of the text.
func inCode(text, line string) bool {
	before, _, _ := strings.Cut(text, "\n"+line)
	return strings.Count("\n"+before, "\n```")%2 == 1
}

func checkCommandLine(t *testing.T, path, line string) {
	t.Helper()
	words := shellWords(line)
	root := newProgram(nil).newRoot(io.Discard, io.Discard)
	cmd, args, err := root.Find(words)
	if err != nil || cmd == root {
		t.Errorf("%s: lockquake%s: there is no such command", path, line)
		return
	}
	if cmd.Parent() != root { // completion for a shell
		return
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Errorf("%s: lockquake%s: %v", path, line, err)
		return
	}
	if !slices.Contains([]string{"run", "reproduce", "explore", "sweep", "validate"}, cmd.Name()) {
		return
	}
	for _, arg := range cmd.Flags().Args() {
		if arg != strings.ToUpper(arg) && !strings.Contains(arg, ".") && !slices.Contains(append(scenarios.Builtins(), scenarios.Needs()...), arg) {
			t.Errorf("%s: lockquake%s: there is no scenario %s", path, line, arg)
		}
	}
}

// shellWords splits a command line as a shell does, up to a comment, a pipe or
// a redirection.
func shellWords(line string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") || strings.HasPrefix(w, ">") || w == "|" || w == "&&" || w == "||" {
			break
		}
		words = append(words, strings.Trim(w, `'"`))
	}
	return words
}

func TestEveryScenarioInTheDocumentationIsValid(t *testing.T) {
	mine := lock.Entry{Name: "mine", New: scenarios.Strategies()[0].New} // the lock that the documented scenarios name
	seen := map[string]int{}
	for _, d := range documents(t) {
		for _, block := range yamlBlocks(d.text) {
			if !strings.Contains(block, "\nworkload:") {
				continue // something else, such as a job of CI
			}
			seen[filepath.Base(d.path)]++
			if _, err := scenarios.Parse(filepath.Base(d.path), []byte(block), mine); err != nil {
				t.Errorf("%s: %v\n%s", d.path, err, block)
			}
		}
	}
	for _, must := range []string{"README.md", "tutorial.md", "scenarios.md", "your-own-lock.md"} {
		if seen[must] == 0 {
			t.Errorf("%s shows no scenario", must)
		}
	}
}

func yamlBlocks(text string) []string {
	var blocks []string
	for _, found := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, found[1])
	}
	return blocks
}

// The file must exist, and the heading in it.
func TestEveryLinkInTheDocumentationHasATarget(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, d := range documents(t) {
		for _, found := range links.FindAllStringSubmatch(d.text, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(found[1], "#")
			target := d.path
			if file != "" {
				target = filepath.Join(filepath.Dir(d.path), file)
			}
			data, err := os.ReadFile(target)
			if info, failed := os.Stat(target); failed == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: %s leads nowhere", d.path, found[1])
			} else if heading != "" && !slices.Contains(anchors(string(data)), heading) {
				t.Errorf("%s: %s has no such heading", d.path, found[1])
			}
		}
	}
}

// anchors lists the anchors of a page, one for each heading.
func anchors(text string) []string {
	var names []string
	for _, found := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(found[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// It shows the first story, an error of validate, and replayed runs.
func TestTheOutputInTheTutorialIsThatOfTheProgram(t *testing.T) {
	data, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	tutorial := string(data)
	blocks := yamlBlocks(tutorial)
	_, story, found := strings.Cut(tutorial, "```text\n")
	if len(blocks) == 0 || !found {
		t.Fatal("the tutorial has no scenario, or no story")
	}
	var said, failed strings.Builder
	if newProgram(nil).execute(t.Context(), []string{"reproduce", "kleppmann"}, &said, io.Discard); !strings.Contains(said.String(), story[:strings.Index(story, "```")]) {
		t.Errorf("the tutorial's story is not the one that is told:\n%s", said.String())
	}

	path := filepath.Join(t.TempDir(), "my-lock.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(blocks[0], "ttl:", "tll:", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := newProgram(nil).execute(t.Context(), []string{"validate", path}, io.Discard, &failed); code != exitUsage {
		t.Errorf("a mistake ends with exit code %d", code)
	}
	if text := strings.ReplaceAll(failed.String(), path, "my-lock.yaml"); !strings.Contains(tutorial, text) {
		t.Errorf("the tutorial does not show what validate says: %s", text)
	}

	tokens := regexp.MustCompile(`(?m)^ *lockquake replay ([^ \n]+)`).FindAllStringSubmatch(tutorial, -1)
	if len(tokens) == 0 {
		t.Error("the tutorial replays nothing")
	}
	for _, token := range tokens {
		said.Reset()
		if newProgram(nil).execute(t.Context(), []string{"replay", token[1]}, &said, io.Discard); !strings.Contains(said.String(), "the same run") {
			t.Errorf("the tutorial's replay of %s gives %s", token[1], said.String())
		}
	}
}

// The command above a block prints each part of the block between three dots, in this order.
// The figures of the 200 seeds of gc-pause are not tested here, except those that follow
// from single runs.
func TestEachCommandOfTheTutorialPrintsItsBlock(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs whole campaigns")
	}
	data, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	parts := regexp.MustCompile("(?ms)^    lockquake (?P<command>[^\n]*)$|^```yaml\n(?P<scenario>.*?)^```|^```text\n(?P<shown>.*?)^```")
	printed, shown := "", 0
	for _, found := range parts.FindAllStringSubmatch(string(data), -1) {
		switch command, scenario, block := found[1], found[2], found[3]; {
		case scenario != "":
			if err := os.WriteFile("my-lock.yaml", []byte(scenario), 0o600); err != nil {
				t.Fatal(err)
			}
		case command != "":
			printed = ""
			if !strings.HasPrefix(command, "run gc-pause") && !strings.HasPrefix(command, "validate") {
				printed = output(t, shellWords(command))
			}
		case printed != "":
			shown++
			rest := printed
			for part := range strings.SplitSeq(block, "...\n") {
				_, after, there := strings.Cut(rest, part)
				if !there {
					t.Errorf("the tutorial shows\n%s\nand the program prints\n%.2000s", part, rest)
				}
				rest = after
			}
		}
	}
	if shown < 9 {
		t.Errorf("only %d blocks were compared", shown)
	}
}

// output returns what a command prints, and the trace that it writes.
func output(t *testing.T, args []string) string {
	t.Helper()
	var out, failed bytes.Buffer
	if code := newProgram(nil).execute(t.Context(), args, &out, &failed); code != exitOK && code != exitViolation {
		t.Errorf("lockquake %s: exit code %d: %s", strings.Join(args, " "), code, failed.String())
	}
	trace, err := os.ReadFile("trace.txt")
	if err == nil {
		err = os.Remove("trace.txt")
	}
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out.String() + string(trace)
}
