package checker

import (
	"fmt"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
)

// Verdict is the conclusion of a check.
type Verdict string

// The three verdicts. Invalid wins over Unknown, Unknown over Valid, and
// Unknown is never a pass.
const (
	Valid   Verdict = "valid"
	Invalid Verdict = "invalid"
	Unknown Verdict = "unknown"
)

// Worse returns the worse of two verdicts: Invalid before Unknown, Unknown before Valid.
func (v Verdict) Worse(other Verdict) Verdict {
	if v == Invalid || other == Invalid {
		return Invalid
	}
	if v == Unknown || other == Unknown {
		return Unknown
	}
	return Valid
}

// Finding is one piece of evidence: one sentence that says what is wrong, and the sequence numbers
// of the events that show it, in order.
type Finding struct {
	Text   string  `json:"text"`
	Events []int64 `json:"events,omitempty"`
}

// Result is the result of one check on one history.
type Result struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	// Applies is false if the history has nothing for the check to judge, such as fencing tokens of
	// a strategy that has none. The verdict is Valid then, and a report shows a dash.
	Applies  bool      `json:"applies"`
	Count    int       `json:"count,omitempty"` // violations, in the Unit of the check; Findings may hold fewer, or more
	Findings []Finding `json:"findings,omitempty"`
}

// maxFindings limits the findings of one result. Violations beyond it are still counted.
const maxFindings = 10

// find adds a finding with verdict v, and counts it if v is Invalid. The findings of an invalid result are
// all violations: the first one replaces those that say what cannot be told.
func (r *Result) find(v Verdict, events []int64, format string, args ...any) {
	switch {
	case v == Unknown && r.Verdict == Invalid:
		return
	case v == Invalid && r.Verdict == Unknown:
		r.Findings = nil
	}
	r.count(v)
	r.show(events, format, args...)
}

// count applies verdict v without a finding, and counts it if v is Invalid.
func (r *Result) count(v Verdict) {
	r.Verdict = r.Verdict.Worse(v)
	if v == Invalid {
		r.Count++
	}
}

// show adds a finding without counting it. It drops the sequence numbers of events that never
// happened (0 or evidence.Forever).
func (r *Result) show(events []int64, format string, args ...any) {
	if r.full() {
		return
	}
	events = slices.DeleteFunc(events, func(seq int64) bool { return seq == 0 || seq == evidence.Forever })
	slices.Sort(events)
	for i, arg := range args {
		if d, ok := arg.(time.Duration); ok {
			args[i] = readable(d)
		}
	}
	r.Findings = append(r.Findings, Finding{Text: fmt.Sprintf(format, args...), Events: slices.Compact(events)})
}

// full reports whether r has all the findings that it may show. A check with thousands of
// violations asks before it formats another text.
func (r *Result) full() bool { return len(r.Findings) == maxFindings }

// readable rounds a duration for display.
func readable(d time.Duration) time.Duration {
	if d >= time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d
}
