package faults

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

const duration = 60 * time.Second

func workers() []string { return []string{"worker-1", "worker-2", "worker-3"} }
func nodes() []string   { return []string{"lock", "resource"} }

// seconds is an exponential distribution for Timing.Every.
func seconds(mean time.Duration) *draw.Dist {
	return &draw.Dist{Kind: draw.Exponential, Mean: mean * time.Second}
}

// invalid is a case for wantInvalid: the error of the spec names param, and its
// message contains text. Both are empty if the spec is valid.
type invalid struct {
	name        string
	spec        Spec
	param, text string
}

func wantInvalid(t *testing.T, tests []invalid) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.spec.Validate(workers(), nodes(), duration)
			if test.param == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var wrong *ParamError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, want a ParamError", err)
			}
			if wrong.Param != test.param || !strings.Contains(wrong.Text, test.text) {
				t.Errorf("got %v, want %s: ... %s", err, test.param, test.text)
			}
		})
	}
}

func TestASpecNeedsExactlyOneMomentAndALength(t *testing.T) {
	point := When{Worker: "worker-1", Point: "acquired", Nth: 1}
	with := func(change func(s *Spec)) Spec {
		moment, when := 5*time.Second, point
		s := Spec{At: &moment, When: &when, Timing: Timing{For: draw.Fixed(time.Second)}, Fault: &Pause{OnNode{"worker-1"}}}
		change(&s)
		return s
	}
	timed := func(change func(s *Spec)) Spec {
		return with(func(s *Spec) { s.When = nil; change(s) })
	}
	tied := func(change func(s *Spec)) Spec {
		return with(func(s *Spec) { s.At = nil; change(s) })
	}
	repeated := func(change func(s *Spec)) Spec {
		return with(func(s *Spec) { s.At, s.When, s.Every = nil, nil, seconds(20); change(s) })
	}
	wantInvalid(t, []invalid{
		{"at", timed(func(*Spec) {}), "", ""},
		{"at the begin", timed(func(s *Spec) { *s.At = 0 }), "", ""},
		{"when", tied(func(*Spec) {}), "", ""},
		{"when, first by default", tied(func(s *Spec) { s.When.Nth = 0 }), "", ""},
		{"every", repeated(func(*Spec) {}), "", ""},

		{"no moment", timed(func(s *Spec) { s.At = nil }), "at", "at or when beside it, or every in it"},
		{"at and when", with(func(*Spec) {}), "when", "beside at"},
		{"at and every", repeated(func(s *Spec) { s.At = new(time.Duration) }), "every", "beside at"},
		{"when and every", repeated(func(s *Spec) { s.When = &When{} }), "every", "beside when"},
		{"at below 0", timed(func(s *Spec) { *s.At = -1 }), "at", "negative"},
		{"at the end", timed(func(s *Spec) { *s.At = duration }), "at", "not before the end"},

		{"when without worker", tied(func(s *Spec) { s.When.Worker = "" }), "when.worker", "missing"},
		{"when of a stranger", tied(func(s *Spec) { s.When.Worker = "worker-9" }), "when.worker", `"worker-9"`},
		{"when without point", tied(func(s *Spec) { s.When.Point = "" }), "when.point", "missing"},
		{"point of two words", tied(func(s *Spec) { s.When.Point = "lease checked" }), "when.point", "space"},
		{"point with a space before", tied(func(s *Spec) { s.When.Point = " acquired" }), "when.point", "space"},
		{"point of a space", tied(func(s *Spec) { s.When.Point = " " }), "when.point", "space"},
		{"nth below 0", tied(func(s *Spec) { s.When.Nth = -1 }), "when.nth", "negative"},

		{"no length", timed(func(s *Spec) { s.For = draw.Dist{} }), "for", "missing"},
		{"length 0", timed(func(s *Spec) { s.For = draw.Fixed(0) }), "for", "longer than 0s"},
		{"wrong length", timed(func(s *Spec) { s.For = draw.Dist{Kind: draw.Lognormal, Median: 2, P99: 1} }), "for", "p99: 1ns"},
		{"wrong gap", repeated(func(s *Spec) { s.Every = &draw.Dist{Kind: "daily"} }), "every", `"daily"`},
		{"no gap", repeated(func(s *Spec) { s.Every = &draw.Dist{} }), "every", "longer than 0s"},
		{"far too often", repeated(func(s *Spec) {
			*s.Every, s.For = draw.Fixed(1), draw.Fixed(1)
		}), "every", "more than 100000 times"},
	})
}

func TestAFaultIsNamedByTheTargetOfItsEvent(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		target string
		want   []string
	}{
		{"pause", "worker-1", []string{"worker-1"}},
		{"evict", "lock", []string{"lock"}},
		{"partition", "worker-1->lock", []string{"worker-1", "lock"}},
		{"hold", "worker-1->lock", nil},
	} {
		f := Named(tt.kind, tt.target)
		if f == nil || f.Info().Kind != tt.kind || !slices.Equal(Names(f), tt.want) {
			t.Errorf("%s of %s: %+v, want one that names %q", tt.kind, tt.target, f, tt.want)
		}
	}
	if f := Named("flood", "lock"); f != nil {
		t.Errorf("there is no kind flood, and got %+v", f)
	}
}

func TestOnlyADuplicateCopiesItsRequest(t *testing.T) {
	for _, info := range Kinds() {
		if info.Copies != (info.Kind == "duplicate") {
			t.Errorf("%s copies its request: %v", info.Kind, info.Copies)
		}
	}
}

func TestATimelineDrawsSomeFaultsOnTheNetwork(t *testing.T) {
	var kinds []Kind
	for _, info := range Kinds() {
		if info.OnNetwork {
			kinds = append(kinds, info.Kind)
		}
	}
	want := []Kind{"hold", "drop", "partition"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// deleter is a server that can delete keys.
type deleter struct{}

func (deleter) Delete(string, string) []string { return nil }

func TestSomeFaultsNeedAMethodOfTheServers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   Fault
		servers any
		want    bool
	}{
		{"a pause", &Pause{}, struct{}{}, true},
		{"a deletion on servers that delete", &Delete{}, deleter{}, true},
		{"a deletion on servers that do not", &Delete{}, struct{}{}, false},
	} {
		if got := Supported(tt.fault, tt.servers); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTheCatalogueListsEveryKindWithOneLineOfDoc(t *testing.T) {
	var kinds []Kind
	for _, info := range Kinds() {
		kinds = append(kinds, info.Kind)
		if info.Doc == "" || strings.Contains(info.Doc, "\n") {
			t.Errorf("%s: the doc is not one line: %q", info.Kind, info.Doc)
		}
		if !slices.Contains([]string{AnyPoint, MessagePoint, RequestPoint}, info.Point) {
			t.Errorf("%s: unknown kind of point %q", info.Kind, info.Point)
		}
	}
	want := []Kind{
		"pause", "stall", "suspend", "crash", "clock-step", "clock-rate", "overrun", "cancel",
		"hold", "drop", "duplicate", "reorder", "error", "partition", "reset", "latency", "loss",
		"overload", "failover", "leader-change", "delete", "evict", "stale", "answer-errors",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("the catalogue (-want +got):\n%s", diff)
	}
}
