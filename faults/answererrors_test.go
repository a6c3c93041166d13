package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestAnswerErrorsNeedsAKnownErrorAndALockServer(t *testing.T) {
	wantInvalid(t, []invalid{
		{"of the lock", moment(&AnswerErrors{With: CodeLoading}), "", ""},
		{"of a server", moment(&AnswerErrors{OnServer: OnServer{Target: "lock"}, With: CodeMemory}), "", ""},
		{"no error", moment(&AnswerErrors{OnServer: OnServer{Target: "lock"}}), "with", "is missing: one of [READONLY LOADING OOM MISCONF CLUSTERDOWN THROTTLED UNAVAILABLE]"},
		{"another error", moment(&AnswerErrors{With: "BUSY"}), "with", `unknown error "BUSY"`},
		{"of the resource", moment(&AnswerErrors{OnServer: OnServer{Target: "resource"}, With: CodeDisk}), "target", "the resource has no such errors"},
		{"of a worker", moment(&AnswerErrors{OnServer: OnServer{Target: "worker-1"}, With: CodeDisk}), "target", `no server is called "worker-1"`},
		{"a length", instant(&AnswerErrors{With: CodeDisk}), "for", "is missing"},
	})
}

func TestAPlanHasTheErrorOfAnswerErrors(t *testing.T) {
	at := 5 * time.Second
	spec := Spec{At: &at, Timing: Timing{For: draw.Fixed(2 * time.Second)}, Fault: &AnswerErrors{With: CodeReadOnly}}
	plan := Generate([]Spec{spec}, 1, workers(), duration)
	want := "at 5s answer-errors lock with READONLY for 2s #1\n"
	if diff := cmp.Diff(want, plan.String()); diff != "" {
		t.Error(diff)
	}
	again, err := ParsePlan(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan, again); diff != "" {
		t.Error(diff)
	}
	if _, err := ParsePlan("at 5s answer-errors lock with BUSY for 2s #1\n"); err == nil {
		t.Error("a plan with an unknown error is read")
	}
}
