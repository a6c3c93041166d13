package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestAnswerErrorsParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"of the lock", moment(AnswerErrors, Params{With: CodeLoading}), "", ""},
		{"of a server", moment(AnswerErrors, Params{Target: "lock", With: CodeMemory}), "", ""},
		{"no error", moment(AnswerErrors, Params{Target: "lock"}), "with", "is missing: one of [READONLY LOADING OOM MISCONF CLUSTERDOWN]"},
		{"another error", moment(AnswerErrors, Params{With: "BUSY"}), "with", `unknown error "BUSY"`},
		{"of the resource", moment(AnswerErrors, Params{Target: "resource", With: CodeDisk}), "target", "the resource has no such errors"},
		{"of a worker", moment(AnswerErrors, Params{Target: "worker-1", With: CodeDisk}), "target", `no server is called "worker-1"`},
		{"a length", Spec{Kind: AnswerErrors, At: new(time.Duration), Params: Params{With: CodeDisk}}, "for", "is missing"},
	})
}

func TestAnswerErrorsSteps(t *testing.T) {
	at := 5 * time.Second
	spec := Spec{Kind: AnswerErrors, At: &at, Params: Params{With: CodeReadOnly, For: draw.Fixed(2 * time.Second)}}
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
