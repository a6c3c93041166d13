package results

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Axis is a parameter of a sweep with its values.
type Axis struct {
	Path   string   `json:"path"` // as in [Override]
	Values []string `json:"values"`
	// Log: the range of the values is so wide that plots have a logarithmic scale.
	Log bool `json:"log,omitempty"`
}

// Quantities returns the values as quantities. It returns false unless all are durations,
// or all are numbers.
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

// Quantity is a duration or a number.
type Quantity struct {
	X        float64 // in nanoseconds if it is a duration
	Duration bool
	Whole    bool // it is a whole number
}

// ParseQuantity reads a duration such as 1.5s, or a number. It returns false for
// anything else.
func ParseQuantity(text string) (Quantity, bool) {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "0123456789") {
		return Quantity{}, false // Inf is no number here
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

// String prints the value as in a scenario file.
func (q Quantity) String() string {
	switch {
	case q.Duration:
		return time.Duration(q.X).String()
	case q.Whole:
		return strconv.FormatInt(int64(q.X), 10)
	}
	return strconv.FormatFloat(q.X, 'f', -1, 64)
}

// At returns the value x as a quantity of the same kind, rounded to a number of digits. So
// the last bits, which differ between architectures, do not matter.
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
