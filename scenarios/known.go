package scenarios

import (
	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// Points lists the points that a fault can be tied to: those of the runner,
// the renewal of a strategy that has one, and those of every message.
func Points() []string {
	points := []string{
		"acquire-called", "acquired", "read-called", "read-done", "lease-checked", "write-replied",
		"release-called", "released", "commit-called", "renewal-begins", "renew-called",
	}
	for _, op := range append([]string{"acquire", "renew", "release", "read", "write", "dial"}, operations()...) {
		for _, event := range messageEvents() {
			points = append(points, op+"."+event)
		}
	}
	return append(points, "message.replied", "message.taken")
}

// catalogue holds what a scenario can name.
type catalogue struct {
	own        []lock.Entry // strategies that the caller brought along
	strategies []string
	tokenless  map[string]bool // strategies that never hand out a token
	entries    map[string]lock.Entry
	workloads  []workload.Info
	fences     []string
	points     []string
	checks     []checker.Check
	overrides  []results.Override // that the file is read with
	files      map[string][]byte  // of empirical distributions, in place of those of the disk
}

// known returns the catalogue, with the caller's own strategies.
func known(own []lock.Entry) catalogue {
	c := catalogue{own: own, points: Points(), checks: checker.Catalogue(), workloads: workload.Catalogue(), tokenless: map[string]bool{}, entries: map[string]lock.Entry{}}
	for _, s := range Strategies() {
		c.strategies = append(c.strategies, s.Name)
		c.tokenless[s.Name] = !s.Fenced()
		c.entries[s.Name] = s
	}
	for _, s := range own {
		c.strategies = append(c.strategies, s.Name)
		c.entries[s.Name] = s
	}
	for _, p := range resource.Policies() {
		c.fences = append(c.fences, string(p.Policy))
	}
	c.fences = append(c.fences, fenceByStrategy)
	return c
}

// known returns the catalogue with which the scenario was read.
func (s *Scenario) known() catalogue {
	c := known(s.Own)
	c.files = s.given
	return c
}

func (c catalogue) workloadNames() []string {
	var names []string
	for _, w := range c.workloads {
		names = append(names, w.Name)
	}
	return names
}

func (c catalogue) checkNames() []string {
	var names []string
	for _, check := range c.checks {
		names = append(names, check.Name)
	}
	return names
}
