package scenarios

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockquake/scenarios/results"
)

// The steps of a range.
const (
	usualSteps = 10   // if the range does not set a number
	mostSteps  = 1000 // that it may ask for
	stepDigits = 3    // at least, of every value between the two ends
	wide       = 10   // from this ratio of its ends on, a range has steps of equal ratio
)

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
func ParseAxis(text string) (results.Axis, error) {
	path, values, found := strings.Cut(text, "=")
	if !found || path == "" || values == "" {
		return results.Axis{}, &SettingError{text, "write path=values, as in lock.ttl=1s..30s or lock.ttl=1s,2s,5s"}
	}
	if slices.Contains([]string{"name", "description", "source"}, path) {
		return results.Axis{}, &SettingError{text, path + " changes no run"}
	}
	axis := results.Axis{Path: path}
	var err error
	if span := regexp.MustCompile(`^([^,{}\[\]]+?)\.\.([^,{}\[\]]+?)(?:/(\d+)(log)?)?$`).FindStringSubmatch(values); span != nil {
		axis.Values, axis.Log, err = parseRange(span[1], span[2], span[3], span[4] != "")
	} else {
		axis.Values, axis.Log, err = parseList(values)
	}
	if err != nil {
		return results.Axis{}, &SettingError{text, err.Error()}
	}
	return axis, nil
}

// parseRange returns the steps of a range.
func parseRange(from, to, steps string, log bool) ([]string, bool, error) {
	low, okLow := results.ParseQuantity(from)
	high, okHigh := results.ParseQuantity(to)
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
		log = wideRange(low, high)
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
	// Round the values as long as the steps stay about equal.
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
		values = append(values, kind.At(at, digits).String())
	}
	return slices.Compact(append(values, high.String())), log, nil
}

// wideRange reports whether the ratio of two values is large enough for steps of equal ratio.
func wideRange(low, high results.Quantity) bool { return low.X > 0 && high.X >= wide*low.X }

// parseList splits a list. It sorts durations and numbers; words keep their order.
func parseList(text string) ([]string, bool, error) {
	values := splitList(text)
	if slices.Contains(values, "") {
		return nil, false, fmt.Errorf("a value of the list %q is empty", text)
	}
	slices.SortStableFunc(values, func(a, b string) int {
		x, okX := results.ParseQuantity(a)
		y, okY := results.ParseQuantity(b)
		if !okX || !okY || x.Duration != y.Duration {
			return 0
		}
		return cmp.Compare(x.X, y.X)
	})
	values = slices.Compact(values)
	if len(values) < 2 {
		return nil, false, fmt.Errorf("one value is not varied; use --set, or give a range such as 1s..30s or a list")
	}
	quantities, ok := results.Axis{Values: values}.Quantities()
	return values, ok && wideRange(quantities[0], quantities[len(quantities)-1]), nil
}

// splitList splits at the commas outside of brackets.
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
