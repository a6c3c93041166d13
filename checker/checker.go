package checker

import (
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
	Count    int       `json:"count,omitempty"` // violations found; Findings may hold fewer
	Findings []Finding `json:"findings,omitempty"`
}

// Check judges one property of a history.
type Check struct {
	Name string
	Doc  string // one line, for lockquake list
	// Workloads are the workloads that it can judge; nil stands for all.
	Workloads []string
	run       func(*input) Result
}

// input is a history together with what every check needs of it, worked out once.
type input struct {
	*history.History
	sections  []*history.Section
	witnessed bool
}
