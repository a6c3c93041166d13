package command

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each question of the page has one command, which exits with 0 and prints the lines below it.
func TestEachQuestionIsAnsweredByItsCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many scenarios")
	}
	page, err := os.ReadFile("../../docs/questions.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, questions, _ := strings.Cut(string(page), "\n## ")
	answered := 0
	for question := range strings.SplitSeq(questions, "\n## ") {
		title, _, _ := strings.Cut(question, "\n")
		found := regexp.MustCompile("(?ms)^    lockquake ([^\n]*)$\n\n```text\n(.*?)^```\n\n\\S").FindStringSubmatch(question)
		if found == nil || strings.Count(question, "\n    lockquake ") != 1 {
			t.Errorf("%s is not answered by one command, its output and a sentence", title)
			continue
		}
		args := shellWords(found[1])
		if file := regexp.MustCompile(`(?m)^    (printf .* >\S+)$`).FindStringSubmatch(question); file != nil {
			if out, err := exec.Command("sh", "-c", file[1]).CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v: %s", title, file[1], err, out)
			}
		}
		if slices.Contains([]string{"run", "sweep", "rate"}, args[0]) {
			args = append(args, "--no-report", "--quiet")
		}
		var out, failed bytes.Buffer
		if code := newProgram(nil).execute(t.Context(), args, &out, &failed); code != exitOK {
			t.Errorf("%s: lockquake %s: exit code %d: %s", title, found[1], code, failed.String())
		}
		if !strings.HasPrefix(out.String(), found[2]) {
			t.Errorf("%s: lockquake %s: the page shows\n%s\nand the program prints\n%.1500s", title, found[1], found[2], out.String())
		}
		answered++
	}
	if answered < 12 {
		t.Errorf("only %d questions are answered", answered)
	}
}
