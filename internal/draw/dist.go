package draw

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Dist is a distribution of durations. The zero value is always 0. Kind decides which fields are
// used; the others must be zero.
type Dist struct {
	Kind    Kind            `yaml:"dist" doc:"kind of distribution"`
	Value   time.Duration   `yaml:"value" doc:"every sample"`                                                                                                                                     // constant
	Min     time.Duration   `yaml:"min" doc:"no sample is shorter"`                                                                                                                               // uniform (inclusive), pareto
	Max     time.Duration   `yaml:"max" doc:"every sample is shorter"`                                                                                                                            // uniform (exclusive)
	Mean    time.Duration   `yaml:"mean" doc:"mean of the samples"`                                                                                                                               // exponential
	Median  time.Duration   `yaml:"median" doc:"half of the samples are shorter"`                                                                                                                 // lognormal
	P99     time.Duration   `yaml:"p99" doc:"99 % of the samples are shorter"`                                                                                                                    // lognormal, pareto
	File    string          `yaml:"file" doc:"file of the samples, beside the scenario: one duration a line, or a log of pauses (gctrace of Go, safepoints or collections of a JVM); or samples"` // empirical
	Samples []time.Duration `yaml:"samples" doc:"the samples themselves; each is equally likely"`                                                                                                 // empirical, in the order of the file
}

// Kind is a family of distributions.
type Kind string

// The families.
const (
	Constant    Kind = "constant"
	Uniform     Kind = "uniform"
	Exponential Kind = "exponential"
	Lognormal   Kind = "lognormal"
	Pareto      Kind = "pareto"
	Empirical   Kind = "empirical"
)

// Kinds returns the families.
func Kinds() []Kind {
	return []Kind{Constant, Uniform, Exponential, Lognormal, Pareto, Empirical}
}

// Fields returns the keys of a scenario file that a distribution of the family may have, and those
// that it must have.
func (k Kind) Fields() (all, needed []string) {
	if k == Empirical {
		return []string{"file", "samples"}, nil // one of them
	}
	for _, f := range (Dist{Kind: k}).fields() {
		if !f.of(k) {
			continue
		}
		all = append(all, f.name)
		if !f.zero {
			needed = append(needed, f.name)
		}
	}
	return all, needed
}

// Longest is the maximum of every sample, ten years. The sum of many samples is still far from the
// maximum of time.Duration.
const Longest = 10 * 365 * 24 * time.Hour

// Fixed returns the distribution that is always v.
func Fixed(v time.Duration) Dist {
	return Dist{Kind: Constant, Value: v}
}

// IsZero reports whether nothing is set. A constant of 0 is set.
func (d Dist) IsZero() bool {
	return d.Kind == "" && d.File == "" && d.Samples == nil &&
		!slices.ContainsFunc(d.fields(), func(f field) bool { return f.value != 0 })
}

// Sample draws a duration. It uses exactly one number of the draw, whatever the family, so that a
// change of family does not change later draws.
func (d Dist) Sample(draw *Draw) time.Duration {
	return d.Quantile(draw.Open())
}

// Quantile returns the duration that a share p of all samples is shorter than, in whole nanoseconds
// and between 0 and Longest. The distribution must pass Validate, and p must be between 0 and 1,
// both exclusive.
func (d Dist) Quantile(p float64) time.Duration { return d.quantile(p, d.spread()) }

// spread returns the logarithm of the ratio of the two durations that a lognormal or a Pareto
// distribution is given by.
func (d *Dist) spread() float64 {
	switch d.Kind {
	case Lognormal:
		return log(float64(d.P99) / float64(d.Median))
	case Pareto:
		return log(float64(d.P99) / float64(d.Min))
	default:
		return 0
	}
}

func (d *Dist) quantile(p, spread float64) time.Duration {
	switch d.Kind {
	case Constant:
		return saturate(float64(d.Value))
	case Uniform:
		width := float64(d.Max - d.Min)
		return min(d.Min+time.Duration(p*width), d.Max-1)
	case Exponential:
		return saturate(-float64(d.Mean) * log(1-p))
	case Lognormal:
		return saturate(float64(d.Median) * exp(spread*normalQuantile(p)/normal99))
	case Pareto:
		return saturate(float64(d.Min) * exp(spread*log(1-p)/log1))
	case Empirical:
		return d.Samples[int(p*float64(len(d.Samples)))]
	default:
		return 0
	}
}

// Sampler draws many durations from one distribution: what does not depend on the draw is worked out
// once. The zero value always draws 0.
type Sampler struct {
	dist   Dist
	spread float64
}

// Sampler returns a sampler of the distribution, which must pass Validate.
func (d Dist) Sampler() Sampler { return Sampler{d, d.spread()} }

// Sample draws the duration that Dist.Sample draws.
func (s *Sampler) Sample(draw *Draw) time.Duration { return s.dist.quantile(draw.Open(), s.spread) }

const (
	normal99 = 2.3263478740408411009 // the 99 % quantile of the standard normal distribution
	log1     = -2 * math.Ln10        // the logarithm of 1 %
)

// saturate rounds to whole nanoseconds and cuts at Longest.
func saturate(ns float64) time.Duration {
	if ns >= float64(Longest) {
		return Longest
	}
	return time.Duration(float64(ns) + 0.5)
}

// Validate returns an error that says in one sentence what is wrong with the distribution, nil if
// nothing is.
func (d Dist) Validate() error {
	if d.IsZero() {
		return nil
	}
	if !slices.Contains(Kinds(), d.Kind) {
		return fmt.Errorf("dist: unknown distribution %q, known are %v", d.Kind, Kinds())
	}
	for _, f := range d.fields() {
		switch {
		case f.value != 0 && !f.of(d.Kind):
			return fmt.Errorf("%s: a distribution of the kind %s has none", f.name, d.Kind)
		case f.value < 0:
			return fmt.Errorf("%s: %v is negative", f.name, f.value)
		case f.value > Longest:
			return fmt.Errorf("%s: %v is longer than ten years", f.name, f.value)
		case f.value == 0 && f.of(d.Kind) && !f.zero:
			return fmt.Errorf("%s: a distribution of the kind %s needs one above 0s", f.name, d.Kind)
		}
	}
	switch {
	case d.Kind == Uniform && d.Max <= d.Min:
		return fmt.Errorf("max: %v is not longer than min, %v", d.Max, d.Min)
	case d.Kind == Lognormal && d.P99 <= d.Median:
		return fmt.Errorf("p99: %v is not longer than median, %v", d.P99, d.Median)
	case d.Kind == Pareto && d.P99 <= d.Min:
		return fmt.Errorf("p99: %v is not longer than min, %v", d.P99, d.Min)
	}
	return d.validateSamples()
}

func (d Dist) validateSamples() error {
	if d.Kind != Empirical {
		if d.File != "" || d.Samples != nil {
			return fmt.Errorf("file: a distribution of the kind %s has none", d.Kind)
		}
		return nil
	}
	if len(d.Samples) == 0 {
		return errors.New("samples: an empirical distribution needs at least one duration, here or in a file")
	}
	for i, v := range d.Samples {
		if v < 0 || v > Longest {
			return fmt.Errorf("file: duration %d, %v, is not between 0s and ten years", i+1, v)
		}
	}
	return nil
}

// String returns the distribution as a scenario file has it: a bare duration for a constant,
// otherwise {dist: exponential, mean: 20s} and the like.
func (d Dist) String() string {
	if d.Kind == Constant || d.IsZero() {
		return d.Value.String()
	}
	var text strings.Builder
	fmt.Fprintf(&text, "{dist: %s", d.Kind)
	for _, f := range d.fields() {
		if f.of(d.Kind) {
			fmt.Fprintf(&text, ", %s: %v", f.name, f.value)
		}
	}
	if d.File != "" {
		fmt.Fprintf(&text, ", file: %s", d.File)
	}
	return text.String() + "}"
}

// field is one duration among the fields of a Dist.
type field struct {
	name  string
	value time.Duration
	zero  bool // may be 0
	kinds []Kind
}

// of reports whether distributions of the kind use the field.
func (f field) of(kind Kind) bool {
	return slices.Contains(f.kinds, kind)
}

func (d Dist) fields() []field {
	return []field{
		{"value", d.Value, true, []Kind{Constant}},
		{"min", d.Min, d.Kind == Uniform, []Kind{Uniform, Pareto}},
		{"max", d.Max, false, []Kind{Uniform}},
		{"mean", d.Mean, false, []Kind{Exponential}},
		{"median", d.Median, false, []Kind{Lognormal}},
		{"p99", d.P99, false, []Kind{Lognormal, Pareto}},
	}
}
