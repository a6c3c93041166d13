package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/sim/backend"
)

// faults checks each entry of faults: first the names that refer to the rest of the scenario, and
// then the entry by itself.
func (v *validator) faults() error {
	for i, spec := range v.Faults {
		at := fmt.Sprintf("faults[%d]", i)
		if err := v.faultNames(at, spec); err != nil {
			return err
		}
		if err := v.supported(at, spec); err != nil {
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
			param = at + "." + string(spec.Kind()) + "." + wrong.Param
		}
		if text, ok := strings.CutPrefix(wrong.Text, "is "); ok {
			return v.at.Errorf(param, "%s is %s", param, text)
		}
		return v.at.Errorf(param, "%s: %s", param, wrong.Text)
	}
	return nil
}

// faultNames checks the names in a fault that refer to the rest of the scenario.
func (v *validator) faultNames(at string, spec faults.Spec) error {
	if w := spec.When; w != nil {
		if w.Worker != "" {
			if err := v.worker(at+".when.worker", w.Worker); err != nil {
				return err
			}
		}
		if w.Point != "" {
			if err := checkPoint(w.Point, v.known.points, v.known.own); err != nil {
				return v.at.Errorf(at+".when.point", "%v", err)
			}
		}
		if w.Nth < 1 {
			return v.at.Errorf(at+".when.nth", "%s.when.nth must be at least 1, and is %d", at, w.Nth)
		}
	}
	info, names := spec.Fault.Info(), faults.Names(spec.Fault)
	at += "." + string(info.Kind)
	if len(names) == 1 && names[0] != "" && names[0] != faults.EachWorker {
		if err := v.target(at+".target", info, names[0]); err != nil {
			return err
		}
	}
	if err := v.faultWords(at, spec.Fault); err != nil {
		return err
	}
	for _, need := range faults.Needs(spec.Fault) {
		switch need.What {
		case faults.NeedsTask:
			if need.Name != "" && len(v.Own) == 0 { // a lock of the caller's names its own
				if err := v.name(at+"."+need.Param, need.Param, need.Name, append(tasks(), "main")); err != nil {
					return err
				}
			}
		case faults.NeedsProcess:
			if v.Processes > 0 && !slices.Contains(v.nodes(), need.Name) {
				return v.at.Errorf(at, "%s: workers that share a process cannot %s one by one", at, info.Kind)
			}
		case faults.NeedsKey, faults.NeedsReplica, faults.NeedsEnsemble: // without them the fault hits nothing, which is worth a warning
		}
	}
	if len(names) == 2 {
		return v.ends(at, names[0], names[1])
	}
	return nil
}

// supported checks that the servers of some strategy support a fault of the lock's servers. It
// accepts every fault in a file that is run with other strategies than it names.
func (v *validator) supported(at string, spec faults.Spec) error {
	hits := slices.ContainsFunc(faults.Names(spec.Fault), func(name string) bool { return slices.Contains(v.lockNodes(), name) })
	alone := faults.Requires(spec.Fault, faults.NeedsReplica) || faults.Requires(spec.Fault, faults.NeedsEnsemble) // names no server
	if !hits && !alone || v.known.replaced() {
		return nil
	}
	var names, codes []string
	for _, use := range v.Strategies {
		family, err := FamilyOf(v.known.entries[use.Name])
		if err != nil || faults.Supported(spec.Fault, family.Prototype) {
			return err
		}
		if !slices.Contains(names, family.Name) {
			names = append(names, family.Name)
		}
		if r, ok := family.Prototype.(backend.Refuser); ok {
			for _, code := range r.Refuses() {
				if !slices.Contains(codes, string(code)) {
					codes = append(codes, string(code))
				}
			}
		}
	}
	at += "." + string(spec.Kind())
	if f, ok := spec.Fault.(*faults.AnswerErrors); ok && len(codes) > 0 {
		return v.at.Errorf(at+".with", "%s.with: servers of %s do not answer with %s; they answer with %s", at, strings.Join(names, ", "), f.With, strings.Join(codes, ", "))
	}
	return v.at.KeyErrorf(at, "%s: servers of %s know no such fault", at, strings.Join(names, ", "))
}

// faultWords checks the parameters of a fault that are one of a few words.
func (v *validator) faultWords(at string, f faults.Fault) error {
	params := reflect.ValueOf(f).Elem()
	for _, field := range reflect.VisibleFields(params.Type()) {
		word, ok := reflect.TypeAssert[faults.Word](params.FieldByIndex(field.Index))
		if !ok || fmt.Sprint(word) == "" {
			continue
		}
		if err := v.name(at+"."+field.Tag.Get("yaml"), word.Noun(), fmt.Sprint(word), word.Words()); err != nil {
			return err
		}
	}
	return nil
}

// target checks the name of the target of a fault.
func (v *validator) target(at string, info faults.Info, name string) error {
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
