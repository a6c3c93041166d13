package run_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// A panic of a server is the error of its run, with the seed and the stack, and does not end the program.
func TestAPanicOutsideOfATaskIsTheErrorOfItsRun(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	r := run.Runner{Scenario: s, Visit: func(_ time.Duration, _, point string) {
		if point == "acquire.applied" { // at the server
			panic("of the server")
		}
	}}
	trial, err := r.Once(s.Strategies[0], 7)
	failed, ok := errors.AsType[*run.Error](err)
	if !ok || trial != nil {
		t.Fatalf("got %v, %v, want an error of a run", trial, err)
	}
	if want := "kleppmann, redis, seed 7: panic outside of tasks: of the server"; failed.Error() != want {
		t.Errorf("got %q, want %q", failed.Error(), want)
	}
	if !strings.Contains(failed.Stack(), "panic_test.go") {
		t.Errorf("the stack does not show the place: %s", failed.Stack())
	}
}
