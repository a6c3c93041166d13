package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/lock/locks"
)

// faults judges each entry of faults: what it says of the rest of the scenario,
// with the nearest right word, and then the rule by itself.
func (v *validator) faults() error {
	for i, spec := range v.Faults {
		at := fmt.Sprintf("faults[%d]", i)
		if err := v.faultNames(at, spec); err != nil {
			return err
		}
		err := spec.Validate(v.workers, v.nodes(), v.Duration)
		if err == nil {
			continue
		}
		wrong, ok := errors.AsType[*faults.ParamError](err)
		if !ok {
			return v.at.Errorf(at, "%v", err)
		}
		param := at + "." + wrong.Param
		if !strings.HasPrefix(wrong.Param, "at") && !strings.HasPrefix(wrong.Param, "when") {
			param = at + "." + string(spec.Kind) + "." + wrong.Param
		}
		if text, ok := strings.CutPrefix(wrong.Text, "is "); ok {
			return v.at.Errorf(param, "%s is %s", param, text)
		}
		return v.at.Errorf(param, "%s: %s", param, wrong.Text)
	}
	return nil
}

// faultNames judges what a fault says about the rest of the scenario.
func (v *validator) faultNames(at string, spec faults.Spec) error {
	if w := spec.When; w != nil {
		if w.Worker != "" {
			if err := v.worker(at+".when.worker", w.Worker); err != nil {
				return err
			}
		}
		if w.Point != "" {
			if err := v.point(at+".when.point", w.Point); err != nil {
				return err
			}
		}
		if w.Nth < 1 {
			return v.at.Errorf(at+".when.nth", "%s.when.nth must be at least 1, and is %d", at, w.Nth)
		}
	}
	at += "." + string(spec.Kind)
	info := kindInfo(spec.Kind)
	if target := spec.Params.Target; target != "" && target != faults.EachWorker {
		if err := v.target(at+".target", info, target); err != nil {
			return err
		}
	}
	if err := v.faultWords(at, spec.Params); err != nil {
		return err
	}
	if task := spec.Params.Task; task != "" && len(v.Own) == 0 { // a lock of the caller's names its own
		if err := v.name(at+".task", "task", task, append(locks.Tasks(), "main")); err != nil {
			return err
		}
	}
	if spec.Kind == faults.Crash && v.Processes > 0 && !slices.Contains(v.nodes(), spec.Params.Target) {
		return v.at.Errorf(at, "%s: workers that share a process cannot crash one by one", at)
	}
	if slices.Contains(info.Params, "from") {
		return v.ends(at, spec.Params.From, spec.Params.To)
	}
	return nil
}

// faultWords judges the parameters of a fault that are one of a few words.
func (v *validator) faultWords(at string, p faults.Params) error {
	for _, param := range []struct {
		key, sort, word string
		known           []string
	}{
		{"mode", "mode", string(p.Mode), texts(faults.Modes())},
		{"clock", "clock", string(p.Clock), texts(faults.Clocks())},
		{"data", "data", string(p.Data), texts(faults.Datas())},
		{"with", "error", string(p.With), texts(faults.Codes())},
	} {
		if param.word == "" {
			continue
		}
		if err := v.name(at+"."+param.key, param.sort, param.word, param.known); err != nil {
			return err
		}
	}
	return nil
}

// kindInfo returns the catalogue's entry of a kind that is known to be there.
func kindInfo(kind faults.Kind) faults.KindInfo {
	kinds := faults.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k faults.KindInfo) bool { return k.Kind == kind })]
}

// target judges the name of what a fault takes hold of.
func (v *validator) target(at string, info faults.KindInfo, name string) error {
	known := v.nodes()
	switch {
	case info.OnlyServer:
		return v.name(at, "server", name, known)
	case info.Server && slices.Contains(known, name):
		return nil
	case info.Server:
		return v.worker(at, name, append(known, faults.EachWorker)...)
	}
	return v.worker(at, name, faults.EachWorker)
}
