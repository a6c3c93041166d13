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
		{"crashed server", moment(Crash, Params{Target: "lock"}), "", ""},
		{"crashed server without data", moment(Crash, Params{Target: "lock", Data: DataLost}), "", ""},
		{"killed server", moment(Crash, Params{Target: "lock", Data: DataWritten}), "", ""},
		{"crashed worker without data", moment(Crash, Params{Target: "worker-1", Data: DataLost}), "data", "a worker keeps none"},
		{"crashed resource", moment(Crash, Params{Target: "resource"}), "", ""},
		{"crashed resource without data", moment(Crash, Params{Target: "resource", Data: DataLost}), "data", "said by its fence policy"},
		{"unknown data", moment(Crash, Params{Target: "lock", Data: "gone"}), "data", `unknown word "gone"`},
		{"crash with a task", moment(Crash, Params{Target: "worker-1", Task: "x"}), "task", "a crash takes none"},
	})
}

func TestWorkParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"overrun", moment(Overrun, Params{Target: EachWorker, By: time.Second}), "", ""},
		{"overrun of a server", moment(Overrun, Params{Target: "lock", By: time.Second}), "target", `no worker is called "lock"`},
		{"overrun by nothing", moment(Overrun, Params{Target: "worker-1"}), "by", "missing"},
		{"cancel", instant(Cancel, Params{Target: "worker-1"}), "", ""},
		{"cancel with a length", moment(Cancel, Params{Target: "worker-1"}), "for", "a cancel takes none"},
	})
}

// instant makes a timed spec of a kind that takes no time.
func instant(kind Kind, p Params) Spec { return Spec{At: new(time.Duration), Kind: kind, Params: p} }
