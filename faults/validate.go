package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
)

// ParamError says what is wrong with one parameter of a Spec.
type ParamError struct {
	// Param is its name in a scenario file: at, when, when.worker, when.point,
	// when.nth, or one of Info.Params. The parameter may be absent from the file.
	Param string
	// Text is the rest of the sentence.
	Text string
}

// Error puts the name before the text.
func (e *ParamError) Error() string {
	return e.Param + ": " + e.Text
}

// mostRepeats is how often a fault may fall in one run, about, for each of its
// targets. Far beyond it a plan takes longer to make than the run.
const mostRepeats = 100_000

// Validate says what is wrong with the rule, as a *ParamError, or nil. The
// workers are those of the scenario, the nodes its servers, and duration is
// when its faults end.
func (s Spec) Validate(workers, nodes []string, duration time.Duration) error {
	info := s.Fault.Info()
	switch {
	case s.Every != nil && info.Point != AnyPoint:
		return &ParamError{"every", fmt.Sprintf("a %s takes none", info.Kind)}
	case !s.For.IsZero() && info.Instant:
		return &ParamError{"for", fmt.Sprintf("a %s takes none", info.Kind)}
	}
	if err := s.validateMoment(info, duration); err != nil {
		return err
	}
	if s.When != nil {
		if err := s.When.validate(info, workers); err != nil {
			return err
		}
	}
	if err := s.validateTiming(info, duration); err != nil {
		return err
	}
	return s.Fault.check(s, workers, nodes)
}

// checkBy sees that By is there, and more than nothing.
func checkBy(by time.Duration, what string) error {
	switch {
	case by == 0:
		return &ParamError{"by", "is missing: " + what}
	case by < 0:
		return &ParamError{"by", fmt.Sprintf("must be more than 0s, and is %v: %s", by, what)}
	}
	return nil
}

// eitherWay is the schema of a kind whose parameter by may be negative, as far as an
// editor sees.
func eitherWay() map[string]map[string]any {
	return map[string]map[string]any{"by": {"$ref": "#/$defs/either-way"}}
}

// validateMoment sees that exactly one of at, when and every is there, and
// that it fits the kind and the run.
func (s Spec) validateMoment(info Info, duration time.Duration) error {
	if info.Point != AnyPoint && s.When == nil {
		return &ParamError{"when", fmt.Sprintf("is missing: a %s catches one message", info.Kind)}
	}
	switch {
	case s.At == nil && s.When == nil && s.Every == nil:
		return &ParamError{"at", fmt.Sprintf("is missing: a %s needs one of at, when and every", info.Kind)}
	case s.At != nil && s.When != nil:
		return &ParamError{"when", "is set beside at, only one of them can be"}
	case s.At != nil && s.Every != nil:
		return &ParamError{"every", "is set beside at, only one of them can be"}
	case s.When != nil && s.Every != nil:
		return &ParamError{"every", "is set beside when, only one of them can be"}
	case s.At != nil && *s.At < 0:
		return &ParamError{"at", fmt.Sprintf("%v is negative", *s.At)}
	case s.At != nil && *s.At >= duration:
		return &ParamError{"at", fmt.Sprintf("%v is not before the end of the run, %v", *s.At, duration)}
	}
	return nil
}

func (w When) validate(info Info, workers []string) error {
	switch {
	case w.Worker == "":
		return &ParamError{"when.worker", "is missing"}
	case !slices.Contains(workers, w.Worker):
		return unknownName("when.worker", "worker", w.Worker)
	case w.Point == "":
		return &ParamError{"when.point", "is missing"}
	case len(strings.Fields(w.Point)) != 1 || strings.TrimSpace(w.Point) != w.Point:
		return &ParamError{"when.point", fmt.Sprintf("%q has a space in it", w.Point)}
	case w.Nth < 0:
		return &ParamError{"when.nth", fmt.Sprintf("%d is negative", w.Nth)}
	}
	if err := info.checkPoint(w.Point); err != nil {
		return &ParamError{"when.point", err.Error()}
	}
	return nil
}

// validate judges the two distributions.
func (t Timing) validateTiming(info Info, duration time.Duration) error {
	var middle time.Duration
	if !info.Instant {
		if t.For.IsZero() {
			return &ParamError{"for", "is missing"}
		}
		var err error
		if middle, err = median("for", t.For); err != nil {
			return err
		}
	}
	if t.Every == nil {
		return nil
	}
	gap, err := median("every", *t.Every)
	if err != nil {
		return err
	}
	if gap+middle < duration/mostRepeats {
		return &ParamError{"every", fmt.Sprintf("too short, the fault would fall more than %d times in %v", mostRepeats, duration)}
	}
	return nil
}

// median is the length that half of all samples stay below. That of a valid
// parameter is above 0.
func median(param string, d draw.Dist) (time.Duration, error) {
	if err := d.Validate(); err != nil {
		return 0, &ParamError{param, err.Error()}
	}
	m := d.Quantile(0.5)
	if m <= 0 {
		return 0, &ParamError{param, "must be longer than 0s"}
	}
	return m, nil
}

// unknownName is the error for a name that nothing in the scenario has.
func unknownName(param, what, name string) error {
	return &ParamError{param, fmt.Sprintf("no %s is called %q", what, name)}
}

// unknownWord is the error for a word that a parameter does not know.
func unknownWord[W interface {
	~string
	Word
}](param, what string, word W,
) error {
	return &ParamError{param, fmt.Sprintf("unknown %s %q, known are %v", what, word, word.Words())}
}

// known reports whether a parameter knows the word.
func known[W interface {
	~string
	Word
}](word W,
) bool {
	return slices.Contains(word.Words(), string(word))
}

// texts makes plain strings of words that have a type.
func texts[W ~string](words ...W) []string {
	plain := make([]string, len(words))
	for i, word := range words {
		plain[i] = string(word)
	}
	return plain
}
