package command

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/matrix"
	"lockquake/scenarios/results"
)

// storedMatrix reads the result from which the pages of docs are made.
func storedMatrix(t *testing.T) *results.Matrix {
	t.Helper()
	return fromGallery[results.Matrix](t, "matrix.json.gz")
}

func TestThePagesOfTheMatrixFollowFromTheStoredResult(t *testing.T) {
	m, again := storedMatrix(t), storedMatrix(t)
	matrix.Judge(again)
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("the counts have other verdicts (-stored +judged):\n%s", diff)
	}
	var answer bytes.Buffer
	if err := tables.Matrix(&answer, again, tables.MatrixOptions{Screen: words.Screen{Width: 80}, AnswerOnly: true}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"../../docs/matrix.md": answer.String(), "../../docs/advice.md": string(reports.AdviceMarkdown(m))} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not have the result, which says:\n%s", path, want)
		}
	}
}

// Each failure that decides an advice is run again.
func TestTheFailuresThatDecideAnAdviceHappen(t *testing.T) {
	m := storedMatrix(t)
	var seen []string
	for _, a := range m.Advice {
		for _, e := range a.Evidence {
			token, isReplay := strings.CutPrefix(e.Command, "replay ")
			if !isReplay || slices.Contains(seen, token) {
				continue
			}
			seen = append(seen, token)
			check := regexp.MustCompile(` violates "([a-z-]+)" in `).FindStringSubmatch(e.Figure)
			var out, failed bytes.Buffer
			newProgram(nil).execute(t.Context(), []string{"replay", token}, &out, &failed)
			if check == nil || !strings.Contains(out.String(), "the same run") || !regexp.MustCompile(`(?m)^`+check[1]+` invalid: `).MatchString(out.String()) {
				t.Errorf("%d. %s: %s%s", a.Number, e.Figure, out.String(), failed.String())
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %d failures were run again", len(seen))
	}
}
