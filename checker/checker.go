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
