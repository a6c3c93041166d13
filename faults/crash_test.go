package faults

import (
	"testing"
	"time"

	"lockquake/internal/draw"
)

// moment returns a spec of the fault at 0s, for 1s.
func moment(f Fault) Spec {
	return Spec{At: new(time.Duration), Timing: Timing{For: draw.Fixed(time.Second)}, Fault: f}
}

func TestStallNeedsAWorkerAndATask(t *testing.T) {
	wantInvalid(t, []invalid{
		{"renewal of one", moment(&Stall{OnWorker: OnWorker{Target: "worker-1"}, Task: "renewal"}), "", ""},
		{"renewal of each", moment(&Stall{OnWorker: OnWorker{Target: EachWorker}, Task: "renewal"}), "", ""},
		{"no task", moment(&Stall{OnWorker: OnWorker{Target: "worker-1"}}), "task", "missing"},
		{"server", moment(&Stall{OnWorker: OnWorker{Target: "lock"}, Task: "renewal"}), "target", `no worker is called "lock"`},
		{"no target", moment(&Stall{Task: "renewal"}), "target", "missing"},
	})
}

func TestOnlyALockServerCanCrashWithoutItsData(t *testing.T) {
	wantInvalid(t, []invalid{
		{"suspended worker", moment(&Suspend{OnNode: OnNode{Target: "worker-1"}}), "", ""},
		{"suspended server", moment(&Suspend{OnNode: OnNode{Target: "lock"}}), "", ""},
		{"suspended stranger", moment(&Suspend{OnNode: OnNode{Target: "lick"}}), "target", `no worker or server is called "lick"`},
		{"crashed worker", moment(&Crash{OnNode: OnNode{Target: EachWorker}}), "", ""},
		{"crashed server", moment(&Crash{OnNode: OnNode{Target: "lock"}}), "", ""},
		{"crashed server without data", moment(&Crash{OnNode: OnNode{Target: "lock"}, Data: DataLost}), "", ""},
		{"killed server", moment(&Crash{OnNode: OnNode{Target: "lock"}, Data: DataWritten}), "", ""},
		{"crashed worker without data", moment(&Crash{OnNode: OnNode{Target: "worker-1"}, Data: DataLost}), "data", "a worker keeps no data"},
		{"crashed resource", moment(&Crash{OnNode: OnNode{Target: "resource"}}), "", ""},
		{"crashed resource without data", moment(&Crash{OnNode: OnNode{Target: "resource"}, Data: DataLost}), "data", "fence policy of the resource decides"},
		{"unknown data", moment(&Crash{OnNode: OnNode{Target: "lock"}, Data: "gone"}), "data", `unknown data "gone"`},
	})
}

func TestOverrunAndCancelNeedAWorker(t *testing.T) {
	wantInvalid(t, []invalid{
		{"overrun", moment(&Overrun{OnWorker: OnWorker{Target: EachWorker}, By: time.Second}), "", ""},
		{"overrun of a server", moment(&Overrun{OnWorker: OnWorker{Target: "lock"}, By: time.Second}), "target", `no worker is called "lock"`},
		{"overrun by nothing", moment(&Overrun{OnWorker: OnWorker{Target: "worker-1"}}), "by", "missing"},
		{"cancel", instant(&Cancel{OnWorker: OnWorker{Target: "worker-1"}}), "", ""},
		{"cancel with a length", moment(&Cancel{OnWorker: OnWorker{Target: "worker-1"}}), "for", "a cancel has no length"},
	})
}

// instant returns a spec of the fault at 0s, without a length.
func instant(f Fault) Spec { return Spec{At: new(time.Duration), Fault: f} }
