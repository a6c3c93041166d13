package results

// Advice answers whether a lock is safe in the world of its user, and what else could be taken. It is
// the document that lockquake advise prints with --format json.
type Advice struct {
	Schema   int       `json:"schema"` // version of this format, 1
	Version  string    `json:"version"`
	Program  string    `json:"program,omitempty"` // name of the program that repeats its runs
	Scenario string    `json:"scenario"`          // path of the written scenario
	Hash     string    `json:"hash"`              // of the scenario
	Seeds    SeedRange `json:"seeds"`             // of each lock under each cause
	Runs     int       `json:"runs"`              // of all figures

	Lock    string   `json:"lock"`              // the lock in question, in one sentence
	World   string   `json:"world"`             // what one run is, in one sentence
	Assumed []string `json:"assumed,omitempty"` // inputs that were not given, and the rates of the faults

	Causes []AdviceCause `json:"causes"`
	// Locks has the lock in question first, then its neighbours, the safest first; of those that lose as
	// much, those that claim more first, and then the cheaper ones.
	Locks []AdviceLock `json:"locks"`
	TTL   *AdviceTTL   `json:"ttl,omitempty"` // nil: the lock has no lease
	// Changes has the effect of each assumption on the lock in question, those with a clear effect first
	// and of these the steepest, and then the effect of the worse values on the nearest lock that lost
	// nothing.
	Changes []AdviceChange `json:"changes,omitempty"`
	// Missing lists what is not simulated for this lock, one sentence each.
	Missing []string `json:"missing"`
}

// AdviceCause is one kind of faults.
type AdviceCause struct {
	Name string `json:"name"` // a case of the scenario
	With string `json:"with"` // completes "runs with ..."
	// Asked: an input that was given names it, such as the pauses or the servers.
	Asked bool `json:"asked,omitempty"`
}

// AdviceLock has the runs of one lock.
type AdviceLock struct {
	Label    string `json:"label"`
	Strategy string `json:"strategy"`
	What     string `json:"what"` // one sentence
	// Needs is the input with which the lock could be taken, such as --fence reads-writes; empty if the
	// inputs allow it.
	Needs   string       `json:"needs,omitempty"`
	Cells   []AdviceCell `json:"cells"`
	Cost    MatrixCost   `json:"cost"`
	Command string       `json:"command"` // repeats the runs of all cells
}

// AdviceCell has the runs of one lock under one cause.
type AdviceCell struct {
	Cause   string `json:"cause"`
	Runs    int    `json:"runs"`
	Unknown int    `json:"unknown,omitempty"` // runs in which a check could not decide
	Hit     int64  `json:"hit"`               // faults that hit a section, a grant or a call
	// Lost counts the runs that violate Check, the check of corruption that most runs violate.
	Lost  int     `json:"lost"`
	Check string  `json:"check,omitempty"`
	Low   float64 `json:"low"` // 95 % Wilson interval of Lost
	High  float64 `json:"high"`
	// Stuck counts the runs that violate Service, the check of the service that most runs violate.
	Stuck    int    `json:"stuck"`
	Service  string `json:"service,omitempty"`
	Jobs     int64  `json:"jobs"`
	Finished int64  `json:"finished"`
	Command  string `json:"command"`          // repeats its runs
	Replay   string `json:"replay,omitempty"` // repeats the first run that violates Check, or Service
}

// Find returns the lock with a label, nil if there is none.
func (a *Advice) Find(label string) *AdviceLock {
	for i := range a.Locks {
		if a.Locks[i].Label == label {
			return &a.Locks[i]
		}
	}
	return nil
}

// Rate returns the share of the runs that lost something.
func (c *AdviceCell) Rate() float64 { return float64(c.Lost) / float64(max(1, c.Runs)) }

// Done returns the share of the work that was finished.
func (c *AdviceCell) Done() float64 { return float64(c.Finished) / float64(max(1, c.Jobs)) }

// Cell returns the cell of a cause, nil if there is none.
func (l *AdviceLock) Cell(cause string) *AdviceCell {
	for i := range l.Cells {
		if l.Cells[i].Cause == cause {
			return &l.Cells[i]
		}
	}
	return nil
}

// Worst returns the largest rate of the cells.
func (l *AdviceLock) Worst() float64 {
	worst := 0.0
	for i := range l.Cells {
		worst = max(worst, l.Cells[i].Rate())
	}
	return worst
}

// AdviceTTL is the smallest TTL with which the work is finished and nothing is lost under Cause.
type AdviceTTL struct {
	Cause string `json:"cause"`
	// Holds is the smallest TTL that was found and held in HoldsRuns runs, Breaks the largest one that is too short. Holds is empty
	// if no TTL up to Longest is enough, Breaks if Shortest is.
	Holds    string `json:"holds,omitempty"`
	Breaks   string `json:"breaks,omitempty"`
	Why      string `json:"why,omitempty"` // why Breaks, or each TTL, is not enough
	Shortest string `json:"shortest"`
	Longest  string `json:"longest"`
	// Jobs and Finished are at Holds, with the 95 % interval of the share.
	Jobs     int64   `json:"jobs,omitempty"`
	Finished int64   `json:"finished,omitempty"`
	Low      float64 `json:"low,omitempty"`
	High     float64 `json:"high,omitempty"`
	Runs     int     `json:"runs"` // at each TTL of the search
	// HoldsRuns runs at Holds lost nothing; HoldsCommand repeats them.
	HoldsRuns    int    `json:"holds_runs,omitempty"`
	HoldsCommand string `json:"holds_command,omitempty"`
	Taken        bool   `json:"taken,omitempty"` // the scenario has the TTL that was found
	// Helpless and Helped divide the causes under which the lock in question loses something: with
	// Longest it still does under those of Helpless, and not under those of Helped. The cells have the
	// runs with Longest.
	Helpless []AdviceCell `json:"helpless,omitempty"`
	Helped   []AdviceCell `json:"helped,omitempty"`
	Command  string       `json:"command"`
}

// AdviceChange is the effect of one assumption on a lock, under the cause where it is largest.
type AdviceChange struct {
	Lock       string     `json:"lock"`       // label
	Assumption string     `json:"assumption"` // such as pauses
	Value      string     `json:"value"`      // such as twice as long
	Cause      string     `json:"cause"`
	Before     AdviceCell `json:"before"`
	After      AdviceCell `json:"after"`
}

// Clear reports whether the intervals before and after the change do not overlap.
func (c *AdviceChange) Clear() bool {
	return c.After.Low > c.Before.High || c.After.High < c.Before.Low
}

// Effect returns by how much the share of the runs that lose something changes.
func (c *AdviceChange) Effect() float64 { return c.After.Rate() - c.Before.Rate() }
