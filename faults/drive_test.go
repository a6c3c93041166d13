package faults

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tape is a Target that records its calls. It has no worker called ghost.
type tape struct {
	lines []string
	calls []func()
}

var errGhost = errors.New("there is no ghost")

func (p *tape) At(moment time.Duration, do func()) {
	p.lines = append(p.lines, fmt.Sprint("at ", moment))
	p.calls = append(p.calls, do)
}

func (p *tape) OnPoint(worker, point string, nth int, do func()) error {
	if worker == "ghost" {
		return errGhost
	}
	p.lines = append(p.lines, fmt.Sprint("on ", worker, " ", point, " ", nth))
	p.calls = append(p.calls, do)
	return nil
}

func (p *tape) Apply(number int, s Step) error {
	if s.Target() == "ghost" {
		return errGhost
	}
	p.lines = append(p.lines, fmt.Sprint("apply ", number, " ", s.Kind(), " ", s.Target(), " ", s.For))
	return nil
}

func TestDriveAppliesEachStepAndReportsThoseThatFail(t *testing.T) {
	plan, err := ParsePlan(`
		at 5s pause worker-1 for 2s #4
		at 6s pause ghost for 2s #4
		when worker-2 acquire.sent 3 hold for 1s #1`)
	if err != nil {
		t.Fatal(err)
	}
	var target tape
	var failures []error
	if err := Drive(plan, &target, func(err error) { failures = append(failures, err) }); err != nil {
		t.Fatal(err)
	}
	for _, call := range target.calls {
		call()
	}
	want := []string{
		"at 5s", "at 6s", "on worker-2 acquire.sent 3",
		"apply 1 pause worker-1 2s", "apply 3 hold worker-2 1s",
	}
	if diff := cmp.Diff(want, target.lines); diff != "" {
		t.Error(diff)
	}
	const failure = "step 2, at 6s pause ghost for 2s #4: there is no ghost"
	if len(failures) != 1 || failures[0].Error() != failure || !errors.Is(failures[0], errGhost) {
		t.Errorf("the failures are %v, want %s", failures, failure)
	}
}

func TestDriveReturnsTheErrorOfAStepThatTheTargetRefuses(t *testing.T) {
	plan, err := ParsePlan("when ghost acquired 1 pause worker-1 for 2s #1")
	if err != nil {
		t.Fatal(err)
	}
	err = Drive(plan, &tape{}, func(error) { t.Error("nothing was applied") })
	const want = "step 1, when ghost acquired 1 pause worker-1 for 2s #1: there is no ghost"
	if !errors.Is(err, errGhost) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
