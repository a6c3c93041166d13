package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/lock"
	"lockquake/scenarios/results"
)

// Setup lists the settings that the rates of these uses depend on: leases, faults and latency.
// Steps, waking and heeding are fields of their own in [results.Campaign].
func (s *Scenario) Setup(uses []Strategy) []results.Setting {
	var setup []results.Setting
	if leases := s.leases(uses); leases != "" {
		setup = append(setup, results.Setting{Name: "TTL", Value: leases})
	}
	setup = append(setup, s.faultSettings()...)
	latency := s.Network.Latency.Phrase()
	if n := len(s.Network.Links); n > 0 {
		latency += fmt.Sprintf(" (%d links differ)", n)
	}
	return append(setup, results.Setting{Name: "latency", Value: latency})
}

// leases returns the TTL that most strategies request, and those that differ. It is "" if no
// strategy takes a lease.
func (s *Scenario) leases(uses []Strategy) string {
	entries := s.entries()
	labels := map[time.Duration][]string{}
	var ttls []time.Duration
	for _, use := range uses {
		i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name })
		if i < 0 {
			continue
		}
		ttl, label := s.LongestTTL(entries[i].Defaults, use), use.Use()
		switch {
		case ttl == 0 || slices.Contains(labels[ttl], label):
			continue
		case labels[ttl] == nil:
			ttls = append(ttls, ttl)
		}
		labels[ttl] = append(labels[ttl], label)
	}
	slices.SortStableFunc(ttls, func(a, b time.Duration) int { return len(labels[b]) - len(labels[a]) })
	var parts []string
	for i, ttl := range ttls {
		if i == 0 {
			parts = append(parts, ttl.String())
			continue
		}
		parts = append(parts, fmt.Sprintf("%v for %s", ttl, strings.Join(labels[ttl], ", ")))
	}
	return strings.Join(parts, "; ")
}

// faultSettings describes each entry of the faults that all runs have, and how many cases there are.
func (s *Scenario) faultSettings() []results.Setting {
	var setup []results.Setting
	var cases []string
	for _, spec := range s.Faults {
		switch {
		case spec.Case == "":
			setup = append(setup, faultSetting(spec))
		case !slices.Contains(cases, spec.Case):
			cases = append(cases, spec.Case)
		}
	}
	switch n := len(cases); {
	case n > 0:
		setup = append(setup, results.Setting{Name: "faults", Value: fmt.Sprintf("one of %d cases in each run", n)})
	case len(setup) == 0:
		setup = append(setup, results.Setting{Name: "faults", Value: "none"})
	}
	return setup
}

func faultSetting(spec faults.Spec) results.Setting {
	name := string(spec.Kind())
	if names := faults.Names(spec.Fault); len(names) > 0 && names[0] != "" {
		name += " of " + strings.Join(names, " to ")
	}
	var parts []string
	switch {
	case spec.When != nil:
		parts = append(parts, fmt.Sprintf("at %s of %s", spec.When.Point, spec.When.Worker))
	case spec.Every != nil:
		parts = append(parts, "every "+spec.Every.Phrase())
	case spec.At != nil:
		parts = append(parts, fmt.Sprintf("at %v", *spec.At))
	}
	if !spec.For.IsZero() {
		parts = append(parts, "for "+spec.For.Phrase())
	}
	return results.Setting{Name: name, Value: strings.Join(parts, ", ")}
}
