package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/internal/strictyaml"
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
type measure struct {
	name  string
	doc   string
	units []Unit // that a bound of it can have
	// figure returns the value in a unit, and false where nothing was measured.
	figure func(m *checker.Metrics, u Unit) (float64, bool)
	of     func(e *Expect) *Bound
}

// measures lists them.
func measures() []measure {
	return []measure{
		{
			name: "finished", doc: "work that was done and took effect, of all that was asked for", units: []Unit{UnitPercent},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Finished, m.Jobs }), of: func(e *Expect) *Bound { return &e.Finished },
		},
		{
			name: "refused", doc: "sections that did not get the lock, of all", units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.Calls - m.Acquisitions, m.Calls }), of: func(e *Expect) *Bound { return &e.Refused },
		},
		{
			name: "lost", doc: "sections that lost the lock while they worked, of those that got it", units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.LossesNoticed + m.LossesUnnoticed, m.Acquisitions }),
			of:     func(e *Expect) *Bound { return &e.Lost },
		},
		{
			name: "given-up", doc: "sections that gave up a lease needlessly, of those that got the lock", units: []Unit{UnitPercent, UnitNumber},
			figure: share(func(m *checker.Metrics) (int64, int64) { return m.GivenUpNeedlessly, m.Acquisitions }),
			of:     func(e *Expect) *Bound { return &e.GivenUp },
		},
		timeMeasure("wait-p50", "the wait for the lock that half of the sections do not exceed", waits((*checker.Spread).Median), func(e *Expect) *Bound { return &e.WaitP50 }),
		timeMeasure("wait-p99", "the wait for the lock that 99 % of the sections do not exceed", waits((*checker.Spread).P99), func(e *Expect) *Bound { return &e.WaitP99 }),
		timeMeasure("wait-max", "the longest wait for the lock", waits(longest), func(e *Expect) *Bound { return &e.WaitMax }),
		timeMeasure("hold-p50", "the time inside that half of the sections do not exceed", holds((*checker.Spread).Median), func(e *Expect) *Bound { return &e.HoldP50 }),
		timeMeasure("hold-p99", "the time inside that 99 % of the sections do not exceed", holds((*checker.Spread).P99), func(e *Expect) *Bound { return &e.HoldP99 }),
		timeMeasure("hold-max", "the longest time inside", holds(longest), func(e *Expect) *Bound { return &e.HoldMax }),
		{
			name: "commands", doc: "requests to the lock's servers for each acquisition", units: []Unit{UnitNumber},
			figure: func(m *checker.Metrics, _ Unit) (float64, bool) { return m.CommandsEach(), m.Acquisitions > 0 },
			of:     func(e *Expect) *Bound { return &e.Commands },
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

func timeMeasure(name, doc string, figure func(*checker.Metrics, Unit) (float64, bool), of func(*Expect) *Bound) measure {
	return measure{name: name, doc: doc, units: []Unit{UnitTime}, figure: figure, of: of}
}

func waits(of func(*checker.Spread) time.Duration) func(*checker.Metrics, Unit) (float64, bool) {
	return func(m *checker.Metrics, _ Unit) (float64, bool) { return float64(of(&m.Wait)), m.Wait.N > 0 }
}

func holds(of func(*checker.Spread) time.Duration) func(*checker.Metrics, Unit) (float64, bool) {
	return func(m *checker.Metrics, _ Unit) (float64, bool) { return float64(of(&m.Hold)), m.Hold.N > 0 }
}

func longest(s *checker.Spread) time.Duration { return s.Max }

// example is a bound that fits the measure.
func (m measure) example() string {
	switch m.units[0] {
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
const boundPattern = `^\s*(<=|>=|<|>|=)?\s*([0-9][^\s%]*)\s*(%)?\s*$`

// ParseBound reads a bound such as ">= 95 %", "<= 5s" or "0", which stands for
// "= 0".
func ParseBound(text string) (Bound, error) {
	parts := regexp.MustCompile(boundPattern).FindStringSubmatch(text)
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
	case err == nil && parts[3] != "" && x <= percent:
		b.X, b.Unit = x/percent, UnitPercent
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

// decodeBound reads a bound of a file.
func decodeBound(n *strictyaml.Node, into *Bound) error {
	b, err := ParseBound(n.Text())
	if err != nil {
		return n.Errorf("%s: %v", n.Path(), err)
	}
	*into = b
	return nil
}

// ParseBounds reads bounds as a command takes them: the name of a measure and a
// bound, such as "finished >= 99 %".
func ParseBounds(texts []string) (Expect, error) {
	var e Expect
	for _, text := range texts {
		name := strings.TrimRight(text[:len(text)-len(strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyz0123456789-"))], " ")
		all := measures()
		i := slices.IndexFunc(all, func(m measure) bool { return m.name == name })
		if i < 0 {
			var names []string
			for _, m := range all {
				names = append(names, m.name)
			}
			return e, &SettingError{text, strictyaml.Unknown("measure", name, names)}
		}
		b, err := ParseBound(text[len(name):])
		switch {
		case err != nil:
			return e, &SettingError{text, err.Error()}
		case !slices.Contains(all[i].units, b.Unit):
			return e, &SettingError{text, fmt.Sprintf("%s is %s, so its bound is like %s", name, all[i].doc, all[i].example())}
		}
		*all[i].of(&e) = b
	}
	return e, nil
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

// judge compares the figures of all runs with the bounds.
func (e *Expect) judge(m *checker.Metrics) []BoundResult {
	var results []BoundResult
	for _, x := range measures() {
		b := x.of(e)
		if b.IsZero() {
			continue
		}
		r := BoundResult{Measure: x.name, Bound: b.text}
		if figure, ok := x.figure(m, b.Unit); ok {
			r.Figure, r.Met = b.Unit.format(figure), b.met(figure)
		}
		results = append(results, r)
	}
	return results
}

// bounds reports whether the expectation has a bound.
func (e *Expect) bounds() bool { return len(e.judge(&checker.Metrics{})) > 0 }

// format writes a figure as people read it.
func (u Unit) format(x float64) string {
	switch u {
	case UnitPercent:
		return strconv.FormatFloat(x*percent, 'f', 1, 64) + " %"
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
