package scenarios

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The steps of a range.
const (
	usualSteps = 10   // where the range does not say how many
	mostSteps  = 1000 // that it may ask for
	stepDigits = 3    // at least, of every value between the two ends
	wide       = 10   // the ratio of its ends from which a range goes in equal ratios
)

// Axis is a parameter and the values that it takes one after the other.
type Axis struct {
	Path   string   `json:"path"` // as in [Override]
	Values []string `json:"values"`
	// Log: the values are spread over so much that their ratios say more than
	// their differences.
	Log bool `json:"log,omitempty"`
}

// ParseAxis reads path=values. The values are a range of durations or numbers,
// from small to large, or a list:
//
//	lock.ttl=1s..30s         ten steps, in equal ratios if the range is wide
//	lock.ttl=1s..30s/20      twenty steps of equal length
//	lock.ttl=1s..30s/20log   twenty steps of equal ratio
//	lock.ttl=1s,2s,5s        these
//	resource.fence=off,writes
//
// Its error is a [*SettingError].
func ParseAxis(text string) (Axis, error) {
	path, values, found := strings.Cut(text, "=")
	if !found || path == "" || values == "" {
		return Axis{}, &SettingError{text, "write path=values, as in lock.ttl=1s..30s or lock.ttl=1s,2s,5s"}
	}
	axis := Axis{Path: path}
	var err error
	if span := regexp.MustCompile(`^([^,{}\[\]]+?)\.\.([^,{}\[\]]+?)(?:/(\d+)(log)?)?$`).FindStringSubmatch(values); span != nil {
		axis.Values, axis.Log, err = parseRange(span[1], span[2], span[3], span[4] != "")
	} else {
		axis.Values, axis.Log, err = parseList(values)
	}
	if err != nil {
		return Axis{}, &SettingError{text, err.Error()}
	}
	return axis, nil
}

// parseRange makes the steps of a range.
func parseRange(from, to, steps string, log bool) ([]string, bool, error) {
	low, okLow := parseQuantity(from)
	high, okHigh := parseQuantity(to)
	switch {
	case !okLow || !okHigh:
		return nil, false, fmt.Errorf("a range goes from one duration or number to another, not from %q to %q", from, to)
	case low.Duration != high.Duration:
		return nil, false, fmt.Errorf("%s and %s are not of one kind; give both a unit or none", from, to)
	case low.X >= high.X:
		return nil, false, fmt.Errorf("a range goes from small to large, not from %s to %s", from, to)
	}
	count := usualSteps
	if steps == "" {
		log = spread(low, high)
	} else {
		var err error
		if count, err = strconv.Atoi(steps); err != nil || count < 2 || count > mostSteps {
			return nil, false, fmt.Errorf("a range has 2 to %d steps, not %s", mostSteps, steps)
		}
	}
	if log && low.X <= 0 {
		return nil, false, fmt.Errorf("steps of equal ratio cannot begin at %s", from)
	}
	// A whole number at both ends means whole numbers between them.
	kind := low
	kind.Whole = low.Whole && high.Whole
	// Values are rounded as far as it leaves the steps alike.
	step := (high.X - low.X) / float64(count-1)
	if log {
		step = high.X * (1 - math.Pow(low.X/high.X, 1/float64(count-1)))
	}
	digits := max(stepDigits, 1+int(math.Ceil(math.Log10(max(math.Abs(low.X), math.Abs(high.X))/step))))
	values := []string{low.String()}
	for i := 1; i < count-1; i++ {
		share := float64(i) / float64(count-1)
		at := low.X + share*(high.X-low.X)
		if log {
			at = low.X * math.Pow(high.X/low.X, share)
		}
		values = append(values, kind.at(at, digits).String())
	}
	return slices.Compact(append(values, high.String())), log, nil
}

// spread reports whether ratios say more of the values between two than
// differences.
func spread(low, high Quantity) bool { return low.X > 0 && high.X >= wide*low.X }

// parseList takes a list apart. Durations and numbers are sorted, words keep
// their order.
func parseList(text string) ([]string, bool, error) {
	values := splitList(text)
	if slices.Contains(values, "") {
		return nil, false, fmt.Errorf("a value of the list %q is empty", text)
	}
	slices.SortStableFunc(values, func(a, b string) int {
		x, okX := parseQuantity(a)
		y, okY := parseQuantity(b)
		if !okX || !okY || x.Duration != y.Duration {
			return 0
		}
		return cmp.Compare(x.X, y.X)
	})
	values = slices.Compact(values)
	if len(values) < 2 {
		return nil, false, fmt.Errorf("one value is not varied; use --set, or give a range such as 1s..30s or a list")
	}
	quantities, ok := Axis{Values: values}.Quantities()
	return values, ok && spread(quantities[0], quantities[len(quantities)-1]), nil
}

// splitList cuts at the commas that stand in no brackets.
func splitList(text string) []string {
	var values []string
	depth, begin := 0, 0
	for i, r := range text {
		switch r {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				values = append(values, strings.TrimSpace(text[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(values, strings.TrimSpace(text[begin:]))
}

// Quantities are the values as what they measure, or false if they are not all
// durations or all numbers.
func (a Axis) Quantities() ([]Quantity, bool) {
	var all []Quantity
	for _, value := range a.Values {
		q, ok := parseQuantity(value)
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

// parseQuantity reads a duration such as 1.5s, or a number.
func parseQuantity(text string) (Quantity, bool) {
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

// at is another value of the same kind, rounded to a number of digits. The rounding
// also cuts off what differs between architectures.
func (q Quantity) at(x float64, digits int) Quantity {
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
