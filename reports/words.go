package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// seconds prints a moment of a run, without its unit, to the millisecond or
// the microsecond.
func seconds(d, precision time.Duration) string {
	decimals := 3
	if precision < time.Millisecond {
		decimals = 6
	}
	return strconv.FormatFloat(d.Round(precision).Seconds(), 'f', decimals, 64)
}

// brief prints a moment where a hundredth of a second is enough.
func brief(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// short prints a length of time without digits that nobody reads.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Microsecond).String()
	}
	return d.String()
}

// rough prints a length of time to three digits: a quantile is good for no more.
func rough(d time.Duration) string {
	const digits = 1000
	unit := time.Duration(1)
	for d/unit >= digits {
		unit *= 10
	}
	return d.Round(unit).String()
}

// plain makes text from outside harmless: one line, no control characters,
// not longer than limit characters.
func plain(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// quoted prints a value of the resource.
func quoted(value string) string {
	if value == "" {
		return "nothing"
	}
	return plain(value, 20)
}

// percent prints a share of 1. Between the two ends it never claims to be at
// one of them.
func percent(x float64) string {
	switch {
	case x > 0 && x < 0.001:
		return strconv.FormatFloat(100*x, 'g', 2, 64) + " %"
	case x < 1 && x >= 0.9995:
		return "> 99.9 %"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
}

// wholePercent prints a share of 1 without decimals. Between the two ends it does
// not claim to be at one of them.
func wholePercent(rate float64) string {
	switch {
	case rate > 0 && rate < 0.005:
		return "< 1"
	case rate < 1 && rate >= 0.995:
		return "> 99"
	}
	return fmt.Sprintf("%.0f", 100*rate)
}

// interval prints a confidence interval of a share of 1.
func interval(low, high float64) string {
	return strings.TrimSuffix(percent(low), " %") + " to " + percent(high)
}

// below prints the bound of a rate of which nothing was seen, rounded up to two
// digits.
func below(bound float64) string {
	if bound >= 1 {
		return "nothing known"
	}
	unit := math.Pow(10, math.Floor(math.Log10(100*bound))-1)
	// What is a whole number of units but for its last bits stays one.
	const slack = 1e-9
	return "fewer than " + strconv.FormatFloat(math.Ceil(100*bound/unit-slack)*unit, 'g', 2, 64) + " %"
}

// thousands writes a number with a comma between its groups.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// figure prints a number to three digits.
func figure(x float64) string {
	if x >= 1000 {
		return thousands(int(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// count prints a number with its noun, in the plural where it needs it.
func count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
