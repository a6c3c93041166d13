package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestAPartitionNeedsTwoKnownEndsAndAKnownMode(t *testing.T) {
	cut := func(from, to string, mode Mode) Spec {
		return Spec{At: new(time.Duration), Fault: &Partition{OnLink: OnLink{From: from, To: to}, Mode: mode}, Timing: Timing{For: draw.Fixed(time.Second)}}
	}
	wantInvalid(t, []invalid{
		{"requests", cut("worker-1", "lock", ""), "", ""},
		{"replies", cut("lock", "worker-1", ModeDrop), "", ""},
		{"each worker", cut(EachWorker, "resource", ModeHold), "", ""},
		{"to each worker", cut("resource", EachWorker, ModeHold), "", ""},
		{"no begin", cut("", "lock", ""), "from", "missing"},
		{"no end", cut("lock", "", ""), "to", "missing"},
		{"stranger", cut("worker-1", "clock", ""), "to", `no worker or server is called "clock"`},
		{"strange begin", cut("worker-7", "lock", ""), "from", `no worker or server is called "worker-7"`},
		{"one end", cut("lock", "lock", ""), "to", "cannot be cut"},
		{"each to each", cut(EachWorker, EachWorker, ""), "to", "cannot be cut"},
		{"mode", cut("worker-1", "lock", "delay"), "mode", `unknown mode "delay"`},
	})
}

func TestAPartitionOfEachWorkerIsOneForEachLink(t *testing.T) {
	tests := []struct {
		name string
		f    Partition
		want []Fault
	}{
		{
			name: "one link, held unless dropped",
			f:    Partition{OnLink: OnLink{"worker-1", "lock"}},
			want: []Fault{&Partition{OnLink{"worker-1", "lock"}, ModeHold}},
		},
		{
			name: "a worker at each link's begin",
			f:    Partition{OnLink{EachWorker, "lock"}, ModeDrop},
			want: []Fault{
				&Partition{OnLink{"worker-1", "lock"}, ModeDrop},
				&Partition{OnLink{"worker-2", "lock"}, ModeDrop},
				&Partition{OnLink{"worker-3", "lock"}, ModeDrop},
			},
		},
		{
			name: "no link to oneself",
			f:    Partition{OnLink: OnLink{"worker-2", EachWorker}},
			want: []Fault{
				&Partition{OnLink{"worker-2", "worker-1"}, ModeHold},
				&Partition{OnLink{"worker-2", "worker-3"}, ModeHold},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Spec{Fault: &test.f}.targets(workers())
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
