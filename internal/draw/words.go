package draw

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Words writes the distribution as words without spaces in them, for a line of text: a
// bare duration for a constant, otherwise the family and its parameters, as in
// lognormal median 2s p99 30s. Samples stand in one word, with commas between them;
// the name of their file is left out.
func (d Dist) Words() []string {
	if d.Kind == Constant || d.IsZero() {
		return []string{d.Value.String()}
	}
	words := []string{string(d.Kind)}
	for _, f := range d.fields() {
		if f.of(d.Kind) {
			words = append(words, f.name, f.value.String())
		}
	}
	if d.Kind != Empirical {
		return words
	}
	samples := make([]string, len(d.Samples))
	for i, sample := range d.Samples {
		samples[i] = sample.String()
	}
	return append(words, "samples", strings.Join(samples, ","))
}

// Phrase returns in words how long the samples are, for a sentence such as "waking takes 100µs at the
// median and 10ms at p99". Of samples it says only where they come from.
func (d Dist) Phrase() string {
	switch d.Kind {
	case Uniform:
		return fmt.Sprintf("%v to %v", d.Min, d.Max)
	case Exponential:
		return fmt.Sprintf("%v on average", d.Mean)
	case Lognormal:
		return fmt.Sprintf("%v at the median and %v at p99", d.Median, d.P99)
	case Pareto:
		return fmt.Sprintf("%v at least and %v at p99", d.Min, d.P99)
	case Empirical:
		if d.File == "" {
			return fmt.Sprintf("one of %d durations", len(d.Samples))
		}
		return "one of the durations in " + d.File
	case Constant:
	}
	return d.Value.String()
}

// ParseWords reads what Words writes from the beginning of some words, and returns
// the others. The distribution is valid.
func ParseWords(words []string) (d Dist, rest []string, err error) {
	next := func(what string) string {
		if err == nil && len(words) == 0 {
			err = fmt.Errorf("the line ends where the %s should be", what)
		}
		if err != nil {
			return ""
		}
		word := words[0]
		words = words[1:]
		return word
	}
	first := next("distribution")
	if !slices.Contains(Kinds(), Kind(first)) {
		d = Fixed(duration(first, &err))
		return d, words, err
	}
	d.Kind = Kind(first)
	for _, f := range d.fields() {
		if !f.of(d.Kind) || err != nil {
			continue
		}
		if name := next(f.name); err == nil && name != f.name {
			err = fmt.Errorf("%q is where %q should be", name, f.name)
		}
		*d.field(f.name) = duration(next("duration"), &err)
	}
	if d.Kind == Empirical {
		if name := next("samples"); err == nil && name != "samples" {
			err = fmt.Errorf("%q is where %q should be", name, "samples")
		}
		for sample := range strings.SplitSeq(next("samples"), ",") {
			d.Samples = append(d.Samples, duration(sample, &err))
		}
	}
	if err == nil {
		err = d.Validate()
	}
	return d, words, err
}

// duration reads a duration unless something was wrong before.
func duration(text string, err *error) time.Duration {
	if *err != nil {
		return 0
	}
	d, wrong := time.ParseDuration(text)
	if wrong != nil {
		*err = fmt.Errorf("%q is not a duration such as 150ms", text)
	}
	return d
}

// field returns the field of that name, for ParseWords.
func (d *Dist) field(name string) *time.Duration {
	switch name {
	case "value":
		return &d.Value
	case "min":
		return &d.Min
	case "max":
		return &d.Max
	case "mean":
		return &d.Mean
	case "median":
		return &d.Median
	default:
		return &d.P99
	}
}
