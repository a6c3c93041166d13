package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
)

// ParamError describes an error in one parameter of a Spec.
type ParamError struct {
	// Param is its key in a scenario file: at, when, when.worker, when.point,
	// when.nth, or one of Info.Params. The file may not have the key.
	Param string
	// Text is the message without the key.
	Text string
}

// Error returns the key and the message.
func (e *ParamError) Error() string {
	return e.Param + ": " + e.Text
}

// maxRepeats bounds the expected number of repeated faults in one run for each target.
// With many more, making the plan would take longer than the run.
const maxRepeats = 100_000

// Validate returns the first error in the rule, a *ParamError, or nil. Workers and
// nodes are the scenario's workers and servers. All faults begin before duration.
func (s Spec) Validate(workers, nodes []string, duration time.Duration) error {
	info := s.Fault.Info()
	switch {
	case s.Every != nil && info.Point != AnyPoint:
		return &ParamError{"every", fmt.Sprintf("a %s cannot be repeated", info.Kind)}
	case !s.For.IsZero() && info.Instant:
		return &ParamError{"for", fmt.Sprintf("a %s has no length", info.Kind)}
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

// checkBy returns an error unless the parameter by is set and above 0.
func checkBy(by time.Duration, what string) error {
	switch {
	case by == 0:
		return &ParamError{"by", "is missing: " + what}
	case by < 0:
		return &ParamError{"by", fmt.Sprintf("must be more than 0s, and is %v: %s", by, what)}
	}
	return nil
}

// eitherWay returns the schema of a kind with the parameter by, which accepts both
// signs.
func eitherWay() map[string]map[string]any {
	return map[string]map[string]any{"by": {"$ref": "#/$defs/either-way"}}
}

// validateMoment returns an error unless exactly one of at, when and every is set, and
// it fits the kind and the run.
func (s Spec) validateMoment(info Info, duration time.Duration) error {
	if info.Point != AnyPoint && s.When == nil {
		return &ParamError{"when", fmt.Sprintf("is missing: a %s catches one message", info.Kind)}
	}
	switch {
	case s.At == nil && s.When == nil && s.Every == nil:
		return &ParamError{"at", fmt.Sprintf("is missing: a %s needs at or when beside it, or every in it", info.Kind)}
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

// validateTiming checks the two distributions.
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
	if gap+middle < duration/maxRepeats {
		return &ParamError{"every", fmt.Sprintf("too short, the fault would fall more than %d times in %v", maxRepeats, duration)}
	}
	return nil
}

// median returns the median of a distribution. It returns an error unless the
// distribution is valid and its median is above 0.
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

// unknownName returns the error for a name that the scenario does not have.
func unknownName(param, what, name string) error {
	return &ParamError{param, fmt.Sprintf("no %s is called %q", what, name)}
}

// checkWord returns an error unless the word is one of the possible words of its type.
func checkWord(word Word) error {
	if slices.Contains(word.Words(), fmt.Sprint(word)) {
		return nil
	}
	return fmt.Errorf("unknown %s %q, known are %v", word.Noun(), word, word.Words())
}

// checkParam is checkWord for the word of a parameter. Its error is a *ParamError.
func checkParam(param string, word Word) error {
	if err := checkWord(word); err != nil {
		return &ParamError{param, err.Error()}
	}
	return nil
}

// asStrings converts typed words to strings.
func asStrings[W ~string](words ...W) []string {
	plain := make([]string, len(words))
	for i, word := range words {
		plain[i] = string(word)
	}
	return plain
}
