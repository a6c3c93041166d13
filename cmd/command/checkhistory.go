package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/internal/strictyaml"
	"lockquake/reports/story"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

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
