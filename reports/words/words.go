package words

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Seconds prints a time of a run in seconds, without the unit: to the microsecond if
// precision is below a millisecond, else to the millisecond.
func Seconds(d, precision time.Duration) string {
	decimals := 3
	if precision < time.Millisecond {
		decimals = 6
	}
	return strconv.FormatFloat(d.Round(precision).Seconds(), 'f', decimals, 64)
}

// Brief prints a time of a run to a hundredth of a second, as 0.10s.
func Brief(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// Short prints a duration to the millisecond, or to the microsecond below a second.
func Short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Microsecond).String()
	}
	return d.String()
}

// Rough prints a duration to three digits, which is how precise a quantile is.
func Rough(d time.Duration) string {
	const digits = 1000
	unit := time.Duration(1)
	for d/unit >= digits {
		unit *= 10
	}
	return d.Round(unit).String()
}

// Plain makes text from outside safe to print: one line, without control characters,
// at most limit characters long.
func Plain(text string, limit int) string {
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

// Quoted prints a value of the resource, and "nothing" for "".
func Quoted(value string) string {
	if value == "" {
		return "nothing"
	}
	return Plain(value, 20)
}

// Percent prints a share of 1 as a percentage. A share between 0 and 1 is never
// rounded to 0 or 1.
func Percent(x float64) string {
	switch {
	case x > 0 && x < 0.001:
		return strconv.FormatFloat(100*x, 'g', 2, 64) + " %"
	case x < 1 && x >= 0.9995:
		return "> 99.9 %"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
}

// WholePercent prints a share of 1 as a whole number of percent. A share between 0 and 1
// is never rounded to 0 or 1.
func WholePercent(rate float64) string {
	switch {
	case rate > 0 && rate < 0.005:
		return "< 1"
	case rate < 1 && rate >= 0.995:
		return "> 99"
	}
	return fmt.Sprintf("%.0f", 100*rate)
}

// RoughPercent prints a share of 1 in percent, without the sign, to a tenth or two digits where
// that matters. A share between 0 and 1 is never rounded to 0 or 1.
func RoughPercent(rate float64) string {
	switch {
	case rate > 0 && rate < 0.001:
		return strconv.FormatFloat(100*rate, 'g', 2, 64)
	case rate < 1 && rate >= 0.9995:
		return "99.9"
	case rate >= 0.0995 && rate < 0.9905 || rate == 0 || rate == 1:
		return strconv.FormatFloat(100*rate, 'f', 0, 64)
	}
	return strconv.FormatFloat(100*rate, 'f', 1, 64)
}

// Interval prints a confidence interval of a share of 1 as percentages.
func Interval(low, high float64) string {
	return strings.TrimSuffix(Percent(low), " %") + " to " + Percent(high)
}

// Below prints an upper bound of a share of 1 of which no case was seen, rounded up to
// two digits.
func Below(bound float64) string {
	if bound >= 1 {
		return "nothing known"
	}
	unit := math.Pow(10, math.Floor(math.Log10(100*bound))-1)
	// What is a whole number of units but for its last bits stays one.
	const slack = 1e-9
	return "fewer than " + strconv.FormatFloat(math.Ceil(100*bound/unit-slack)*unit, 'g', 2, 64) + " %"
}

// Thousands prints a number with commas between its groups of three digits.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Figure prints a number to three digits, or as a whole number from 1,000 on.
func Figure(x float64) string {
	if x >= 1000 {
		return Thousands(int(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Count prints a number with its noun, in the plural if needed: "2 strategies".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Counted prints a number with its noun as Count does, with commas.
func Counted(n int, noun string) string {
	_, noun, _ = strings.Cut(Count(n, noun), " ")
	return Thousands(n) + " " + noun
}

// Labelled prints the label of a use with its strategy in brackets. It leaves the strategy
// out if it is the same word or "" (not known).
func Labelled(label, strategy string) string {
	if strategy == "" || strategy == label {
		return Plain(label, 60)
	}
	return fmt.Sprintf("%s (%s)", Plain(label, 60), Plain(strategy, 60))
}

// ReplayLine returns the command that repeats the run of a token. Program is the name
// of the program as a person types it; "" stands for lockquake.
func ReplayLine(program, token string) string {
	return cmp.Or(program, "lockquake") + " replay " + token
}
