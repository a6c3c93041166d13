package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockquake/scenarios/libraries"
)

// It shows the story of Kleppmann's failure, a test of a library, a scenario, and a replay command.
func TestTheOutputInTheReadmeIsThatOfTheProgram(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	lockquake := func(args ...string) string {
		t.Helper()
		var out, failed bytes.Buffer
		if code := newProgram(nil).execute(t.Context(), args, &out, &failed); code != exitOK {
			t.Errorf("lockquake %s: exit code %d: %s%s", strings.Join(args, " "), code, out.String(), failed.String())
		}
		return out.String()
	}
	block := func(language string) string {
		t.Helper()
		_, after, found := strings.Cut(readme, "```"+language+"\n")
		text, _, closed := strings.Cut(after, "```")
		if !found || !closed {
			t.Fatalf("the README has no %s block", language)
		}
		return text
	}

	story := lockquake("reproduce", "kleppmann")
	if !strings.Contains(story, block("text")) {
		t.Errorf("the README's story is not the one that is told:\n%s", story)
	}
	page, err := os.ReadFile("../../docs/test-a-library.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), block("go")) {
		t.Error("the README's test of a library is not that of docs/test-a-library.md")
	}
	mine := filepath.Join(t.TempDir(), "my-lock.yaml")
	if err := os.WriteFile(mine, []byte(block("yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	lockquake("run", mine, "--no-report")
	if claim := fmt.Sprintf("[%d libraries](docs/libraries.md)", len(libraries.All())); !strings.Contains(readme, claim) {
		t.Errorf("the README does not name %s", claim)
	}
	token := regexp.MustCompile(`lockquake replay '?([^\s']+)`).FindStringSubmatch(readme)
	if token == nil {
		t.Fatal("the README shows no replay line")
	}
	if out := lockquake("replay", token[1]); !strings.Contains(out, "the same run") {
		t.Errorf("the README's replay line gives %s", out)
	}
}
