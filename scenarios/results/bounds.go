package results

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Bound is a limit for one measure of a strategy over all runs, such as ">= 95 %", "<= 5s"
// or "0". The zero value is no bound.
type Bound struct {
	Op   string  // "<=", ">=", "<", ">" or "="; "" is no bound
	X    float64 // nanoseconds for a time, a share of 1 for percent, else the number
	Unit Unit
	text string
}

// Unit is the unit of a figure.
type Unit string

// The units.
const (
	UnitNumber  Unit = ""
	UnitPercent Unit = "%"
	UnitTime    Unit = "time"
)

// BoundPattern is the notation of a bound: an operator, a number or a duration,
// and a percent sign.
const BoundPattern = `^\s*(<=|>=|<|>|=)?\s*([0-9][^\s%]*)\s*(%)?\s*$`

// ParseBound reads a bound such as ">= 95 %", "<= 5s" or "0", which stands for
// "= 0".
func ParseBound(text string) (Bound, error) {
	parts := regexp.MustCompile(BoundPattern).FindStringSubmatch(text)
	if parts == nil {
		return Bound{}, fmt.Errorf("%q is not a bound such as \">= 95 %%\", \"<= 5s\" or \"0\"", text)
	}
	b := Bound{Op: parts[1], text: text}
	x, err := strconv.ParseFloat(parts[2], 64)
	if b.Op == "" {
		if err != nil || parts[3] != "" { // equality makes no sense for a share or a time
			return Bound{}, fmt.Errorf("%q has no comparison: write \">= %[1]s\" or \"<= %[1]s\"", strings.TrimSpace(text))
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
		return Bound{}, fmt.Errorf("%q is not a bound such as \">= 95 %%\", \"<= 5s\" or \"0\"", text)
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

// IsZero reports whether there is no bound.
func (b Bound) IsZero() bool { return b.Op == "" }

// met reports whether a figure is within the bound.
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

// BoundResult is the result for one bound.
type BoundResult struct {
	Measure string `json:"measure"`
	Bound   string `json:"bound"`
	Figure  string `json:"figure"` // the measured value, "" if nothing was measured
	Met     bool   `json:"met"`
}

func (r BoundResult) String() string {
	if r.Figure == "" {
		return fmt.Sprintf("%s was expected to be %s, and there was nothing to measure", r.Measure, r.Bound)
	}
	return fmt.Sprintf("%s was expected to be %s, and is %s", r.Measure, r.Bound, r.Figure)
}

// format prints a figure with its unit.
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
