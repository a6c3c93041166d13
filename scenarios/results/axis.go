package results

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Axis is a parameter and the values that it takes one after the other.
type Axis struct {
	Path   string   `json:"path"` // as in [Override]
	Values []string `json:"values"`
	// Log: the values are spread over so much that their ratios say more than
	// their differences.
	Log bool `json:"log,omitempty"`
}

// Quantities are the values as what they measure, or false if they are not all
// durations or all numbers.
func (a Axis) Quantities() ([]Quantity, bool) {
	var all []Quantity
	for _, value := range a.Values {
		q, ok := ParseQuantity(value)
		if !ok || q.Duration != (len(all) > 0 && all[0].Duration || len(all) == 0 && q.Duration) {
			return nil, false
		}
		all = append(all, q)
	}
	return all, true
}

// Quantity is a value that can be measured.
type Quantity struct {
	X        float64 // in nanoseconds if it is a duration
	Duration bool
	Whole    bool // of a number: it has no decimals
}

// ParseQuantity reads a duration such as 1.5s, or a number. It returns false for
// anything else.
func ParseQuantity(text string) (Quantity, bool) {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "0123456789") {
		return Quantity{}, false // nor is Inf a number here
	}
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Quantity{X: float64(whole), Whole: true}, true
	}
	if d, err := time.ParseDuration(text); err == nil {
		return Quantity{X: float64(d), Duration: true}, true
	}
	x, err := strconv.ParseFloat(text, 64)
	return Quantity{X: x}, err == nil
}

// String gives the value as a scenario file has it.
func (q Quantity) String() string {
	switch {
	case q.Duration:
		return time.Duration(q.X).String()
	case q.Whole:
		return strconv.FormatInt(int64(q.X), 10)
	}
	return strconv.FormatFloat(q.X, 'f', -1, 64)
}

// At returns another value of the same kind, rounded to a number of digits. The rounding
// also cuts off what differs between architectures.
func (q Quantity) At(x float64, digits int) Quantity {
	if q.Whole {
		q.X = math.Round(x)
		return q
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		rounded = x
	}
	if q.Duration {
		rounded = math.Round(rounded)
	}
	q.X = rounded
	return q
}
