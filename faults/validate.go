package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"lockquake/internal/draw"
)

// ParamError says what is wrong with one parameter of a Spec.
type ParamError struct {
	// Param is its name in a scenario file: at, when, when.worker, when.point,
	// when.nth, or one of KindInfo.Params. It is the kind itself if that is
	// unknown. The parameter may be absent from the file.
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
	info, known := kindInfo(s.Kind)
	if !known {
		return &ParamError{string(s.Kind), "there is no such kind of fault"}
	}
	for _, param := range s.Params.given() {
		if !slices.Contains(info.Params, param) {
			return &ParamError{param, fmt.Sprintf("a %s takes none", s.Kind)}
		}
	}
	if err := s.validateMoment(info, duration); err != nil {
		return err
	}
	if s.When != nil {
		if err := s.When.validate(info, workers); err != nil {
			return err
		}
	}
	if strings.ContainsFunc(s.Params.Key, unicode.IsSpace) {
		return &ParamError{"key", fmt.Sprintf("%q has a space in it", s.Params.Key)}
	}
	if err := s.Params.validateLengths(info, duration); err != nil {
		return err
	}
	if info.check != nil {
		if err := info.check(s.Params); err != nil {
			return err
		}
	}
	return info.validate(s, workers, nodes)
}

// given lists the parameters that are set, by their names in a file.
func (p Params) given() []string {
	var given []string
	for _, param := range []struct {
		name string
		set  bool
	}{
		{"target", p.Target != ""},
		{"task", p.Task != ""},
		{"by", p.By != 0},
		{"clock", p.Clock != ""},
		{"ppm", p.PPM != 0},
		{"add", !p.Add.IsZero()},
		{"percent", p.Percent != 0},
		{"service", !p.Service.IsZero()},
		{"data", p.Data != ""},
		{"key", p.Key != ""},
		{"text", p.Text != ""},
		{"with", p.With != ""},
		{"from", p.From != ""},
		{"to", p.To != ""},
		{"mode", p.Mode != ""},
		{"every", p.Every != nil},
		{"for", !p.For.IsZero()},
	} {
		if param.set {
			given = append(given, param.name)
		}
	}
	return given
}

// needsBy sees that By is there, and more than nothing.
func (p Params) needsBy(what string) error {
	switch {
	case p.By == 0:
		return &ParamError{"by", "is missing: " + what}
	case p.By < 0:
		return &ParamError{"by", fmt.Sprintf("must be more than 0s, and is %v: %s", p.By, what)}
	}
	return nil
}

// validateMoment sees that exactly one of at, when and every is there, and
// that it fits the kind and the run.
func (s Spec) validateMoment(info KindInfo, duration time.Duration) error {
	if info.Point != AnyPoint && s.When == nil {
		return &ParamError{"when", fmt.Sprintf("is missing: a %s catches one message", s.Kind)}
	}
	switch {
	case s.At == nil && s.When == nil && s.Params.Every == nil:
		return &ParamError{"at", fmt.Sprintf("is missing: a %s needs one of at, when and every", s.Kind)}
	case s.At != nil && s.When != nil:
		return &ParamError{"when", "is set beside at, only one of them can be"}
	case s.At != nil && s.Params.Every != nil:
		return &ParamError{"every", "is set beside at, only one of them can be"}
	case s.When != nil && s.Params.Every != nil:
		return &ParamError{"every", "is set beside when, only one of them can be"}
	case s.At != nil && *s.At < 0:
		return &ParamError{"at", fmt.Sprintf("%v is negative", *s.At)}
	case s.At != nil && *s.At >= duration:
		return &ParamError{"at", fmt.Sprintf("%v is not before the end of the run, %v", *s.At, duration)}
	}
	return nil
}

func (w When) validate(info KindInfo, workers []string) error {
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
	if info.Point != AnyPoint {
		if err := checkMessagePoint(info, w.Point); err != nil {
			return &ParamError{"when.point", err.Error()}
		}
	}
	return nil
}

// validateLengths judges the two distributions.
func (p Params) validateLengths(info KindInfo, duration time.Duration) error {
	var middle time.Duration
	if !info.Instant {
		if p.For.IsZero() {
			return &ParamError{"for", "is missing"}
		}
		var err error
		if middle, err = median("for", p.For); err != nil {
			return err
		}
	}
	if p.Every == nil {
		return nil
	}
	gap, err := median("every", *p.Every)
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
