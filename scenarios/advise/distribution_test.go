package advise

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

const ms = time.Millisecond

func TestASpreadIsReadAsPeopleWriteIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pauses.txt")
	if err := os.WriteFile(file, []byte("3ms\n1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Spread{
		"3s":                                     {Dist: draw.Fixed(3 * time.Second)},
		"none":                                   {Dist: draw.Fixed(0)},
		"up to 3s":                               {Dist: draw.Dist{Kind: draw.Uniform, Max: 3 * time.Second}},
		"max 3s":                                 {Dist: draw.Dist{Kind: draw.Uniform, Max: 3 * time.Second}},
		"1s to 3s":                               {Dist: draw.Dist{Kind: draw.Uniform, Min: time.Second, Max: 3 * time.Second}},
		"p99 50ms":                               {Dist: draw.Dist{Kind: draw.Lognormal, Median: 5 * ms, P99: 50 * ms}, Assumed: "median 5ms, a tenth of the p99"},
		" p50 50ms,  p99 3s ":                    {Dist: draw.Dist{Kind: draw.Lognormal, Median: 50 * ms, P99: 3 * time.Second}},
		"p99 3s, median 50ms":                    {Dist: draw.Dist{Kind: draw.Lognormal, Median: 50 * ms, P99: 3 * time.Second}},
		"mean 20s":                               {Dist: draw.Dist{Kind: draw.Exponential, Mean: 20 * time.Second}},
		"up to 3s, every 5m":                     {Dist: draw.Dist{Kind: draw.Uniform, Max: 3 * time.Second}, Every: 5 * time.Minute},
		"{dist: pareto, min: 10ms, p99: 2s}":     {Dist: draw.Dist{Kind: draw.Pareto, Min: 10 * ms, P99: 2 * time.Second}},
		"{dist: empirical, samples: [1ms, 2ms]}": {Dist: draw.Dist{Kind: draw.Empirical, Samples: []time.Duration{ms, 2 * ms}}},
		file:                                     {Dist: draw.Dist{Kind: draw.Empirical, File: file, Samples: []time.Duration{3 * ms, time.Second}}},
	} {
		got, err := ParseSpread(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
}

// A quantile of a file is that of its sorted durations.
func TestTheDurationsOfAFileAreSorted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my pauses.txt")
	if err := os.WriteFile(file, []byte("3ms\n1ms\n2ms\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ParseSpread(file)
	if err != nil || s.typical() != 2*ms || s.long() != 3*ms {
		t.Errorf("half are below %v, and 99 %% below %v: %v", s.typical(), s.long(), err)
	}
	if got, want := s.text("."), fmt.Sprintf("{dist: empirical, file: %q}", file); got != want {
		t.Errorf("a scenario has %s, want %s", got, want)
	}
}

// The error is one line, and names the nearest word or all forms.
func TestAWrongSpreadIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "a part of the distribution is empty",
		"3":                              `"3" is neither a duration such as 150ms`,
		"up to 3 sec":                    `"3 sec" is not a duration such as 150ms`,
		"p99 50 ms":                      `"50 ms" is not a duration such as 150ms`,
		"-3s":                            `"-3s" is neither a duration such as 150ms`,
		"pp99 50ms":                      `did you mean "p99"?`,
		"upto 3s":                        `did you mean "up to"?`,
		"p99 50ms, p99 3s":               "p99 is given twice",
		"p50 3s":                         "is not a distribution",
		"p50 3s, p99 1s":                 "p99: 1s is not longer than median, 3s",
		"every 5m":                       "is not a distribution",
		"up to 3s, every 0s":             "every 0s is not a time between two of them",
		"missing.txt":                    "is neither a duration such as 150ms nor a file",
		"{dist: parto}":                  `did you mean "pareto"?`,
		"{dist: constant, value: 1s":     "",
		"{dist: uniform, max: 1s}\nx: 1": "unknown key",
	} {
		_, err := ParseSpread(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestAScaledSpreadHasScaledSamples(t *testing.T) {
	s := Spread{Dist: draw.Dist{Kind: draw.Empirical, File: "x", Samples: []time.Duration{ms, 2 * ms, 3 * ms}}}
	if got, want := s.times(2).text("."), "{dist: empirical, samples: [2ms, 4ms, 6ms]}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := s.long(); got != 3*ms {
		t.Errorf("the longest of the samples is %v", got)
	}
	if got, want := (Spread{Dist: draw.Fixed(90 * time.Second)}).times(twice).text("."), "3m"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
