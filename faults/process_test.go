package faults

import (
	"testing"
	"time"

	"lockquake/internal/draw"
)

// moment makes a timed spec of a kind.
func moment(kind Kind, p Params) Spec {
	p.For = draw.Fixed(time.Second)
	return Spec{At: new(time.Duration), Kind: kind, Params: p}
}

func TestStallParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"renewal of one", moment(Stall, Params{Target: "worker-1", Task: "renewal"}), "", ""},
		{"renewal of each", moment(Stall, Params{Target: EachWorker, Task: "renewal"}), "", ""},
		{"no task", moment(Stall, Params{Target: "worker-1"}), "task", "missing"},
		{"server", moment(Stall, Params{Target: "lock", Task: "renewal"}), "target", `no worker is called "lock"`},
		{"no target", moment(Stall, Params{Task: "renewal"}), "target", "missing"},
	})
}

func TestSuspendAndCrashParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"suspended worker", moment(Suspend, Params{Target: "worker-1"}), "", ""},
		{"suspended server", moment(Suspend, Params{Target: "lock"}), "", ""},
		{"suspended stranger", moment(Suspend, Params{Target: "lick"}), "target", `no worker or server is called "lick"`},
		{"crashed worker", moment(Crash, Params{Target: EachWorker}), "", ""},
		{"crashed server", moment(Crash, Params{Target: "lock"}), "target", `no worker is called "lock"`},
		{"crash with a task", moment(Crash, Params{Target: "worker-1", Task: "x"}), "task", "a crash takes none"},
	})
}
