package results

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockquake/checker"
)

// Bound is what a scenario expects of one measure of a strategy over all runs,
// such as ">= 95 %", "<= 5s" or "0". The zero value expects nothing.
type Bound struct {
	Op   string  // "<=", ">=", "<", ">" or "="; "" is no bound
	X    float64 // in nanoseconds, a share of 1, or as it is
	Unit Unit
	text string
}

// Unit is what a figure is counted in.
type Unit string

// The units.
const (
	UnitNumber  Unit = ""
	UnitPercent Unit = "%"
	UnitTime    Unit = "time"
)

// measure is a figure of a strategy that an expectation can bound.
type Measure struct {
	Name  string
	Doc   string
	Units []Unit // that a bound of it can have
	// figure returns the value in a unit, and false where nothing was measured.
	figure func(m *checker.Metrics, u Unit) (float64, bool)
	Of     func(e *Expect) *Bound
}

// measures lists them.
func Measures() []Measure {
	return []Measure{
		{
			Name: "finished", Doc: "work that was done and took effect, of all that was asked for", Units: []Unit{UnitPercent},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Finished, m.Jobs }), Of: func(e *Expect) *Bound { return &e.Finished },
		},
		{
			Name: "refused", Doc: "sections that did not get the lock, of all", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Calls - m.Acquisitions, m.Calls }), Of: func(e *Expect) *Bound { return &e.Refused },
		},
		{
			Name: "lost", Doc: "sections that lost the lock while they worked, of those that got it", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.LossesNoticed + m.LossesUnnoticed, m.Acquisitions }),
			Of:     func(e *Expect) *Bound { return &e.Lost },
		},
		{
			Name: "given-up", Doc: "sections that gave up a lease needlessly, of those that got the lock", Units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.GivenUpNeedlessly, m.Acquisitions }),
			Of:     func(e *Expect) *Bound { return &e.GivenUp },
		},
		timeMeasure("wait-p50", "the wait for the lock that half of the sections do not exceed", waits((*checker.Spread).Median), func(e *Expect) *Bound { return &e.WaitP50 }),
		timeMeasure("wait-p99", "the wait for the lock that 99 % of the sections do not exceed", waits((*checker.Spread).P99), func(e *Expect) *Bound { return &e.WaitP99 }),
		timeMeasure("wait-max", "the longest wait for the lock", waits(longest), func(e *Expect) *Bound { return &e.WaitMax }),
		timeMeasure("hold-p50", "the time inside that half of the sections do not exceed", holds((*checker.Spread).Median), func(e *Expect) *Bound { return &e.HoldP50 }),
		timeMeasure("hold-p99", "the time inside that 99 % of the sections do not exceed", holds((*checker.Spread).P99), func(e *Expect) *Bound { return &e.HoldP99 }),
		timeMeasure("hold-max", "the longest time inside", holds(longest), func(e *Expect) *Bound { return &e.HoldMax }),
		{
			Name: "commands", Doc: "requests to the lock's servers for each acquisition", Units: []Unit{UnitNumber},
			figure: func(m *checker.Metrics, _ Unit) (float64, bool) { return m.CommandsEach(), m.Acquisitions > 0 },
			Of:     func(e *Expect) *Bound { return &e.Commands },
		},
	}
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

// example is a bound that fits the measure.
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

// boundPattern is how a bound is written: an operator, a number or a duration,
// and a percent sign.
const BoundPattern = `^\s*(<=|>=|<|>|=)?\s*([0-9][^\s%]*)\s*(%)?\s*$`

// ParseBound reads a bound such as ">= 95 %", "<= 5s" or "0", which stands for
// "= 0".
func ParseBound(text string) (Bound, error) {
	parts := regexp.MustCompile(BoundPattern).FindStringSubmatch(text)
	if parts == nil {
		return Bound{}, fmt.Errorf("%q is no bound such as \">= 95 %%\", \"<= 5s\" or \"0\"", text)
	}
	b := Bound{Op: parts[1], text: text}
	x, err := strconv.ParseFloat(parts[2], 64)
	if b.Op == "" {
		if err != nil || parts[3] != "" { // a share or a time is hardly ever met to the digit
			return Bound{}, fmt.Errorf("%q has no operator: write \">= %[1]s\" or \"<= %[1]s\"", strings.TrimSpace(text))
		}
		b.Op = "="
	}
	switch {
	case err == nil && parts[3] != "" && x <= 100:
		b.X, b.Unit = x/100, UnitPercent
		return b, nil
	case err == nil && parts[3] == "":
		b.X = x
		return b, nil
	}
	d, err := time.ParseDuration(parts[2])
	if err != nil || parts[3] != "" {
		return Bound{}, fmt.Errorf("%q is no bound such as \">= 95 %%\", \"<= 5s\" or \"0\"", text)
	}
	b.X, b.Unit = float64(d), UnitTime
	return b, nil
}

func (b Bound) String() string { return b.text }

// MarshalText implements encoding.TextMarshaler.
func (b Bound) MarshalText() ([]byte, error) { return []byte(b.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bound) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		return nil
	}
	*b, err = ParseBound(string(text))
	return err
}

// IsZero reports whether nothing is expected.
func (b Bound) IsZero() bool { return b.Op == "" }

// met reports whether a figure keeps to the bound.
func (b Bound) met(x float64) bool {
	switch b.Op {
	case "<=":
		return x <= b.X
	case ">=":
		return x >= b.X
	case "<":
		return x < b.X
	case ">":
		return x > b.X
	}
	return x == b.X
}

// BoundResult is what came of one bound.
type BoundResult struct {
	Measure string `json:"measure"`
	Bound   string `json:"bound"`
	Figure  string `json:"figure"` // what was measured, "" if nothing was
	Met     bool   `json:"met"`
}

func (r BoundResult) String() string {
	if r.Figure == "" {
		return fmt.Sprintf("%s was expected to be %s, and there was nothing to measure", r.Measure, r.Bound)
	}
	return fmt.Sprintf("%s was expected to be %s, and is %s", r.Measure, r.Bound, r.Figure)
}

// format writes a figure as people read it.
func (u Unit) format(x float64) string {
	switch u {
	case UnitPercent:
		return strconv.FormatFloat(x*100, 'f', 1, 64) + " %"
	case UnitTime:
		d := time.Duration(x)
		if d >= time.Second {
			return d.Round(time.Millisecond).String()
		}
		return d.Round(time.Microsecond).String()
	case UnitNumber:
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// judge compares the figures of all runs with the bounds.
func (e *Expect) Judge(m *checker.Metrics) []BoundResult {
	var results []BoundResult
	for _, x := range Measures() {
		b := x.Of(e)
		if b.IsZero() {
			continue
		}
		r := BoundResult{Measure: x.Name, Bound: b.text}
		if figure, ok := x.figure(m, b.Unit); ok {
			r.Figure, r.Met = b.Unit.format(figure), b.met(figure)
		}
		results = append(results, r)
	}
	return results
}

// bounds reports whether the expectation has a bound.
func (e *Expect) Bounded() bool { return len(e.Judge(&checker.Metrics{})) > 0 }

// Expect is what must be seen of one label. Violates names checks that must
// be violated in at least one run, Holds checks that must be valid in every
// run. The bounds are on measures over all runs.
type Expect struct {
	Holds    []string `yaml:"holds"`
	Violates []string `yaml:"violates"`
	Finished Bound    `yaml:"finished" json:"finished,omitzero"`
	Refused  Bound    `yaml:"refused" json:"refused,omitzero"`
	Lost     Bound    `yaml:"lost" json:"lost,omitzero"`
	GivenUp  Bound    `yaml:"given-up" json:"given-up,omitzero"`
	WaitP50  Bound    `yaml:"wait-p50" json:"wait-p50,omitzero"`
	WaitP99  Bound    `yaml:"wait-p99" json:"wait-p99,omitzero"`
	WaitMax  Bound    `yaml:"wait-max" json:"wait-max,omitzero"`
	HoldP50  Bound    `yaml:"hold-p50" json:"hold-p50,omitzero"`
	HoldP99  Bound    `yaml:"hold-p99" json:"hold-p99,omitzero"`
	HoldMax  Bound    `yaml:"hold-max" json:"hold-max,omitzero"`
	Commands Bound    `yaml:"commands" json:"commands,omitzero"`
}
