package faults

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// steps draws any step that a plan can hold.
func steps() *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		name := rapid.StringMatching(`[a-zA-Z0-9#>./-]{1,8}`)
		length := rapid.Int64Range(1, math.MaxInt64)
		number := rapid.IntRange(1, math.MaxInt32)
		s := Step{Spec: number.Draw(t, "spec") - 1}
		info := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		s.Action.Kind = info.Kind
		message := info.Point != AnyPoint
		if message || rapid.Bool().Draw(t, "tied") {
			s.When = &When{name.Draw(t, "worker"), name.Draw(t, "point"), number.Draw(t, "nth")}
		} else {
			s.At = time.Duration(length.Draw(t, "at")) - 1
		}
		switch {
		case message:
			points := []string{"acquire.sent", "set.replied"}
			if info.Point == RequestPoint {
				points = points[:1]
			}
			s.When.Point = rapid.SampledFrom(points).Draw(t, "message")
			s.Action.Target = s.When.Worker
		case slices.Contains(info.Params, "from"):
			s.Action.From, s.Action.To = name.Draw(t, "from"), name.Draw(t, "to")
		default:
			s.Action.Target = name.Draw(t, "target")
		}
		switch s.Action.Kind {
		case Stall:
			s.Action.Task = name.Draw(t, "task")
		case ClockStep:
			s.Action.By = time.Duration(rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "by"))
		case Overrun, Stale:
			s.Action.By = time.Duration(length.Draw(t, "by"))
		case ClockRate:
			s.Action.Clock = rapid.SampledFrom(Clocks()).Draw(t, "clock")
			s.Action.PPM = rapid.Int64Range(1-mostPPM, mostPPM).Filter(func(n int64) bool { return n != 0 }).Draw(t, "ppm")
		case Partition:
			s.Action.Mode = rapid.SampledFrom(Modes()).Draw(t, "mode")
		case Loss:
			s.Action.Percent = rapid.IntRange(1, 100).Draw(t, "percent")
		case Crash:
			s.Action.Data = rapid.SampledFrom(append(Datas(), DataByPersistence)).Draw(t, "data")
		case Delete, Evict:
			s.Action.Key = rapid.SampledFrom([]string{"", "*", "resource-[12]"}).Draw(t, "key")
		case Error:
			s.Action.Text = rapid.SampledFrom([]string{"BUSY", "ERR no for me #1"}).Draw(t, "text")
		case AnswerErrors:
			s.Action.With = rapid.SampledFrom(Codes()).Draw(t, "with")
		default:
		}
		if !info.Instant {
			s.Action.For = time.Duration(length.Draw(t, "for"))
		}
		return s
	})
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := Plan{rapid.SliceOfN(steps(), 1, 5).Draw(t, "steps")}
		got, err := ParsePlan(plan.String())
		if err != nil {
			t.Fatalf("%v in\n%v", err, plan)
		}
		if diff := cmp.Diff(plan, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParsePlan(t *testing.T) {
	const text = "# made by hand\r\n\n at 1500ms\tpause worker-1  for 1h #2\nwhen worker-2 acquire.sent 3 hold for 5us #1"
	want := Plan{[]Step{
		{Spec: 1, At: 1500 * time.Millisecond, Action: Action{Kind: Pause, Target: "worker-1", For: time.Hour}},
		{
			When:   &When{"worker-2", "acquire.sent", 3},
			Action: Action{Kind: Hold, Target: "worker-2", For: 5 * time.Microsecond},
		},
	}}
	got, err := ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if empty, err := ParsePlan("\n# nothing\n"); err != nil || empty.Steps != nil {
		t.Errorf("a plan without steps is %v, %v", empty, err)
	}
}

func TestParsePlanErrors(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"begin", "after 5s pause a for 1s #1", `a step begins with at or when, not with "after"`},
		{"moment", "at noon pause a for 1s #1", `"noon" is no duration such as 150ms`},
		{"no unit", "at 5 pause a for 1s #1", `"5" is no duration such as 150ms`},
		{"negative moment", "at -5s pause a for 1s #1", "the duration -5s is shorter than 0s"},
		{"overflow", "at 9999999h pause a for 1s #1", `"9999999h" is no duration such as 150ms`},
		{"nth", "when a acquired zero pause a for 1s #1", `"zero" is no number from 1`},
		{"nth 0", "when a acquired 0 pause a for 1s #1", `"0" is no number from 1`},
		{"kind", "at 5s flood a for 1s #1", `there is no kind of fault called "flood"`},
		{"end of line", "at 5s pause", "the line ends where the worker should be"},
		{"no for", "at 5s pause a 1s #1", `"1s" is where "for" should be`},
		{"length 0", "at 5s pause a for 0s #1", "the duration 0s is shorter than 1ns"},
		{"no spec", "at 5s pause a for 1s", "the line ends where the number #1 should be"},
		{"spec without sign", "at 5s pause a for 1s 1", `"1" is no number from #1`},
		{"spec 0", "at 5s pause a for 1s #0", `"#0" is no number from #1`},
		{"more", "at 5s pause a for 1s #1 #2", `nothing is expected after the step, but there is "#2"`},
		{"arrow", "at 5s partition a to lock hold for 1s #1", `"to" is where "->" should be`},
		{"mode", "at 5s partition a -> lock for 1s #1", `unknown mode "for" of a partition, known are [hold drop reset]`},
		{"message at a moment", "at 5s hold for 1s #1", "a hold is tied to a message, not to a moment"},
		{"answer that is no request", "when a acquire.replied 1 duplicate for 1s #1", `at "acquire.replied" no request begins its way: ` +
			"a duplicate needs a point such as acquire.sent"},
		{"error without text", "when a acquire.sent 1 error #1", "the line ends where the text of the error should be"},
		{"instant with a length", "at 5s failover lock for 1s #1", `"for" is no number from #1`},
		{"share", "at 5s loss a -> lock 101 percent for 1s #1", "101 is more than 100 percent"},
		{"data", "at 5s crash lock data half for 1s #1", `unknown data "half", known are [kept lost written]`},
		{"no message", "when a acquired 1 drop for 1s #1", `at "acquired" no message begins its way: ` +
			"a drop needs a point such as acquire.sent or acquire.replied"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParsePlan("at 1s pause a for 1s #1\n\n" + test.line + "\n")
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff("line 3: "+test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add("at 5s partition worker-1 -> lock hold for 10s #2\n")
	f.Add("when worker-1 lease-checked 1 pause worker-1 for 15s #1\n# done\n")
	f.Add("when worker-2 acquire.replied 1 drop for 3s #4")
	f.Add("at 1h1m1.000000001s pause w for 2us #+7")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := ParsePlan(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		again, err := ParsePlan(plan.String())
		if err != nil {
			t.Fatalf("%v in\n%v", err, plan)
		}
		if diff := cmp.Diff(plan, again); diff != "" {
			t.Error(diff)
		}
	})
}
