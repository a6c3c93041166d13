package checker

import (
	"fmt"
	"math"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/checker/internal/spread"
	"lockquake/history"
)

// Spread is a distribution of durations: the number of cases, the sum, the longest, and quantiles.
type Spread = spread.Spread

// Sum adds up durations, or other numbers that are not negative, beyond 64 bits.
type Sum = spread.Sum

// SumOf returns a sum with one term. A negative term counts as 0.
func SumOf[N ~int64](n N) Sum { return spread.SumOf(n) }

// Metrics are the figures of a lock that a monitor of its callers would show, and what the lock cost
// them. They follow from the history alone, except Commands and Requests, so they mean the same for every lock.
// Those of several runs can be added.
//
// The tag doc says exactly what a figure counts, and of a Spread also what its durations are; the
// reference prints it. Durations are virtual time, in nanoseconds in a file.
//
// Each section that ended is counted by its way in: Acquisitions, Refused, TimedOut or Failed. A
// section that is in none of them crashed while it waited, or still waited at the end of the run.
type Metrics struct {
	Jobs     int64 `json:"jobs" doc:"jobs that were asked for: sections, each with the attempts before it that failed, or units of work if several sections are asked to do one"`
	Finished int64 `json:"finished" doc:"jobs whose work was done and that no stale write undid"`

	DoneTwice int64 `json:"done_twice,omitempty" doc:"units of work, such as ticks, that took effect more than once"`
	Missed    int64 `json:"missed,omitempty" doc:"units of work that no section did, although none of those that were asked for it crashed or failed"`
	Left      int64 `json:"left,omitempty" doc:"units of work that no section did, and that a section left to another one: it was answered \"not obtained\""`

	Calls        int64  `json:"calls" doc:"sections that were asked for"`
	Acquisitions int64  `json:"acquisitions" doc:"sections that were let in"`
	Refused      Spread `json:"refused" doc:"sections that were answered \"not obtained\" without waiting, and the time from the call to the answer"`
	TimedOut     Spread `json:"timed_out" doc:"sections that waited without success: their context ended (a deadline or a cancel), or they were answered \"not obtained\" after they had asked again or had waited in the server's queue; and the time from the call to the answer"`
	Failed       Spread `json:"failed" doc:"sections that ended with any other answer before they were let in, such as unknown after a lost reply, and the time from the call to the answer"`

	Released      Spread `json:"released" doc:"sections that were let in and answered without an error of the lock (an error of their work does not count), and the time from the end of the work to the answer"`
	ReleaseFailed Spread `json:"release_failed" doc:"sections that were let in and answered with an error of the lock, such as lost or unknown, and the time from the end of the work to the answer"`

	Contended   int64 `json:"contended" doc:"sections that found the lock taken: a server refused them because of another section's grant, or let them wait in a queue until that grant ended, or another section held the lock when they ended without it"`
	ContendedOf int64 `json:"contended_of" doc:"sections of the runs in which the holders could be read; contention is contended as a share of these"`

	Wait Spread `json:"wait" doc:"the time from the call of a section to its entry"`
	Hold Spread `json:"hold" doc:"the time from the entry of a section to the end of its work, when the release begins"`

	Waiting     Sum   `json:"waiting" doc:"the time that all sections waited, with or without success; divided by time it is the average number of waiting sections"`
	MostWaiting int64 `json:"most_waiting" doc:"the most sections that waited for one lock at once"`

	Commands int64 `json:"commands" doc:"requests that reached a lock server"`
	Requests int64 `json:"requests,omitempty" doc:"requests that reached any server: of the lock, of the resource, and of effects outside"`
	Refusals int64 `json:"refusals" doc:"requests that found the lock taken; a section that polls has one for each attempt"`
	Renewals int64 `json:"renewals" doc:"renewals of leases"`

	LossesNoticed   int64  `json:"losses_noticed" doc:"sections whose grant ended while they were inside, and which were told of it, at the latest by their answer"`
	LossesUnnoticed int64  `json:"losses_unnoticed" doc:"sections whose grant ended while they were inside, and which were never told"`
	Notice          Spread `json:"notice" doc:"the time from a loss to its notice"`
	ActsAfterLoss   int64  `json:"acts_after_loss" doc:"operations of these sections that the resource accepted between the loss and its notice"`
	// A holder counts its lease from an earlier time than the server does. So a section that gives
	// up its lease at its end does so while the servers still hold it.
	GivenUp           int64 `json:"given_up" doc:"sections that were told of a loss, or answered lost, while the servers still held the lock for them"`
	GivenUpNeedlessly int64 `json:"given_up_needlessly" doc:"of those, the sections that violate the check needless-loss"`

	Tenure     Spread `json:"tenure" doc:"the time for which a section that was let in considered itself the holder: until it was told of a loss, ended its work, or its process ended"`
	TwoHolders Spread `json:"two_holders" doc:"the times in which two sections or more considered themselves the holder of one lock, and did not share it"`
	ActsOfTwo  int64  `json:"acts_of_two" doc:"operations of a section that the resource accepted while another section considered itself the holder of the same lock"`
	NoHolder   Spread `json:"no_holder" doc:"the times in which no section considered itself the holder of a lock, until the duration of the scenario has passed: no section begins after that"`

	Unavailable Sum `json:"unavailable" doc:"the time in which a section waited for a lock that no section used: it was free, or held for one that was gone"`
	Wasted      Sum `json:"wasted" doc:"the time spent in sections that had lost the lock or had a write refused"`

	Fairness float64 `json:"fairness" doc:"Jain's index of the acquisitions of each worker: 1 if all got the same number, 1/n if one of n got all; over several runs their mean"`
	Time     Sum     `json:"time" doc:"the length of all runs together"`
	Runs     int64   `json:"runs" doc:"the number of runs in these figures"`
}

// Losses returns the number of sections that lost the lock while they were inside.
func (m *Metrics) Losses() int64 { return m.LossesNoticed + m.LossesUnnoticed }

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
		{&m.DoneTwice, &o.DoneTwice},
		{&m.Missed, &o.Missed},
		{&m.Left, &o.Left},
		{&m.Calls, &o.Calls},
		{&m.Acquisitions, &o.Acquisitions},
		{&m.Contended, &o.Contended},
		{&m.ContendedOf, &o.ContendedOf},
		{&m.Commands, &o.Commands},
		{&m.Requests, &o.Requests},
		{&m.Refusals, &o.Refusals},
		{&m.Renewals, &o.Renewals},
		{&m.LossesNoticed, &o.LossesNoticed},
		{&m.LossesUnnoticed, &o.LossesUnnoticed},
		{&m.GivenUp, &o.GivenUp},
		{&m.GivenUpNeedlessly, &o.GivenUpNeedlessly},
		{&m.ActsAfterLoss, &o.ActsAfterLoss},
		{&m.ActsOfTwo, &o.ActsOfTwo},
	} {
		*f.sum += *f.more
	}
	for _, f := range []struct {
		sum  *Spread
		more Spread
	}{
		{&m.Refused, o.Refused},
		{&m.TimedOut, o.TimedOut},
		{&m.Failed, o.Failed},
		{&m.Released, o.Released},
		{&m.ReleaseFailed, o.ReleaseFailed},
		{&m.Wait, o.Wait},
		{&m.Hold, o.Hold},
		{&m.Notice, o.Notice},
		{&m.Tenure, o.Tenure},
		{&m.TwoHolders, o.TwoHolders},
		{&m.NoHolder, o.NoHolder},
	} {
		f.sum.Merge(f.more)
	}
	m.Waiting.Add(o.Waiting)
	m.MostWaiting = max(m.MostWaiting, o.MostWaiting)
	m.Unavailable.Add(o.Unavailable)
	m.Wasted.Add(o.Wasted)
	m.Time.Add(o.Time)
	if runs := m.Runs + o.Runs; runs > 0 {
		m.Fairness = (m.millionths() + o.millionths()) / (million * float64(runs))
		m.Runs = runs
	}
}

const million = 1_000_000

// millionths returns the sum of the fairness of all runs, each in whole millionths, so that the order
// of additions has no effect. The sum of a billion runs is known exactly from their mean.
func (m *Metrics) millionths() float64 { return math.Round(m.Fairness * million * float64(m.Runs)) }

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

// measure computes the metrics, except Commands and Requests, which no history shows, and those of
// the run as a whole. It adds the acquisitions of each worker to each.
func (in *input) measure(each map[string]float64) Metrics {
	book := in.Ledger()
	m := Metrics{Refusals: book.Refusals, Renewals: book.Renewals}
	m.Jobs, m.Finished = in.jobs()
	in.measureUnits(&m)
	readable := in.Meta.Unread == ""
	for _, s := range in.Sections {
		m.Calls++
		if readable {
			m.ContendedOf++
			if in.FoundTaken(s) {
				m.Contended++
			}
		}
		if s.Entered() {
			each[s.Worker]++
			in.measureInside(s, &m)
		} else if s.Return != 0 {
			in.measureOutside(s, &m)
		}
	}
	for _, group := range groups(in.Sections, lockOf) {
		in.measureQueue(group, &m)
		if !in.Meta.LockFree {
			in.measureTerms(group, &m)
		}
	}
	return m
}

// ofRun sets the figures of a run as a whole: its length, and how fair it was to its workers.
func (m *Metrics) ofRun(end time.Duration, workers []string, each map[string]float64) {
	m.Time, m.Runs, m.Fairness = SumOf(end), 1, jain(workers, each)
}

// measureOutside adds the figures of a section that was answered without being let in.
func (in *input) measureOutside(s *history.Section, m *Metrics) {
	counted := &m.Refused
	switch {
	case failed(s):
		counted = &m.Failed
	case s.Class == history.ClassCancelled, in.Waited(s):
		counted = &m.TimedOut
	}
	counted.Add(s.ReturnAt - s.CallAt)
}

// measureInside adds the figures of a section that was let in.
func (in *input) measureInside(s *history.Section, m *Metrics) {
	left, leftAt := in.WorkEnd(s)
	m.Acquisitions++
	m.Wait.Add(s.EnterAt - s.CallAt)
	m.Hold.Add(leftAt - s.EnterAt)
	switch {
	case s.Return == 0:
	case s.Class == history.ClassOK, bodyAlone(s):
		m.Released.Add(s.ReturnAt - leftAt)
	default:
		m.ReleaseFailed.Add(s.ReturnAt - leftAt)
	}
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
		m.Wasted.Add(SumOf(leftAt - s.EnterAt))
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

// measureQueue adds the figures of all waiters of one lock, whose sections are given: how long and
// how many they waited, and how long while no section was inside.
func (in *input) measureQueue(sections []*history.Section, m *Metrics) {
	times := func() []time.Duration { return make([]time.Duration, 0, len(sections)) }
	calls, waited, entered, left := times(), times(), times(), times() // when sections began and ended to wait, and to be inside
	for _, s := range sections {
		if s.Entered() {
			_, end := in.SectionEnd(s)
			entered, left = append(entered, s.EnterAt), append(left, end)
		}
		calls, waited = append(calls, s.CallAt), append(waited, in.WaitEnd(s))
	}
	for _, list := range [][]time.Duration{calls, waited, entered, left} {
		slices.Sort(list)
	}
	var last time.Duration
	waiting, inside := int64(0), int64(0)
	// passed counts those of a sorted list that are not later than at, and removes them.
	passed := func(list *[]time.Duration, at time.Duration) (n int64) {
		for len(*list) > 0 && (*list)[0] <= at {
			*list = (*list)[1:]
			n++
		}
		return n
	}
	for len(waited) > 0 || len(left) > 0 { // no section is called or let in after both have ended
		at := time.Duration(math.MaxInt64)
		for _, list := range [][]time.Duration{calls, waited, entered, left} {
			if len(list) > 0 {
				at = min(at, list[0])
			}
		}
		if d := at - last; waiting > 0 {
			m.Waiting.Add(SumOf(d * time.Duration(waiting)))
			m.MostWaiting = max(m.MostWaiting, waiting)
			if inside == 0 {
				m.Unavailable.Add(SumOf(d))
			}
		}
		waiting += passed(&calls, at) - passed(&waited, at)
		inside += passed(&entered, at) - passed(&left, at)
		last = at
	}
}
