package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/checker/internal/spread"
	"lockquake/history"
)

// Spread is a distribution of durations: the number of cases, the sum, the longest, and quantiles.
type Spread = spread.Spread

// Metrics are figures about what a lock cost its users. Those of several runs can be added.
type Metrics struct {
	// Jobs counts the jobs that were asked for (see the glossary), Finished those whose work was
	// done and took effect.
	Jobs     int64 `json:"jobs"`
	Finished int64 `json:"finished"`

	Calls        int64 `json:"calls"`        // sections that were asked for
	Acquisitions int64 `json:"acquisitions"` // of those, the sections that were let in
	NotObtained  int64 `json:"not_obtained"` // of those, the sections that were answered "not obtained"
	Unknown      int64 `json:"unknown"`      // of those, the sections that got no answer in time
	Commands     int64 `json:"commands"`     // requests that reached a lock server
	Refusals     int64 `json:"refusals"`     // of those, the requests that found the lock taken
	Renewals     int64 `json:"renewals"`

	// Losses are sections whose grant ended while they were inside. A loss is noticed when the
	// holder is told of it, at the latest by its answer.
	LossesNoticed   int64 `json:"losses_noticed"`
	LossesUnnoticed int64 `json:"losses_unnoticed"`
	// GivenUp counts sections that gave up their lease while the servers still held it for them:
	// they were told of a loss, or answered lost. That is right at the end of a lease, since a
	// holder counts it from an earlier time than the server does. GivenUpNeedlessly counts those
	// that violate the check needless-loss.
	GivenUp           int64 `json:"given_up"`
	GivenUpNeedlessly int64 `json:"given_up_needlessly"`
	// Notice is the time from a loss to its notice. ActsAfterLoss counts the operations of such
	// sections that the resource accepted in between.
	Notice        Spread `json:"notice"`
	ActsAfterLoss int64  `json:"acts_after_loss"`

	Wait Spread `json:"wait"` // from the call until the worker is let in
	Hold Spread `json:"hold"` // from there until the work is left

	// Unavailable is how long somebody waited for a lock that nobody used: it was free, or
	// orphaned. Wasted is the time spent in sections that had lost the lock or had a write refused.
	Unavailable time.Duration `json:"unavailable"`
	Wasted      time.Duration `json:"wasted"`
	Time        time.Duration `json:"time"` // of all runs

	// Fairness is Jain's index of the acquisitions of each worker: 1 if all got the same number,
	// 1/n if one of n got all. Over several runs it is the mean.
	Fairness float64 `json:"fairness"`
	Runs     int64   `json:"runs"` // the number of runs in these figures
}

// CommandsEach returns the number of requests for each acquisition, 0 if there was none.
func (m *Metrics) CommandsEach() float64 {
	if m.Acquisitions == 0 {
		return 0
	}
	return float64(m.Commands) / float64(m.Acquisitions)
}

// Add adds the figures of other runs.
func (m *Metrics) Add(o *Metrics) {
	for _, f := range []struct{ sum, more *int64 }{
		{&m.Jobs, &o.Jobs},
		{&m.Finished, &o.Finished},
		{&m.Calls, &o.Calls},
		{&m.Acquisitions, &o.Acquisitions},
		{&m.NotObtained, &o.NotObtained},
		{&m.Unknown, &o.Unknown},
		{&m.Commands, &o.Commands},
		{&m.Refusals, &o.Refusals},
		{&m.Renewals, &o.Renewals},
		{&m.LossesNoticed, &o.LossesNoticed},
		{&m.LossesUnnoticed, &o.LossesUnnoticed},
		{&m.GivenUp, &o.GivenUp},
		{&m.GivenUpNeedlessly, &o.GivenUpNeedlessly},
		{&m.ActsAfterLoss, &o.ActsAfterLoss},
	} {
		*f.sum += *f.more
	}
	m.Notice.Merge(o.Notice)
	m.Wait.Merge(o.Wait)
	m.Hold.Merge(o.Hold)
	m.Unavailable += o.Unavailable
	m.Wasted += o.Wasted
	m.Time += o.Time
	if runs := m.Runs + o.Runs; runs > 0 {
		m.Fairness = (m.Fairness*float64(m.Runs) + o.Fairness*float64(o.Runs)) / float64(runs)
		m.Runs = runs
	}
}

// fewFinished: a lock is hardly tested if fewer than 1/fewFinished of its jobs were finished.
const fewFinished = 100

// Untested says why a lock without violations is not a pass: hardly any work was finished under it.
// It returns "" if enough was.
func (m *Metrics) Untested() string {
	switch {
	case m.Finished == 0:
		return fmt.Sprintf("finished 0 of %d, so nothing was tested", m.Jobs)
	case m.Finished*fewFinished < m.Jobs:
		return fmt.Sprintf("finished %d of %d, less than 1 %%, so hardly anything was tested", m.Finished, m.Jobs)
	}
	return ""
}

// measure computes the metrics, except Commands, which no history shows.
func (in *input) measure() Metrics {
	book := in.Ledger()
	m := Metrics{Time: in.EndAt(), Runs: 1, Refusals: book.Refusals, Renewals: book.Renewals}
	m.Jobs, m.Finished = in.jobs()
	each := make(map[string]float64, len(in.Meta.Workers))
	for _, s := range in.Sections {
		m.Calls++
		if s.Entered() {
			each[s.Worker]++
			in.measureInside(s, &m)
			continue
		}
		switch s.Class {
		case history.ClassNotObtained:
			m.NotObtained++
		case history.ClassUnknown:
			m.Unknown++
		default:
		}
	}
	m.Fairness = jain(in.Meta.Workers, each)
	for _, group := range groups(in.Sections, lockOf) {
		m.Unavailable += in.unavailable(group)
	}
	return m
}

// measureInside adds the figures of a section that was let in.
func (in *input) measureInside(s *history.Section, m *Metrics) {
	left, leftAt := in.WorkEnd(s)
	m.Acquisitions++
	m.Wait.Add(s.EnterAt - s.CallAt)
	m.Hold.Add(leftAt - s.EnterAt)
	wasted := s.Class == history.ClassLost
	for _, o := range s.Ops {
		wasted = wasted || o.Write() && in.Effect(o) == evidence.Refused
	}
	if seq, at := in.givenUp(s); seq != 0 {
		m.GivenUp++
		if in.needless(s, at) != "" {
			m.GivenUpNeedlessly++
		}
	}
	lost, lostAt := in.LossOf(s)
	if lost < left {
		wasted = true
		notice, noticeAt := s.Told, s.ToldAt
		if notice == 0 && s.Class == history.ClassLost {
			notice, noticeAt = s.Return, s.ReturnAt
		}
		if notice != 0 {
			m.LossesNoticed++
			m.Notice.Add(noticeAt - lostAt)
		} else {
			m.LossesUnnoticed++
			notice = evidence.Forever
		}
		for _, o := range s.Ops {
			if at := evidence.EffectSeq(o); in.Effect(o) == evidence.Accepted && at > lost && at < notice {
				m.ActsAfterLoss++
			}
		}
	}
	if wasted {
		m.Wasted += leftAt - s.EnterAt
	}
}

// jain returns Jain's index of fairness. Workers that got nothing count too.
func jain(workers []string, each map[string]float64) float64 {
	var sum, squares float64
	for _, w := range workers {
		x := each[w]
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(workers)) * squares)
}

// unavailable returns the total time in which somebody waited for the lock of these sections while
// nobody was inside.
func (in *input) unavailable(sections []*history.Section) time.Duration {
	type change struct {
		at              time.Duration
		waiting, inside int
	}
	changes := make([]change, 0, 4*len(sections))
	for _, s := range sections {
		entered := in.WaitEnd(s)
		if s.Entered() {
			_, end := in.SectionEnd(s)
			changes = append(changes, change{s.EnterAt, 0, 1}, change{end, 0, -1})
		}
		changes = append(changes, change{s.CallAt, 1, 0}, change{entered, -1, 0})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var total, last time.Duration
	waiting, inside := 0, 0
	for _, c := range changes {
		if waiting > 0 && inside == 0 {
			total += c.at - last
		}
		waiting, inside, last = waiting+c.waiting, inside+c.inside, c.at
	}
	return total
}
