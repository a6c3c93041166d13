package command

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"lockquake/checker"
	"lockquake/reports/story"
	"lockquake/scenarios/results"
)

// judged is the result for one history, as --format json prints it.
type judged struct {
	File       string           `json:"file"`
	Form       string           `json:"form"` // lockquake, jepsen-log or jepsen-edn
	Verdict    checker.Verdict  `json:"verdict"`
	Run        string           `json:"run,omitempty"`     // scenario, label and seed
	Model      string           `json:"model,omitempty"`   // of a history of Jepsen
	Guessed    bool             `json:"guessed,omitempty"` // the model was not given by --model
	Operations int              `json:"operations"`
	Processes  int              `json:"processes"`
	Failed     int              `json:"failed"`
	Open       int              `json:"open"`
	Text       string           `json:"text,omitempty"`
	Keys       []judgedKey      `json:"keys,omitempty"`   // of a history of Jepsen with several
	Checks     []checker.Result `json:"checks,omitempty"` // of a history of lockquake
	Evidence   []evidence       `json:"evidence,omitempty"`
}

// evidence is one line of the evidence: an operation of Jepsen, or an event of lockquake.
type evidence struct {
	Line    int    `json:"line"`
	EndLine int    `json:"end_line,omitempty"` // of the operation's completion
	Who     string `json:"who"`
	What    string `json:"what"`
	Outcome string `json:"outcome,omitempty"`
	At      string `json:"at,omitempty"` // since the run began
	Wrong   bool   `json:"wrong,omitempty"`
}

// print writes the result in the format of --format.
func (j *judged) print(w io.Writer, format string) error {
	if format == "json" {
		return results.WriteJSON(w, j)
	}
	as := j.Run
	if j.Model != "" {
		as = "judged as a " + j.Model
		if j.Guessed {
			as += ", guessed from its functions"
		}
	}
	fmt.Fprintf(w, "%s: %s\n", j.File, j.Verdict)
	counts := fmt.Sprintf("%s (%s): operations %d, failed %d, open %d, processes %d", as, j.Form, j.Operations, j.Failed, j.Open, j.Processes)
	if len(j.Keys) > 0 {
		counts += fmt.Sprintf(", keys %d", len(j.Keys))
	}
	say(w, "%s", counts)
	rows := j.keyRows()
	if len(rows) > 0 {
		fmt.Fprintln(w)
	}
	for i, r := range j.Checks {
		if i == 0 {
			fmt.Fprintln(w)
		}
		row := []string{r.Check, string(r.Verdict), story.Finding(r)}
		if !r.Applies {
			row[1] = "-"
		}
		rows = append(rows, row)
	}
	if err := screenOf(w).Catalogue(w, rows); err != nil {
		return err
	}
	if j.Text != "" {
		fmt.Fprintln(w)
		if err := screenOf(w).Catalogue(w, [][]string{{j.Text}}); err != nil {
			return err
		}
	}
	if len(j.Evidence) > 0 {
		fmt.Fprintln(w)
	}
	return screenOf(w).Catalogue(w, j.evidenceRows())
}

// evidenceRows returns a row for each line of the evidence, below their heads.
func (j *judged) evidenceRows() [][]string {
	if len(j.Evidence) == 0 {
		return nil
	}
	when := "ended"
	if j.Model == "" {
		when = "time"
	}
	rows := [][]string{{"", "line", "who", when, "what"}}
	for _, e := range j.Evidence {
		mark, lines := "", strconv.Itoa(e.Line)
		if e.Wrong {
			mark = "!"
		}
		if e.EndLine > 0 {
			lines += "-" + strconv.Itoa(e.EndLine)
		}
		rows = append(rows, []string{mark, lines, e.Who, cmp.Or(e.Outcome, e.At), e.What})
	}
	return rows
}
