package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
)

// What a file says is judged against the strategies that are run, and these may
// be others than those of the file: --strategy and WithStrategies choose them, an
// override replaces them, and a program has locks of its own.

// Fits returns an error, a [*SettingError], if one of the scenario's own uses of a
// strategy cannot be run under its settings. A campaign says the same of the
// uses that are chosen.
func (s *Scenario) Fits() error { return s.fit(s.Strategies) }

func (s *Scenario) fit(uses []Strategy) error {
	entries := s.entries()
	for _, use := range uses {
		i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name })
		var e lock.Entry // of one that a call brought along
		if i >= 0 {
			e = entries[i]
		}
		ours := i < 0 || i >= len(entries)-len(s.Own)
		if fence := s.ResourceOf(use).Fence; !ours && !s.hasToken(e, use) && fence != "off" {
			return &SettingError{"resource.fence=" + fence, tokenless(use, fence)}
		}
		if text := s.unfit(e, use); text != "" {
			return &SettingError{"workload.kind=" + s.Workload.Kind, text}
		}
		if err := s.ServersOf(e.Topology, use).topology().Validate(); err != nil {
			return &SettingError{"servers", fmt.Sprintf("%s: %v", use.Label, err)}
		}
	}
	return nil
}

// unfit returns the error text for a strategy that needs something which the workload does not have
// in this use, "" if it has all.
func (s *Scenario) unfit(e lock.Entry, use Strategy) string {
	need := s.workload.Lacks(e.Needs, s.WorkloadOf(use))
	if need == "" {
		return ""
	}
	return fmt.Sprintf("%s needs %s; the workload %s has none with these settings", use.Name, need, s.Workload.Kind)
}

// hasToken reports whether a strategy of the catalogue hands out tokens in this use.
func (s *Scenario) hasToken(e lock.Entry, use Strategy) bool {
	return s.Lock.Has("fence") || use.Lock.Has("fence") || e.Fenced()
}

// tokenless returns the error text for a strategy without tokens whose resource has a fence.
func tokenless(use Strategy, fence string) string {
	return fmt.Sprintf("%s hands out no token, and a resource with the fence %q refuses everything without one", use.Name, fence)
}

// others reports whether the file may be run with other strategies than it names, so
// that Fits and a campaign judge them.
func (c catalogue) others() bool { return len(c.own) > 0 || len(c.overrides) > 0 }

// replaced reports whether an override replaces the strategies of the file.
func (c catalogue) replaced() bool {
	return slices.ContainsFunc(c.overrides, func(o results.Override) bool { return strings.HasPrefix(o.Path, "strategies") })
}

// usesOwn reports whether the file names a strategy of the caller's own.
func (v *validator) usesOwn() bool {
	return slices.ContainsFunc(v.Strategies, func(use Strategy) bool {
		return slices.ContainsFunc(v.known.own, func(e lock.Entry) bool { return e.Name == use.Name })
	})
}

// elsewhere lists the servers that the file names and that its strategies may not have: a fault of
// such a server has no target. The list is empty unless the strategies were replaced or are the
// caller's own.
func (v *validator) elsewhere() []string {
	if !v.known.replaced() && !v.usesOwn() {
		return nil
	}
	var names []string
	for _, spec := range v.Faults {
		for _, name := range faults.Names(spec.Fault) {
			if name != ResourceNode && regexp.MustCompile(nodePattern()).MatchString(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// CheckPoint returns an error unless a fault can be tied to a point of that name. A lock of the caller's own has points of
// its own: those that its entry names, and those of requests that are called by their command. If there is such a lock, any
// other name is accepted, unless it is close to a known one.
func CheckPoint(name string, own []lock.Entry) error { return checkPoint(name, Points(), own) }

func checkPoint(name string, points []string, own []lock.Entry) error {
	known := slices.Clone(points)
	for _, e := range own {
		known = append(known, e.Points...)
	}
	command, event, _ := strings.Cut(name, ".")
	switch {
	case slices.Contains(known, name):
		return nil
	case len(own) > 0 && isCommand(command) && slices.Contains(messageEvents(), event):
		return nil
	case len(own) > 0 && !strictyaml.Near(name, known):
		return nil
	}
	return errors.New(strictyaml.Unknown("point", name, known))
}

// messageEvents lists the events of a request.
func messageEvents() []string { return []string{"sent", "applied", "replied", "taken"} }
