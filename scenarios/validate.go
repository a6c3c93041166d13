package scenarios

import (
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

// The bounds of a scenario: far beyond useful values, and far below an overflow.
const (
	MostWorkers = 100_000
	mostCores   = 1024
	MostSeeds   = 1_000_000_000
	mostRetries = 1_000
	longestTime = draw.Longest
	LongestName = 64 // letters of a name or a label
	namePattern = `^[a-z0-9][a-z0-9-]*$`
)

// validator checks a decoded scenario, and stops at the first error.
type validator struct {
	*Scenario
	at      *strictyaml.Positions
	known   catalogue
	workers []string
	uses    []string // the path of each strategy in the file
}

func (v *validator) validate() error {
	for _, check := range []func() error{
		v.header, v.numbers, v.work, v.expand, v.servedUses, v.needs, v.labels, v.settings, v.lockValues, v.servers, v.network, v.each, v.faults, v.checks, v.cases, v.expect,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) header() error {
	for _, required := range []string{"name", "duration", "workload", "workload.kind", "strategies"} {
		if !v.at.Has(required) {
			return v.missing(required)
		}
	}
	if !isName(v.Name) {
		return v.at.Errorf("name", "name must be up to %d small letters, digits and dashes, not %q",
			LongestName, v.Name[:min(len(v.Name), LongestName)])
	}
	return nil
}

func (s *Scenario) counts() []count {
	return []count{
		{"seeds", s.Seeds, 1, MostSeeds},
		{"workers", s.Workers, 1, MostWorkers},
		{"processes", s.Processes, 0, MostWorkers},
		{"resources", s.Resources, 1, MostWorkers},
		{"sections", s.Sections, 0, MostSeeds},
		{"cores", s.Cores, 1, mostCores},
	}
}

func (v *validator) numbers() error {
	for _, n := range v.counts() {
		if err := v.count(n.path, n); err != nil {
			return err
		}
	}
	v.workers = v.WorkerNames()
	if err := v.duration("duration", v.Duration, time.Millisecond, longestTime); err != nil {
		return err
	}
	if err := v.duration("step", v.Step, 0, longestTime); err != nil {
		return err
	}
	if err := v.name("wake", "order of waking", string(v.Wake), texts(results.Wakes())); err != nil {
		return err
	}
	if v.Wake != results.WakeDrawn && v.at.Has("cores") {
		return v.at.KeyErrorf("cores", "cores: with wake: %s a process wakes as one with a single processor", v.Wake)
	}
	return nil
}

func (v *validator) work() error {
	if err := v.name("workload.kind", "workload", v.Workload.Kind, v.known.workloadNames()); err != nil {
		return err
	}
	v.workload = v.known.workloads[slices.Index(v.known.workloadNames(), v.Workload.Kind)]
	if err := v.workloads(); err != nil {
		return err
	}
	if v.Resource.In != "" {
		if err := v.name("resource.in", "place of the resource", string(v.Resource.In), Homes()); err != nil {
			return err
		}
	}
	return v.name("resource.fence", "fence policy", v.Resource.Fence, v.known.fences)
}

func (v *validator) each() error {
	seen := map[string]bool{}
	for i, e := range v.Each {
		at := fmt.Sprintf("each[%d]", i)
		if e.Worker == "" {
			return v.missing(at + ".worker")
		}
		if err := v.worker(at+".worker", e.Worker); err != nil {
			return err
		}
		if seen[e.Worker] {
			return v.at.Errorf(at+".worker", "%s is in each twice", e.Worker)
		}
		seen[e.Worker] = true
		if err := v.duration(at+".start", e.Start, 0, v.Duration); err != nil {
			return err
		}
		if err := v.duration(at+".wall-offset", e.WallOffset, -longestTime, longestTime); err != nil {
			return err
		}
		has := func(key string) bool { return v.at.Has(at + "." + key) }
		if err := judgeSettings(at, has, []setting{v.heedsSetting(e.Heeds)}); err != nil {
			return err
		}
		if e.WallOffset != 0 && v.Processes > 0 {
			return v.at.Errorf(at+".wall-offset", "%s.wall-offset: workers that share a process share its clocks", at)
		}
	}
	return nil
}
