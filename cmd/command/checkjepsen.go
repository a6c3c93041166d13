package command

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/checker/stored"
	"lockquake/history"
	"lockquake/history/jepsen"
)

// judgedKey holds the verdict on one key of a Jepsen history with several keys.
type judgedKey struct {
	Key        string          `json:"key"` // as EDN
	Verdict    checker.Verdict `json:"verdict"`
	Operations int             `json:"operations"`
	Text       string          `json:"text,omitempty"`
}

// judgeJepsen judges a history of Jepsen, key by key if it has several. The worst verdict
// of a key decides. The result has the evidence of the first key with this verdict. A key without
// an operation that succeeded decides only if all keys are so.
func (f *checkFlags) judgeJepsen(j *judged, data []byte) error {
	operations, form, err := jepsen.Parse(data)
	if err == nil && len(f.checks) > 0 {
		return usagef("--check is for a history of lockquake, and %s is one of Jepsen, judged by --model", j.File)
	}
	j.Form = string(form)
	keyed := f.keyed == "true"
	if err == nil && f.keyed == "" {
		keyed, err = jepsen.Keyed(operations)
	}
	keys := []jepsen.Key{{Operations: operations}}
	if err == nil && keyed {
		keys, err = jepsen.ByKey(operations)
	}
	if err == nil {
		err = f.judgeKeys(j, keys, keyed)
	}
	if err != nil {
		return usagef("%s:%v", j.File, err) // err begins with its line and column
	}
	return nil
}

// judgeKeys judges each key by the same model. A history without keys has a single key;
// named is false then.
func (f *checkFlags) judgeKeys(j *judged, keys []jepsen.Key, named bool) error {
	processes := map[int64]bool{}
	var all []jepsen.Operation
	for _, key := range keys {
		all = append(all, key.Operations...)
	}
	for i := range all {
		processes[all[i].Process] = true
	}
	j.Processes = len(processes)
	if j.Model = f.model; j.Model == "" {
		var err error
		j.Guessed = true
		if j.Model, err = stored.GuessModel(all); err != nil {
			return err
		}
	}
	j.Verdict = checker.Valid
	var untested string // why the first key without an operation that succeeded is unknown
	decided := false
	for _, key := range keys {
		says, err := stored.Judge(key.Operations, j.Model)
		if err != nil {
			return err
		}
		j.Operations, j.Failed, j.Open = j.Operations+says.Operations, j.Failed+says.Failed, j.Open+says.Open
		if named {
			j.Keys = append(j.Keys, judgedKey{key.String(), says.Verdict, says.Operations, says.Text})
		}
		if says.Untested() {
			untested = cmp.Or(untested, says.Text)
			continue
		}
		decided = true
		if j.Verdict.Worse(says.Verdict) == j.Verdict {
			continue
		}
		j.Verdict, j.Text, j.Evidence = says.Verdict, says.Text, nil
		if named {
			j.Text = fmt.Sprintf("key %s: %s", short(key.Value), says.Text)
		}
		for _, s := range says.Evidence {
			j.Evidence = append(j.Evidence, ofOperation(s))
		}
	}
	if !decided {
		j.Verdict, j.Text = checker.Unknown, untested
	}
	return nil
}

// keyRows returns a row for each key that is not valid. It returns none if there is only
// one, since the evidence names that.
func (j *judged) keyRows() [][]string {
	const most = 20
	var rows [][]string
	valid := func(k judgedKey) bool { return k.Verdict == checker.Valid }
	if bad := slices.DeleteFunc(slices.Clone(j.Keys), valid); len(bad) < 2 {
		return nil
	}
	for _, k := range j.Keys {
		switch {
		case valid(k):
		case len(rows) == most:
			return append(rows, []string{"...", "", "--format json lists all keys"})
		default:
			rows = append(rows, []string{"key " + k.Key, string(k.Verdict), k.Text})
		}
	}
	return rows
}

func ofOperation(s stored.Shown) evidence {
	text := ":" + s.Function
	// The input of a read is only a placeholder for its output.
	if s.Function != "read" && s.Input.Kind != jepsen.Nil {
		text += " " + short(s.Input)
	}
	if s.Outcome == history.OutcomeOK && s.Output.String() != s.Input.String() || s.Function == "read" {
		text += " -> " + short(s.Output)
	}
	return evidence{
		Line: s.Begin.Line, EndLine: s.End.Line, Who: fmt.Sprintf("process %d", s.Process),
		What: text, Outcome: string(s.Outcome), Wrong: s.Wrong,
	}
}

// short prints a value, cut to 60 characters.
func short(v jepsen.Value) string {
	const longest = 60
	text := []rune(v.String())
	if len(text) > longest {
		return string(text[:longest]) + "..."
	}
	return string(text)
}
