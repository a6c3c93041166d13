package faults

import (
	"testing"
	"time"
)

func TestToyHasALineInAPlan(t *testing.T) {
	const want = "at 0s jolt worker-1 by 2s for 1s #1\n"
	plan := Generate([]Spec{moment(&Jolt{OnNode{"worker-1"}, 2 * time.Second})}, 1, workers(), duration)
	if got := plan.String(); got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
	if again, err := ParsePlan(want); err != nil || again.String() != want {
		t.Errorf("read again it is %q, %v", again, err)
	}
	wantInvalid(t, []invalid{{"no clock", moment(&Jolt{OnNode: OnNode{"worker-1"}}), "by", "is missing"}})
	if err := (&Jolt{}).Apply(nil, time.Second); err == nil {
		t.Error("it was carried out on nothing")
	}
}
