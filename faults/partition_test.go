package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestPartitionParams(t *testing.T) {
	cut := func(from, to string, mode Mode) Spec {
		return Spec{At: new(time.Duration), Kind: Partition, Params: Params{From: from, To: to, Mode: mode, For: draw.Fixed(time.Second)}}
	}
	aimed := cut("worker-1", "lock", "")
	aimed.Params.Target = "worker-1"
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
		{"target", aimed, "target", "a partition takes none"},
	})
}

func TestPartitionLinks(t *testing.T) {
	tests := []struct {
		name string
		p    Params
		want []Action
	}{
		{
			name: "one link, held unless dropped",
			p:    Params{From: "worker-1", To: "lock"},
			want: []Action{{Kind: Partition, From: "worker-1", To: "lock", Mode: ModeHold}},
		},
		{
			name: "a worker at each link's begin",
			p:    Params{From: EachWorker, To: "lock", Mode: ModeDrop},
			want: []Action{
				{Kind: Partition, From: "worker-1", To: "lock", Mode: ModeDrop},
				{Kind: Partition, From: "worker-2", To: "lock", Mode: ModeDrop},
				{Kind: Partition, From: "worker-3", To: "lock", Mode: ModeDrop},
			},
		},
		{
			name: "no link to oneself",
			p:    Params{From: "worker-2", To: EachWorker},
			want: []Action{
				{Kind: Partition, From: "worker-2", To: "worker-1", Mode: ModeHold},
				{Kind: Partition, From: "worker-2", To: "worker-3", Mode: ModeHold},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Spec{Kind: Partition, Params: test.p}.actions(workers())
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
