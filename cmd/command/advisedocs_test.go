package command

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// storedAdvice reads the answer from which docs/advise.md is made, and the page.
func storedAdvice(t *testing.T) (*results.Advice, string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/advise.md")
	if err != nil {
		t.Fatal(err)
	}
	return fromGallery[results.Advice](t, "advice.json.gz"), string(page)
}

func TestThePageOfAdviseShowsTheStoredAnswer(t *testing.T) {
	a, page := storedAdvice(t)
	var answer bytes.Buffer
	if err := tables.Advice(&answer, a, words.Screen{}); err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(page, "```text\n")
	block, _, _ = strings.Cut(block, "```")
	rest := answer.String()
	for part := range strings.SplitSeq(block, "...\n") {
		_, after, there := strings.Cut(rest, part)
		if !there {
			t.Fatalf("docs/advise.md shows\n%s\nand the answer is\n%s", part, answer.String())
		}
		rest = after
	}
}

// The command of the page writes the scenario of the stored answer, and the first failing runs of its
// locks happen again in it.
func TestTheStoredAnswerIsThatOfTheProgram(t *testing.T) {
	a, page := storedAdvice(t)
	t.Chdir(t.TempDir())
	command := regexp.MustCompile(`(?m)^    lockquake advise (--lock .*)$`).FindStringSubmatch(page)
	if command == nil {
		t.Fatal("docs/advise.md has no command")
	}
	if _, failed, code := executed(t, append([]string{"init", "--out", a.Scenario}, shellWords(command[1])...)...); code != exitOK {
		t.Fatal(failed)
	}
	s, err := scenarios.Load(a.Scenario)
	if err != nil || s.Hash != a.Hash {
		t.Fatalf("the scenario has the hash %s, and the answer is of %s: %v", s.Hash, a.Hash, err)
	}
	seen := 0
	for _, l := range a.Locks {
		for _, c := range l.Cells {
			if c.Replay == "" {
				continue
			}
			seen++
			out, failed, _ := executed(t, "replay", c.Replay)
			if !strings.Contains(out, "the same run") || !strings.Contains(out, "\n"+c.Check+" invalid: ") {
				t.Errorf("%s under %s: %s%s", l.Label, c.Cause, out, failed)
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d failures were run again", seen)
	}
}

// The same run count, lost runs and finished jobs come from the command that the answer prints.
func TestACommandOfTheStoredAnswerRepeatsItsFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some jobs of ten minutes")
	}
	a, page := storedAdvice(t)
	t.Chdir(t.TempDir())
	command := regexp.MustCompile(`(?m)^    lockquake advise (--lock .*)$`).FindStringSubmatch(page)
	executed(t, append([]string{"init", "--out", a.Scenario}, shellWords(command[1])...)...)
	cell := a.Locks[0].Cell("cut-off")
	out, failed, _ := executed(t, append(shellWords(cell.Command)[1:], "--format", "json", "--quiet")...)
	var c results.Campaign
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%v: %s", err, failed)
	}
	st := c.Strategies[0]
	if st.Runs != cell.Runs || st.Checks[cell.Check].Violating != cell.Lost || st.Metrics.Finished != cell.Finished {
		t.Errorf("%s: %d of %d runs and %d jobs, and the answer has %d of %d and %d",
			cell.Command, st.Checks[cell.Check].Violating, st.Runs, st.Metrics.Finished, cell.Lost, cell.Runs, cell.Finished)
	}
}
