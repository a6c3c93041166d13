package checker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

// Verdict is what a check concludes.
type Verdict string

// The three verdicts. Invalid wins over Unknown, Unknown over Valid, and
// Unknown is never a pass.
const (
	Valid   Verdict = "valid"
	Invalid Verdict = "invalid"
	Unknown Verdict = "unknown"
)

// Worse returns the verdict that wins when two are put together.
func (v Verdict) Worse(other Verdict) Verdict {
	if v == Invalid || other == Invalid {
		return Invalid
	}
	if v == Unknown || other == Unknown {
		return Unknown
	}
	return Valid
}

// Finding is one piece of evidence: what is wrong in one sentence, and the
// events that show it, in order, by sequence number.
type Finding struct {
	Text   string  `json:"text"`
	Events []int64 `json:"events,omitempty"`
}

// Result is what one check says of one history.
type Result struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	// Applies is false when the history holds nothing that the check could
	// judge, such as fence tokens of a strategy that has none. The verdict is
	// Valid then, and a report shows a dash.
	Applies  bool      `json:"applies"`
	Count    int       `json:"count,omitempty"` // violations, in the Unit of the check; Findings may hold fewer, or more
	Findings []Finding `json:"findings,omitempty"`
}

// Check judges one property of a history.
type Check struct {
	Name string
	Doc  string // one line, for lockquake list
	// Workloads are the workloads that it can judge; nil stands for all.
	Workloads []string
	// Unit is what one violation is: the noun that Count counts.
	Unit string
	// NoRate says why the violations of a longer run are not in proportion more,
	// so that they have no rate for each hour or acquisition. It is "" if they do.
	NoRate string
	// Advisory: a violation does not decide unless an expectation names the check.
	Advisory bool
	run      func(*input, *Result)
}

// AppliesTo reports whether the check can judge runs of the workload.
func (c Check) AppliesTo(workload string) bool {
	return c.Workloads == nil || slices.Contains(c.Workloads, workload)
}

// Catalogue lists all checks, always in the same order.
func Catalogue() []Check {
	return []Check{
		{
			Name: "linearizable",
			Doc:  "every section is one atomic step, and the resource keeps to its own rule for tokens",
			Unit: "an item whose sections, or whose operations, fit in no order", NoRate: "it stops at the first contradiction",
			run: linearizable,
		},
		{
			Name:      "lost-update",
			Doc:       "no increment overwrites one that its section had not read",
			Workloads: []string{"counter", "multi-lock"},
			Unit:      "a write over increments that its section had not seen, however many they are",
			run:       lostUpdate,
		},
		{
			Name:      "once",
			Doc:       "each piece of work, such as a tick, takes effect once: not twice, and not never without anybody noticing",
			Workloads: []string{"cron", "reminders"},
			Unit:      "a piece of work that was done more than once, or never",
			run:       once,
		},
		{
			Name: "exclusion",
			Doc:  "no two sections of one lock work on the resource at the same time",
			Unit: "a section that was at work when another one began to work",
			run:  exclusion,
		},
		{
			Name:     "belief",
			Doc:      "no two sections of one lock are believed to be held at the same time",
			Unit:     "a section that believed to hold the lock when another one was let in",
			Advisory: true,
			run:      belief,
		},
		{
			Name: "fencing",
			Doc:  "tokens rise with the grants, and the resource refuses the stale and nobody else",
			Unit: "a section with a wrong token, or with an operation that was wrongly accepted or refused",
			run:  fencing,
		},
		{
			Name: "told",
			Doc:  "a holder that has lost the lock is told so in time",
			Unit: "a section that lost the lock and was not told in time",
			run:  told,
		},
		{
			Name: "recovery",
			Doc:  "a lock whose owner has crashed or returned is soon free again, and none is held for ever",
			Unit: "a section whose grant stayed behind, on one server or several",
			run:  recovery,
		},
		{
			Name: "progress",
			Doc:  "a waiter gets the lock or an answer within a bound, and every section ends",
			Unit: "a section that waited too long, or did not end", NoRate: "a worker that never goes on counts once, however long the run is",
			run: progress,
		},
		{
			Name: "errors",
			Doc:  "an answer fits its cause, and keeps the result of the work",
			Unit: "a section whose answer does not fit",
			run:  answers,
		},
		{
			Name: "ownership",
			Doc:  "a release or a renewal touches the grant of its own section only",
			Unit: "a section whose grant another request renewed or freed, or that renewed after its own release",
			run:  ownership,
		},
		{
			Name:     "needless-loss",
			Doc:      "no lease is given up that is still good, or that there was time to renew",
			Unit:     "a section that gave up its lease needlessly",
			Advisory: true,
			run:      needlessLoss,
		},
		{
			Name: "load",
			Doc:  "those who wait for a lock do not poll its server in step, nor without a pause",
			Unit: "a peak of requests, or a section that asks without a pause", NoRate: "it judges the requests of a run as a whole",
			run: load,
		},
	}
}

// Names lists the names of the Catalogue.
func Names() []string {
	var names []string
	for _, c := range Catalogue() {
		names = append(names, c.Name)
	}
	return names
}

// Lookup returns the check of that name.
func Lookup(name string) (Check, bool) { return lookup(Catalogue(), name) }

func lookup(catalogue []Check, name string) (Check, bool) {
	i := slices.IndexFunc(catalogue, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}, false
	}
	return catalogue[i], true
}

// Advisory reports whether a violation of the check does not decide unless an
// expectation names the check.
func Advisory(name string) bool {
	c, _ := Lookup(name)
	return c.Advisory
}

// Run judges h by the named checks and returns one result for each, in the
// order of names; nil names stand for the whole Catalogue. A check that does
// not judge the history's workload answers that it does not apply.
//
// The error says that a name is unknown or that the history contradicts
// itself, so that no verdict on it would mean anything.
func Run(h *history.History, names []string) ([]Result, error) {
	return run(h, names, defaultLimits())
}

// Judge is Run for a caller that has folded h into its sections already. It
// returns the run's metrics too.
func Judge(h *history.History, sections []*history.Section, names []string) ([]Result, Metrics, error) {
	in := newInput(h, sections, defaultLimits())
	results, err := in.verdicts(names)
	if err != nil {
		return nil, Metrics{}, err
	}
	return results, in.measure(), nil
}

func run(h *history.History, names []string, l limits) ([]Result, error) {
	sections, err := h.Sections()
	if err != nil {
		return nil, err
	}
	return newInput(h, sections, l).verdicts(names)
}

func (in *input) verdicts(names []string) ([]Result, error) {
	if names == nil {
		names = Names()
	}
	catalogue := Catalogue()
	var chosen []Check
	for _, name := range names {
		c, ok := lookup(catalogue, name)
		if !ok {
			return nil, fmt.Errorf("unknown check %q; there are %s", name, strings.Join(Names(), ", "))
		}
		chosen = append(chosen, c)
	}
	results := make([]Result, 0, len(chosen))
	for _, c := range chosen {
		r := Result{Check: c.Name, Verdict: Valid}
		if c.AppliesTo(in.Meta.Workload) {
			c.run(in, &r)
		}
		results = append(results, r)
	}
	return results, nil
}

// maxFindings bounds the findings of one result. Count goes on.
const maxFindings = 10

// find adds a finding that makes the verdict v, and counts it if it is a violation.
func (r *Result) find(v Verdict, events []int64, format string, args ...any) {
	r.count(v)
	r.show(events, format, args...)
}

// count makes the verdict v, without a finding, and counts it if it is a violation.
func (r *Result) count(v Verdict) {
	r.Verdict = r.Verdict.Worse(v)
	if v == Invalid {
		r.Count++
	}
}

// violated adds a violation of one unit of the check, which may show in several
// findings and counts once.
func (in *input) violated(r *Result, unit any, events []int64, format string, args ...any) {
	key := violation{r.Check, unit}
	if in.counted[key] {
		r.show(events, format, args...)
		return
	}
	if in.counted == nil {
		in.counted = map[violation]bool{}
	}
	in.counted[key] = true
	r.find(Invalid, events, format, args...)
}

// violation names what a check has counted: a section, most often.
type violation struct {
	check string
	unit  any
}

// show adds a finding that is counted already. Events that never came, 0 or
// forever, are left out.
func (r *Result) show(events []int64, format string, args ...any) {
	if r.full() {
		return
	}
	events = slices.DeleteFunc(events, func(seq int64) bool { return seq == 0 || seq == forever })
	slices.Sort(events)
	for i, arg := range args {
		if d, ok := arg.(time.Duration); ok {
			args[i] = readable(d)
		}
	}
	r.Findings = append(r.Findings, Finding{Text: fmt.Sprintf(format, args...), Events: slices.Compact(events)})
}

// full reports whether r shows no further finding. A check of thousands of violations
// asks before it makes a text for one.
func (r *Result) full() bool { return len(r.Findings) == maxFindings }

// readable rounds a length of time to digits that somebody reads.
func readable(d time.Duration) time.Duration {
	if d >= time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d
}
