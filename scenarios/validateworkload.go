package scenarios

import (
	"fmt"

	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// workloads checks the parameters of the workload in all parts of the file.
func (v *validator) workloads() error {
	has := func(param string) bool { return v.at.Has("workload." + param) }
	if err := v.workloadOf("workload", v.Workload, has); err != nil {
		return err
	}
	if v.Resources < v.workload.Least {
		return v.at.Errorf("workload.kind", "workload.kind: the workload %s needs %d resources, and there is %d", v.Workload.Kind, v.workload.Least, v.Resources)
	}
	for i, use := range v.Strategies {
		at := fmt.Sprintf("strategies[%d].workload", i)
		if use.Workload.Has("kind") {
			return v.at.Errorf(at+".kind", "%s.kind: all strategies of a scenario have one workload", at)
		}
		if err := v.workloadOf(at, v.WorkloadOf(use), use.Workload.Has); err != nil {
			return err
		}
	}
	for _, p := range v.workload.Params {
		if p.Must && !has(p.Name) {
			return v.missing("workload." + p.Name)
		}
	}
	return nil
}

// workloadOf checks the parameters of the workload in one part of the file.
func (v *validator) workloadOf(at string, w workload.Settings, has func(string) bool) error {
	for _, p := range workload.Params(v.known.workloads) {
		if has(p.Name) && !v.workload.Has(p.Name) {
			return v.at.KeyErrorf(at+"."+p.Name, "%s.%s: the workload %s has no %s", at, p.Name, w.Kind, p.Name)
		}
	}
	settings := []setting{v.heedsSetting(w.Heeds)}
	for _, p := range v.workload.Params {
		switch {
		case p.Count != nil:
			settings = append(settings, v.countSettings([]count{{p.Name, p.Count.Of(w), p.Count.Low, p.Count.High}})...)
		case p.Time != nil:
			settings = append(settings, v.durationSetting(p.Name, p.Time.Of(w), p.Time.Shortest))
		case p.Word != nil:
			settings = append(settings, v.nameSetting(p.Name, p.Word.Noun, p.Word.Of(w), p.Word.Known))
		}
	}
	return judgeSettings(at, has, settings)
}

func (v *validator) heedsSetting(heeds results.Heeds) setting {
	return v.nameSetting("heeds", "way to heed a context", string(heeds), texts(results.Heedings()))
}

// WorkloadInfo returns the workload that the scenario names.
func (s *Scenario) WorkloadInfo() workload.Info { return s.workload }
