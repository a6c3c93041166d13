package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockquake/checker"
	"lockquake/checker/stored"
	"lockquake/history"
	"lockquake/internal/strictyaml"
	"lockquake/reports/story"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// checkFlags are the flags of lockquake check.
type checkFlags struct {
	model  string
	keyed  string // true, false, or empty: decided by the operations
	checks []string
	format string
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check HISTORY",
		Short: "Judge a stored history",
		Long: `Check judges a history in a file, without running anything.

The checks of --check judge a history of lockquake (history.jsonl of a report), by
default all that apply; ` + advisory() + ` are then printed, but do not decide.

The model of --model judges a history of Jepsen, its text log or its history.edn: is there an
order of the operations that the model allows? By default check guesses the model from the
functions of the operations. A history of several keys, in which every value is [key value],
is judged key by key. The models are

` + modelDocs() + `
Exit codes: 0 valid, 1 invalid, 2 unknown, 64 usage error, or a file that is broken or cut,
70 a fault of lockquake itself, 130 interrupted.`,
		Example: `  lockquake check lockquake-report/failures/redis-lost-update/history.jsonl
  lockquake check history.jsonl --check fencing,exclusion
  lockquake check store/latest/jepsen.log
  lockquake check store/latest/history.edn --model fenced-mutex --format json`,
		Args: exactlyOne("one history"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, args[0], cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "model of a Jepsen history: "+strings.Join(modelNames(), ", ")+" (default: guessed)")
	flags.StringVar(&f.keyed, "keyed", "", "whether the values of a Jepsen history are pairs, [key value]: true or false (default: decided by its operations)")
	flags.Lookup("keyed").NoOptDefVal = "true"
	flags.StringSliceVar(&f.checks, "check", nil, "only these checks, for a history of lockquake (default: all that apply)")
	formatFlag(cmd, &f.format)
	var models []cobra.Completion
	for _, m := range stored.Models() {
		models = append(models, cobra.CompletionWithDesc(m.Name, m.Doc))
	}
	completeFlag(cmd, "model", cobra.FixedCompletions(models, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "check", completeChecks)
	return cmd
}

// advisory names the checks that decide only if an expectation names them.
func advisory() string {
	return strings.Join(checker.NamesOf(func(c checker.Check) bool { return c.Advisory }), ", ")
}

// completeChecks offers the checks that are not before the last comma.
func completeChecks(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var names []cobra.Completion
	for _, c := range checker.Catalogue() {
		if !slices.Contains(strings.Split(before, ","), c.Name) {
			names = append(names, cobra.CompletionWithDesc(before+c.Name, c.Doc))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

func modelNames() []string {
	var names []string
	for _, m := range stored.Models() {
		names = append(names, m.Name)
	}
	return names
}

// modelDocs describes the models, a line each.
func modelDocs() string {
	var b strings.Builder
	for _, m := range stored.Models() {
		fmt.Fprintf(&b, "  %-14s %s\n", m.Name, m.Doc)
	}
	return b.String()
}

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

func (f *checkFlags) run(ctx context.Context, file string, stdout io.Writer) error {
	if err := oneOf("format", f.format, formats()); err != nil {
		return err
	}
	if f.model != "" && !slices.Contains(modelNames(), f.model) {
		return usageError{strictyaml.Unknown("model", f.model, modelNames())}
	}
	if f.keyed != "" && f.keyed != "true" && f.keyed != "false" {
		return usagef("--keyed is true or false, not %q", f.keyed)
	}
	for _, name := range f.checks {
		if !slices.Contains(checker.Names(), name) {
			return usageError{strictyaml.Unknown("check", name, checker.Names())}
		}
	}
	type answer struct {
		judged
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		j, err := f.judge(file)
		answers <- answer{j, err}
	}()
	var a answer
	select {
	case <-ctx.Done():
		return interruptError{file + " was not judged"}
	case a = <-answers:
	}
	if a.err != nil {
		return a.err
	}
	if err := a.print(stdout, f.format); err != nil {
		return err
	}
	switch a.Verdict {
	case checker.Valid:
		return nil
	case checker.Unknown:
		return outcomeError{exitUnknown}
	default:
		return outcomeError{exitViolation}
	}
}

// judge reads a file, detects its format, and judges it.
func (f *checkFlags) judge(file string) (judged, error) {
	data, err := readHistory(file)
	if err != nil {
		return judged{}, usageError{err.Error()}
	}
	j := judged{File: file}
	if isOurs(data) {
		if f.model != "" || f.keyed != "" {
			flag := "--keyed"
			if f.model != "" {
				flag = "--model"
			}
			return j, usagef("%s is for a history of Jepsen, and %s is one of lockquake, judged by --check", flag, file)
		}
		return j, f.judgeOurs(&j, data)
	}
	return j, f.judgeJepsen(&j, data)
}

// readHistory reads a whole file without its byte order mark, unless it is too large to be judged.
func readHistory(file string) ([]byte, error) {
	const most = 1 << 30
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read, so an error does not matter
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("%s is larger than %d bytes", file, most)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

// isOurs reports whether a file begins like JSON lines: with a brace and a string. The keys
// in the EDN of Jepsen are no strings.
func isOurs(data []byte) bool {
	rest, opened := bytes.CutPrefix(bytes.TrimSpace(data), []byte("{"))
	return opened && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"`))
}

// headerNames returns the names that the header of a history may have.
func headerNames() history.Names {
	var known history.Names
	for _, w := range workload.Catalogue() {
		known.Workloads = append(known.Workloads, w.Name)
	}
	for _, p := range resource.Policies() {
		known.Fences = append(known.Fences, string(p.Policy))
	}
	return known
}

// refused returns the usage error for a file that is not a history, with the nearest word for an unknown one.
func refused(file string, err error) error {
	at, placed := errors.AsType[*history.LineError](err)
	if !placed {
		return err
	}
	text := at.Err.Error()
	if unknown, ok := errors.AsType[*history.UnknownWordError](at.Err); ok {
		text = strictyaml.Unknown(unknown.Field, unknown.Word, unknown.Known)
	}
	return usagef("%s:%d:%d: %s", file, at.Line, at.Column, text)
}

// judgeOurs judges a history of lockquake.
func (f *checkFlags) judgeOurs(j *judged, data []byte) error {
	h, sections, err := history.Load(data, headerNames())
	if err != nil {
		return refused(j.File, err)
	}
	found, err := checker.Run(h, f.checks)
	if err != nil {
		return err
	}
	m := h.Meta
	j.Form, j.Run = "lockquake", fmt.Sprintf("%s, %s, seed %d", m.Scenario, m.Label, m.Seed)
	if m.Part != nil {
		j.Run += "; " + m.Part.String()
	}
	workers := map[string]bool{}
	for _, s := range sections {
		workers[s.Worker] = true
		for _, o := range s.Ops {
			j.Operations++
			switch o.Outcome {
			case history.OutcomeFail:
				j.Failed++
			case history.OutcomeInfo:
				j.Open++
			case history.OutcomeOK:
			}
		}
	}
	j.Processes = len(workers)
	f.sum(j, h, found)
	return nil
}

// sum sets the verdict from the results of the checks. The evidence is that of the most serious
// check with this verdict, which the story of the run tells too.
func (f *checkFlags) sum(j *judged, h *history.History, found []checker.Result) {
	byName := map[string]*checker.Result{}
	names := map[checker.Verdict][]string{} // of the checks that decide
	verdict := checker.Valid
	idle := "" // a check of --check that has nothing to judge
	for i := range found {
		r := &found[i]
		if !r.Applies {
			if len(f.checks) == 0 {
				continue
			}
			idle = cmp.Or(idle, r.Check)
		} else if !checker.Advisory(r.Check) || slices.Contains(f.checks, r.Check) {
			byName[r.Check] = r
			names[r.Verdict] = append(names[r.Verdict], r.Check)
			verdict = verdict.Worse(r.Verdict)
		}
		j.Checks = append(j.Checks, *r)
	}
	if len(byName) == 0 {
		j.Verdict, j.Text = checker.Unknown, "it has nothing that a check could judge"
		return
	}
	j.Verdict = verdict
	worst := byName[checker.Serious(names[verdict])[0]]
	entered := func(e history.Event) bool { return e.Type == history.Acquired }
	switch {
	case j.Verdict != checker.Valid:
	case idle != "":
		j.Verdict, j.Text = checker.Unknown, "it has nothing that "+idle+" could judge"
	case !slices.ContainsFunc(h.Events, entered):
		j.Verdict, j.Text = checker.Unknown, "no worker ever got the lock"
	}
	if len(worst.Findings) == 0 {
		return
	}
	const most = 30
	first := worst.Findings[0]
	j.Text = worst.Check + ": " + story.Finding(*worst)
	for _, seq := range first.Events[:min(most, len(first.Events))] {
		j.Evidence = append(j.Evidence, ofEvent(&h.Events[seq-1]))
	}
}

func ofEvent(e *history.Event) evidence {
	parts := []string{string(e.Type)}
	add := func(set bool, format string, args ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(e.Section != 0, "section %d", e.Section)
	add(e.Op != "", "%s", e.Op)
	add(e.Key != "", "%s", e.Key)
	add(e.Value != "", "= %s", e.Value)
	add(e.Type == history.Applied && !e.Accepted, "(refused)")
	add(e.Token != 0, "token %d", e.Token)
	add(e.Owner != "", "of %s", e.Owner)
	add(e.Kind != "", "%s", e.Kind)
	add(e.Err != "", "(%s)", e.Err)
	return evidence{Line: int(e.Seq) + 1, Who: cmp.Or(e.Worker, e.Node, e.Target, "-"), What: strings.Join(parts, " "), At: e.At.Round(time.Microsecond).String()}
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
