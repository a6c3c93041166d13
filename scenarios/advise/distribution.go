package advise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
)

// medianOfP99 is the ratio of a median to the 99 % quantile that is assumed if only the latter is given.
const medianOfP99 = 10

// Spread is a distribution of durations, and how often what it measures happens. Samples are in order.
type Spread struct {
	draw.Dist
	Every time.Duration // mean time from one to the next; 0: not given
	// Assumed says which parameter of the distribution was not given, "" if all were.
	Assumed string
}

// forms lists the ways to write a distribution, for messages.
const forms = `write "3s", "up to 3s", "1s to 3s", "p99 50ms", "p50 5ms, p99 50ms", "mean 20s", the name of a file, or {dist: ...} as in a scenario`

// ParseSpread reads a distribution as people write it: "3s", "up to 3s", "1s to 3s", "p99 50ms",
// "p50 5ms, p99 50ms", "mean 20s", none, the path of a file with durations, or a map as in a scenario.
// "every 5m" may be one of its parts.
func ParseSpread(text string) (Spread, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "none":
		return Spread{Dist: draw.Fixed(0)}, nil
	case strings.HasPrefix(text, "{"):
		return sorted(scenarios.ParseDist(text, "."))
	}
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		_, durations, err := scenarios.MeasuredPauses(text)
		return sorted(draw.Dist{Kind: draw.Empirical, File: text, Samples: durations}, err)
	}
	values := map[string]time.Duration{}
	for part := range strings.SplitSeq(text, ",") {
		if err := readPart(strings.Fields(part), values); err != nil {
			return Spread{}, fmt.Errorf("%w; %s", err, forms)
		}
	}
	return spreadOf(text, values)
}

// keywords returns the words before a duration, and what each of them stands for.
func keywords() map[string]string {
	return map[string]string{
		"up": "max", "max": "max", "min": "min", "p50": "p50", "median": "p50", "p99": "p99", "mean": "mean", "every": "every",
	}
}

// readPart reads one part of a distribution, such as p99 50ms, into values.
func readPart(words []string, values map[string]time.Duration) error {
	if len(words) == 3 && words[0] == "up" && words[1] == "to" {
		words = []string{"max", words[2]}
	}
	var keys, texts []string
	switch known := keywords(); {
	case len(words) == 1:
		keys, texts = []string{"value"}, words
	case len(words) == 3 && words[1] == "to":
		keys, texts = []string{"min", "max"}, []string{words[0], words[2]}
	case len(words) == 2 && known[words[0]] != "" && words[0] != "up":
		keys, texts = []string{known[words[0]]}, words[1:]
	case len(words) == 0:
		return errors.New("a part of the distribution is empty")
	case known[words[0]] != "" && (words[0] != "up" || len(words) > 1 && words[1] == "to"):
		rest := strings.TrimPrefix(strings.Join(words[1:], " "), "to ")
		return fmt.Errorf("%q is not a duration such as 150ms", rest)
	default:
		return errors.New(strictyaml.Unknown("word", words[0], []string{"up to", "p50", "p99", "median", "mean", "max", "every", "none"}))
	}
	for i, key := range keys {
		d, err := time.ParseDuration(texts[i])
		if err != nil || d < 0 || d > draw.Longest {
			return fmt.Errorf("%q is neither a duration such as 150ms nor a file", texts[i])
		}
		if key == "every" && d == 0 {
			return fmt.Errorf("every %s is not a time between two of them", texts[i])
		}
		if _, twice := values[key]; twice {
			return fmt.Errorf("%s is given twice", key)
		}
		values[key] = d
	}
	return nil
}

// spreadOf returns the distribution with the given parameters.
func spreadOf(text string, values map[string]time.Duration) (Spread, error) {
	s := Spread{Every: values["every"]}
	delete(values, "every")
	has := func(keys ...string) bool {
		for _, key := range keys {
			if _, ok := values[key]; !ok {
				return false
			}
		}
		return len(values) == len(keys)
	}
	switch {
	case has("value"):
		s.Dist = draw.Fixed(values["value"])
	case has("max"), has("min", "max"):
		s.Dist = draw.Dist{Kind: draw.Uniform, Min: values["min"], Max: values["max"]}
	case has("p99"):
		median := values["p99"] / medianOfP99
		s.Dist = draw.Dist{Kind: draw.Lognormal, Median: median, P99: values["p99"]}
		s.Assumed = fmt.Sprintf("median %v, a tenth of the p99", median)
	case has("p50", "p99"):
		s.Dist = draw.Dist{Kind: draw.Lognormal, Median: values["p50"], P99: values["p99"]}
	case has("mean"):
		s.Dist = draw.Dist{Kind: draw.Exponential, Mean: values["mean"]}
	default:
		return s, fmt.Errorf("%q is not a distribution; %s", text, forms)
	}
	if err := s.Validate(); err != nil {
		return s, fmt.Errorf("%q: %w", text, err)
	}
	return s, nil
}

// sorted returns a distribution with its samples in order, as quantiles need them.
func sorted(d draw.Dist, err error) (Spread, error) {
	d.Samples = slices.Sorted(slices.Values(d.Samples))
	return Spread{Dist: d}, err
}

// text returns the distribution as a scenario in the folder dir has it.
func (s Spread) text(dir string) string {
	switch {
	case s.File != "":
		return fmt.Sprintf("{dist: empirical, file: %q}", filepath.ToSlash(near(s.File, dir)))
	case s.Kind == draw.Empirical:
		var samples []string
		for _, d := range s.Samples {
			samples = append(samples, d.String())
		}
		return "{dist: empirical, samples: [" + strings.Join(samples, ", ") + "]}"
	case s.Kind == draw.Constant || s.IsZero():
		return brief(s.Value)
	}
	return s.String()
}

// near returns a path as a scenario in the folder dir names it: relative to the folder if it is in it, and
// absolute otherwise. A path that was absolute stays so.
func near(path, dir string) string {
	if filepath.IsAbs(path) {
		return path
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return full
	}
	if within, err := filepath.Rel(base, full); err == nil && filepath.IsLocal(within) {
		return within
	}
	return full
}

// typical returns the duration that half of the samples do not reach, and long the one that 99 %
// do not reach.
func (s Spread) typical() time.Duration { return s.Quantile(0.5) }
func (s Spread) long() time.Duration    { return s.Quantile(0.99) }

// mostSamples is the largest number of samples that a scaled distribution lists.
const mostSamples = 100

// times returns the distribution with all durations multiplied by x.
func (s Spread) times(x float64) Spread {
	scale := func(d time.Duration) time.Duration { return time.Duration(x * float64(d)) }
	d := draw.Dist{
		Kind: s.Kind, Value: scale(s.Value), Min: scale(s.Min), Max: scale(s.Max), Mean: scale(s.Mean), Median: scale(s.Median), P99: scale(s.P99),
	}
	if n := min(mostSamples, len(s.Samples)); n > 0 {
		for i := range n {
			d.Samples = append(d.Samples, scale(s.Samples[(len(s.Samples)-1)*i/max(1, n-1)]))
		}
	}
	return Spread{Dist: d, Every: s.Every}
}
