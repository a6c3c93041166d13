package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestHoldAndDropCatchOneMessage(t *testing.T) {
	for _, kind := range []Kind{Hold, Drop} {
		message := func(point string, p Params) Spec {
			p.For = draw.Fixed(time.Second)
			return Spec{When: &When{"worker-1", point, 1}, Kind: kind, Params: p}
		}
		wantInvalid(t, []invalid{
			{"request", message("acquire.sent", Params{}), "", ""},
			{"reply", message("release.replied", Params{}), "", ""},
			{"effect", message("acquire.applied", Params{}), "when.point", "no message begins its way"},
			{"step of a worker", message("acquired", Params{}), "when.point", "no message begins its way"},
			{"no operation", message(".sent", Params{}), "when.point", "no message begins its way"},
			{"target", message("acquire.sent", Params{Target: "worker-1"}), "target", "takes none"},
			{"every", message("acquire.sent", Params{Every: seconds(1)}), "every", "takes none"},
			{"moment", Spec{At: new(time.Duration), Kind: kind, Params: Params{For: draw.Fixed(1)}}, "when", "catches one message"},
		})

		spec := message("acquire.sent", Params{})
		spec.When.Worker = "worker-2"
		if diff := cmp.Diff([]Action{{Kind: kind, Target: "worker-2"}}, spec.actions(workers())); diff != "" {
			t.Error(diff)
		}
	}
}
