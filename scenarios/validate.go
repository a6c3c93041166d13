package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
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

// isName reports whether a text can name a scenario or a case.
func isName(text string) bool {
	return len(text) <= LongestName && regexp.MustCompile(namePattern).MatchString(text)
}

// count is a whole number of a scenario with its bounds.
type count struct {
	path              string
	value, low, above int
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

// expand replaces patterns by the strategies that they match.
func (v *validator) expand() error {
	if len(v.Strategies) == 0 {
		return v.at.Errorf("strategies", "strategies must name at least one")
	}
	var uses []Strategy
	for i, use := range v.Strategies {
		at := fmt.Sprintf("strategies[%d]", i)
		names := []string{use.Name}
		switch {
		case use.Name == "":
			return v.missing(at + ".name")
		case use.Name == soundPattern, strings.ContainsAny(use.Name, `*?[\`):
			var err error
			if names, err = v.match(at, use); err != nil {
				return err
			}
		case !slices.Contains(v.known.strategies, use.Name):
			var ok bool
			if use, ok = asLibrary(use); !ok {
				return v.at.Errorf(at+".name", "%s", unknownStrategy(use.Name, slices.Concat(v.known.strategies, libraryNames()), len(v.known.own) == 0))
			}
			names = []string{use.Name}
		}
		pattern := use
		for _, name := range names {
			use.Name, use.Label = name, pattern.Label
			if pattern.Name != name {
				use.Label = strings.ReplaceAll(pattern.Label, "*", name)
			}
			uses = append(uses, use)
			v.uses = append(v.uses, at)
		}
	}
	v.Strategies = uses
	return nil
}

// needs checks that each strategy gets the work that it needs. A campaign judges the strategies that
// replace those of the file.
func (v *validator) needs() error {
	for i, use := range v.Strategies {
		if text := v.unfit(v.known.entries[use.Name], use); text != "" && !v.known.others() {
			return v.at.Errorf(v.uses[i], "%s", text)
		}
	}
	return nil
}

// selects reports whether a pattern selects a strategy.
func (v *validator) selects(pattern, name string) (bool, error) {
	if pattern == soundPattern {
		return !v.known.entries[name].Flawed && name != lock.None().Name, nil
	}
	return path.Match(pattern, name)
}

// match lists the strategies that match a pattern and get the work that they need.
func (v *validator) match(at string, pattern Strategy) ([]string, error) {
	var names []string
	unfit := ""
	for _, name := range v.known.strategies {
		matched, err := v.selects(pattern.Name, name)
		if err != nil {
			return nil, v.at.Errorf(at+".name", "%q is no pattern: %v", pattern.Name, err)
		}
		if !matched {
			continue
		}
		if text := v.unfit(v.known.entries[name], Strategy{Name: name, Workload: pattern.Workload}); text != "" {
			unfit = text
			continue
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 0 && unfit != "":
		return nil, v.at.Errorf(at+".name", "%s", unfit)
	case len(names) == 0:
		return nil, v.at.Errorf(at+".name", "no strategy matches %q; known are %s", pattern.Name, strings.Join(v.known.strategies, ", "))
	case len(names) > 1 && v.at.Has(at+".label") && !strings.Contains(pattern.Label, "*"):
		return nil, v.at.Errorf(at+".label", "%s cannot be a label of %d strategies", pattern.Label, len(names))
	}
	return names, nil
}

// labels checks that every use of a strategy has a label of its own.
func (v *validator) labels() error {
	first := map[string]int{}
	for i := range v.Strategies {
		use, at := &v.Strategies[i], v.uses[i]
		if !v.at.Has(at + ".label") {
			use.Label = cmp.Or(use.Library, use.Name)
		}
		if use.Label != strings.TrimSpace(use.Label) || use.Label == "" || len(use.Label) > LongestName ||
			regexp.MustCompile(`[^\pL\pM\pN\pP\pS ]`).MatchString(use.Label) {
			return v.at.Errorf(at+".label", "%s.label must be one short line without space around it", at)
		}
		if before, ok := first[use.Label]; ok {
			line, _ := v.at.Of(v.uses[before])
			return v.at.Errorf(at+".label", "the label %q is that of line %d already; give one of them another label", use.Label, line)
		}
		first[use.Label] = i
		if use.Resource.Has("fence") {
			if err := v.name(at+".resource.fence", "fence policy", v.ResourceOf(*use).Fence, v.known.fences); err != nil {
				return err
			}
		}
		if err := v.home(at, *use); err != nil {
			return err
		}
		fenced := v.Lock.Has("fence") || use.Lock.Has("fence") || !v.known.tokenless[use.Name]
		if fence := v.ResourceOf(*use).Fence; fence != "off" && !fenced && !v.known.others() {
			return v.at.Errorf(at, "%s", tokenless(*use, fence))
		}
	}
	return nil
}

// settings checks the parameters of locks and the settings of families in all parts of the file.
func (v *validator) settings() error {
	type place struct {
		at       string
		lock     *LockParams
		parts    []lock.Part // that the locks of the place can have
		families strictyaml.Extension
	}
	all := Parts()
	places := []place{{"", &v.Lock, all, v.Families}}
	for i := range v.Strategies {
		places = append(places, place{v.uses[i], &v.Strategies[i].Lock, v.partsOf(v.Strategies[i]), v.Strategies[i].Families})
	}
	for i := range v.Each {
		places = append(places, place{fmt.Sprintf("each[%d]", i), &v.Each[i].Lock, all, v.Each[i].Families})
	}
	for _, p := range places {
		if err := v.lock(strings.TrimPrefix(p.at+".lock", "."), p.lock, p.parts, all); err != nil {
			return err
		}
		if err := p.families.Judge(v.at, p.at); err != nil {
			return err
		}
	}
	return nil
}

// partsOf lists the parts that a use of a strategy can set: those of its family. A
// strategy that a call brings along, and the file only names, can have any.
func (v *validator) partsOf(use Strategy) []lock.Part {
	if entry, ok := v.known.entries[use.Name]; ok {
		if family, err := FamilyOf(entry); err == nil {
			return family.Parts
		}
	}
	return Parts()
}

// openKeys returns the keys of a lock section that name parts.
func openKeys(parts []lock.Part) map[reflect.Type][]string {
	var keys []string
	for _, part := range parts {
		keys = append(keys, part.Name)
	}
	return map[reflect.Type][]string{reflect.TypeFor[lock.Parts](): keys}
}

// lock judges a lock section. Parts are those that it can set, of all that there are.
func (v *validator) lock(at string, set *LockParams, parts, all []lock.Part) error {
	var p lock.Params
	set.Apply(&p)
	settings := []setting{
		v.durationSetting("ttl", p.TTL, time.Millisecond), // no server counts in less
		v.durationSetting("renew", p.Renew, 0),
		v.durationSetting("max-hold", p.MaxHold, 0),
		v.durationSetting("renew-deadline", p.RenewDeadline, 0),
		v.durationSetting("node-timeout", p.NodeTimeout, 0),
		v.durationSetting("lock-timeout", p.LockTimeout, 0),
		v.durationSetting("drift", p.Drift, 0),
		v.durationSetting("fallback", p.Fallback, 0),
		v.durationSetting("retry.delay", p.Retry.Delay, 0),
		v.durationSetting("retry.jitter", p.Retry.Jitter, 0),
	}
	settings = append(settings, v.countSettings(lockCounts(p))...)
	settings = append(settings, v.nameSetting("profile", "profile", p.Profile, profileNames()))
	for _, part := range all {
		i := slices.IndexFunc(parts, func(p lock.Part) bool { return p.Name == part.Name })
		if i < 0 {
			settings = append(settings, setting{part.Name, func(at string) error {
				return v.at.Errorf(at, "%s: no part of this strategy; it is of the locks on %s", at, strings.Join(part.Families, ", "))
			}})
			continue
		}
		settings = append(settings, v.nameSetting(part.Name, "way of "+part.Name, p.Parts[part.Name], parts[i].WayNames()))
	}
	return judgeSettings(at, set.Has, settings)
}

// mostTries is the highest limit of a job's claims.
const mostTries = 1_000_000

// lockCounts are the whole numbers of a lock with their bounds.
func lockCounts(p lock.Params) []count {
	return []count{{"wait", p.Wait, 0, 1}, {"tries", p.Tries, 1, mostTries}}
}

func profileNames() []string {
	var names []string
	for _, p := range lock.Profiles() {
		names = append(names, p.Name)
	}
	return names
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

func (v *validator) checks() error {
	if !v.at.Has("checks") {
		for _, check := range v.known.checks {
			if check.AppliesTo(v.Workload.Kind) {
				v.Checks = append(v.Checks, check.Name)
			}
		}
		return nil
	}
	if len(v.Checks) == 0 {
		return v.at.Errorf("checks", "checks must name at least one; without checks, all are made")
	}
	for i, check := range v.Checks {
		at := fmt.Sprintf("checks[%d]", i)
		known := slices.IndexFunc(v.known.checks, func(c checker.Check) bool { return c.Name == check })
		if known < 0 {
			return v.at.Errorf(at, "%s", strictyaml.Unknown("check", check, v.known.checkNames()))
		}
		if !v.known.checks[known].AppliesTo(v.Workload.Kind) {
			return v.at.Errorf(at, "the check %s cannot judge the workload %s", check, v.Workload.Kind)
		}
		if slices.Contains(v.Checks[:i], check) {
			return v.at.Errorf(at, "the check %s is here twice", check)
		}
	}
	return nil
}

func (v *validator) expect() error {
	var labels []string
	for _, use := range v.Strategies {
		labels = append(labels, use.Label)
	}
	for _, label := range slices.Sorted(maps.Keys(v.Expect)) {
		at, e := "expect."+label, v.Expect[label]
		if v.known.replaced() && !slices.Contains(labels, label) {
			delete(v.Expect, label) // of a strategy that is no longer run
			continue
		}
		if !slices.Contains(labels, label) {
			return v.at.KeyErrorf(at, "%s", strictyaml.Unknown("label", label, labels))
		}
		if len(e.Holds)+len(e.Violates) == 0 && !e.Bounded() {
			return v.at.Errorf(at, "%s names no check in holds or violates, and no bound such as finished: \">= 95 %%\"", at)
		}
		for _, m := range results.Measures() {
			if b := m.Of(&e); !b.IsZero() && !slices.Contains(m.Units, b.Unit) {
				return v.at.Errorf(at+"."+m.Name, "%s.%s: %s", at, m.Name, m.Misfit(*b))
			}
		}
		if err := v.judged(at, v.Strategies[slices.Index(labels, label)], e); err != nil {
			return err
		}
		if err := v.expected(at+".holds", e.Holds, nil); err != nil {
			return err
		}
		if err := v.expected(at+".violates", e.Violates, e.Holds); err != nil {
			return err
		}
	}
	return nil
}

// judged refuses an expectation that names a check which has nothing to judge under the strategy.
func (v *validator) judged(at string, use Strategy, e results.Expect) error {
	entry := v.known.entries[use.Name]
	for _, check := range slices.Concat(e.Holds, e.Violates) {
		switch c, _ := checker.Lookup(check); {
		case c.Judges(entry.LockFree, entry.Keeps):
		case entry.LockFree:
			return v.at.Errorf(at, "%s: %s judges the holders of a lock, and %s takes no lock", at, check, use.Name)
		default:
			return v.at.Errorf(at, "%s: %s judges the grant of each section, and an owner of %s keeps its grant", at, check, use.Name)
		}
	}
	return nil
}

// expected checks one list of expected checks; those in others must not be in it.
func (v *validator) expected(at string, checks, others []string) error {
	for i, check := range checks {
		here := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case slices.Contains(others, check):
			return v.at.Errorf(here, "%s cannot both hold and be violated", check)
		case slices.Contains(checks[:i], check):
			return v.at.Errorf(here, "%s is here twice", check)
		case !slices.Contains(v.Checks, check) && slices.Contains(v.known.checkNames(), check):
			return v.at.Errorf(here, "%s is not among the scenario's checks: %s", check, strings.Join(v.Checks, ", "))
		case !slices.Contains(v.Checks, check):
			return v.at.Errorf(here, "%s", strictyaml.Unknown("check", check, v.Checks))
		}
	}
	return nil
}

// setting is a value that a part of a file may set, with its check.
type setting struct {
	path  string // within that part
	judge func(at string) error
}

// judgeSettings checks the settings that the part of the file at a path has.
func judgeSettings(at string, has func(path string) bool, settings []setting) error {
	for _, s := range settings {
		if !has(s.path) {
			continue
		}
		if err := s.judge(at + "." + s.path); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) durationSetting(path string, d, shortest time.Duration) setting {
	return setting{path, func(at string) error { return v.duration(at, d, shortest, longestTime) }}
}

func (v *validator) nameSetting(path, sort, word string, known []string) setting {
	return setting{path, func(at string) error { return v.name(at, sort, word, known) }}
}

func (v *validator) countSettings(counts []count) []setting {
	var settings []setting
	for _, n := range counts {
		settings = append(settings, setting{n.path, func(at string) error { return v.count(at, n) }})
	}
	return settings
}

// worker checks that name is a worker; others are the other allowed words.
func (v *validator) worker(at, name string, others ...string) error {
	switch {
	case slices.Contains(v.workers, name):
		return nil
	case regexp.MustCompile(`^worker-[0-9]+$`).MatchString(name):
		return v.at.Errorf(at, "%s: there is no %s; the last worker is %s", at, name, v.workers[len(v.workers)-1])
	case slices.Contains(others, ResourceNode) && regexp.MustCompile(`^(`+nodePattern()+`|lock-.*)$`).MatchString(name):
		return v.at.Errorf(at, "%s: there is no server %s; the servers are %s", at, name, strings.Join(v.nodes(), ", "))
	case slices.Contains(others, ResourceNode):
		return v.at.Errorf(at, "%s: %s", at, strictyaml.Unknown("worker or server", name, append(others, v.workers...)))
	default:
		return v.at.Errorf(at, "%s: %s", at, strictyaml.Unknown("worker", name, append(others, v.workers...)))
	}
}

// name checks that word is one of the known names of its sort.
func (v *validator) name(at, sort, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return v.at.Errorf(at, "%s", strictyaml.Unknown(sort, word, known))
}

func (v *validator) count(at string, n count) error {
	if n.value < n.low || n.value > n.above {
		return v.at.Errorf(at, "%s must be between %d and %d, and is %d", at, n.low, n.above, n.value)
	}
	return nil
}

func (v *validator) duration(at string, d, shortest, longest time.Duration) error {
	if d < shortest || d > longest {
		return v.at.Errorf(at, "%s must be between %v and %v, and is %v", at, shortest, longest, d)
	}
	return nil
}

func (v *validator) missing(path string) error {
	return v.at.Errorf(path, "%s is missing", path)
}
