package faults

import (
	"testing"
	"time"

	"lockquake/internal/draw"
)

func TestHoldAndDropCatchOneMessage(t *testing.T) {
	for _, f := range []Fault{&Hold{}, &Drop{}} {
		message := func(point string) Spec {
			return Spec{When: &When{"worker-1", point, 1}, Timing: Timing{For: draw.Fixed(time.Second)}, Fault: f}
		}
		repeated := message("acquire.sent")
		repeated.Every = seconds(1)
		wantInvalid(t, []invalid{
			{"request", message("acquire.sent"), "", ""},
			{"reply", message("release.replied"), "", ""},
			{"effect", message("acquire.applied"), "when.point", "no message is sent"},
			{"step of a worker", message("acquired"), "when.point", "no message is sent"},
			{"no operation", message(".sent"), "when.point", "no message is sent"},
			{"reply of no operation", message(".replied"), "when.point", "no message is sent"},
			{"every", repeated, "every", "cannot be repeated"},
			{"moment", moment(f), "when", "catches one message"},
		})

		spec := message("acquire.sent")
		spec.When.Worker = "worker-2"
		steps := Generate([]Spec{spec}, 1, workers(), duration).Steps
		if len(steps) != 1 || steps[0].Target() != "worker-2" || steps[0].Kind() != f.Info().Kind {
			t.Errorf("the steps are %v", steps)
		}
	}
}
