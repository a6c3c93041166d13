package results

import (
	"fmt"
	"time"

	"lockquake/checker"
)

// Measure is a figure of a strategy that an expectation can bound.
type Measure struct {
	Name  string
	Doc   string
	Units []Unit // the units that its bounds can have
	// figure returns the value in a unit, or false if nothing was measured.
	figure func(m *checker.Metrics, u Unit) (float64, bool)
	// Of returns the bound of an expectation for this measure.
	Of func(e *Expect) *Bound
}

// Measures lists the measures, in the order of the fields of [Expect].
func Measures() []Measure {
	return []Measure{
		{
			Name: "finished", Doc: "work that was done and that no stale write undid, of all that was asked for", Units: []Unit{UnitPercent},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Finished, m.Jobs }), Of: func(e *Expect) *Bound { return &e.Finished },
		},
		shareOfCalls("acquired", "sections that got the lock, of all", func(m *checker.Metrics) int64 { return m.Acquisitions }, func(e *Expect) *Bound { return &e.Acquired }),
		shareOfCalls("refused", "sections that were refused the lock without waiting, of all", func(m *checker.Metrics) int64 { return m.Refused.N }, func(e *Expect) *Bound { return &e.Refused }),
		shareOfCalls("timed-out", "sections that waited for the lock without success, of all", func(m *checker.Metrics) int64 { return m.TimedOut.N }, func(e *Expect) *Bound { return &e.TimedOut }),
		shareOfCalls("failed", "sections that did not get the lock because of an error, of all", func(m *checker.Metrics) int64 { return m.Failed.N }, func(e *Expect) *Bound { return &e.Failed }),
		{
			Name: "contended", Doc: "sections that found the lock taken, of all", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Contended, m.ContendedOf }), Of: func(e *Expect) *Bound { return &e.Contended },
		},
		{
			Name: "lost", Doc: "sections that lost the lock while they worked, of those that got it", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Losses(), m.Acquisitions }), Of: func(e *Expect) *Bound { return &e.Lost },
		},
		{
			Name: "given-up", Doc: "sections that gave up a lease needlessly, of those that got the lock", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.GivenUpNeedlessly, m.Acquisitions }),
			Of:     func(e *Expect) *Bound { return &e.GivenUp },
		},
		timeMeasure("wait-p50", "the wait for the lock that half of the sections do not exceed", waits((*checker.Spread).Median), func(e *Expect) *Bound { return &e.WaitP50 }),
		timeMeasure("wait-p90", "the wait for the lock that 90 % of the sections do not exceed", waits((*checker.Spread).P90), func(e *Expect) *Bound { return &e.WaitP90 }),
		timeMeasure("wait-p99", "the wait for the lock that 99 % of the sections do not exceed", waits((*checker.Spread).P99), func(e *Expect) *Bound { return &e.WaitP99 }),
		timeMeasure("wait-max", "the longest wait for the lock", waits(longest), func(e *Expect) *Bound { return &e.WaitMax }),
		timeMeasure("hold-p50", "the time inside that half of the sections do not exceed", holds((*checker.Spread).Median), func(e *Expect) *Bound { return &e.HoldP50 }),
		timeMeasure("hold-p90", "the time inside that 90 % of the sections do not exceed", holds((*checker.Spread).P90), func(e *Expect) *Bound { return &e.HoldP90 }),
		timeMeasure("hold-p99", "the time inside that 99 % of the sections do not exceed", holds((*checker.Spread).P99), func(e *Expect) *Bound { return &e.HoldP99 }),
		timeMeasure("hold-max", "the longest time inside", holds(longest), func(e *Expect) *Bound { return &e.HoldMax }),
		{
			Name: "commands", Doc: "requests to the lock's servers for each acquisition", Units: []Unit{UnitNumber},
			figure: func(m *checker.Metrics, _ Unit) (float64, bool) { return m.CommandsEach(), m.Acquisitions > 0 },
			Of:     func(e *Expect) *Bound { return &e.Commands },
		},
	}
}

func shareOfCalls(name, doc string, count func(*checker.Metrics) int64, of func(*Expect) *Bound) Measure {
	figure := share(func(m *checker.Metrics) (int64, int64) { return count(m), m.Calls })
	return Measure{Name: name, Doc: doc, Units: []Unit{UnitPercent, UnitNumber}, figure: figure, Of: of}
}

func share(counts func(*checker.Metrics) (some, all int64)) func(*checker.Metrics, Unit) (float64, bool) {
	return func(m *checker.Metrics, u Unit) (float64, bool) {
		some, all := counts(m)
		switch {
		case all == 0:
			return 0, false
		case u == UnitPercent:
			return float64(some) / float64(all), true
		}
		return float64(some), true
	}
}

func timeMeasure(name, doc string, figure func(*checker.Metrics, Unit) (float64, bool), of func(*Expect) *Bound) Measure {
	return Measure{Name: name, Doc: doc, Units: []Unit{UnitTime}, figure: figure, Of: of}
}

func waits(of func(*checker.Spread) time.Duration) func(*checker.Metrics, Unit) (float64, bool) {
	return func(m *checker.Metrics, _ Unit) (float64, bool) { return float64(of(&m.Wait)), m.Wait.N > 0 }
}

func holds(of func(*checker.Spread) time.Duration) func(*checker.Metrics, Unit) (float64, bool) {
	return func(m *checker.Metrics, _ Unit) (float64, bool) { return float64(of(&m.Hold)), m.Hold.N > 0 }
}

func longest(s *checker.Spread) time.Duration { return s.Max }

// Misfit says what is wrong with a bound whose unit is not one of the measure's, and gives an example.
func (m Measure) Misfit(b Bound) string {
	wrong := "has the wrong unit"
	switch {
	case b.Op == "=":
		wrong = "has no comparison"
	case b.Unit == UnitNumber:
		wrong = "has no unit"
	}
	return fmt.Sprintf("%q %s; write a bound such as %s", b, wrong, m.Example())
}

// Example returns a bound with a unit of the measure, for error messages.
func (m Measure) Example() string {
	switch m.Units[0] {
	case UnitPercent:
		return `">= 95 %"`
	case UnitTime:
		return `"<= 5s"`
	case UnitNumber:
	}
	return `"<= 20"`
}
