package faults

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lockquake/internal/draw"
)

// steps draws any step that a plan can hold, of any kind of the catalogue.
func steps() *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		length := rapid.Int64Range(1, math.MaxInt64)
		number := rapid.IntRange(1, math.MaxInt32)
		s := Step{Spec: number.Draw(t, "spec") - 1}
		info := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		if info.Point != AnyPoint || rapid.Bool().Draw(t, "tied") {
			s.When = &When{names().Draw(t, "worker"), names().Draw(t, "point"), number.Draw(t, "nth")}
		} else {
			s.At = time.Duration(length.Draw(t, "at")) - 1
		}
		switch info.Point {
		case MessagePoint:
			s.When.Point = rapid.SampledFrom([]string{"acquire.sent", "set.replied"}).Draw(t, "message")
		case RequestPoint:
			s.When.Point = "acquire.sent"
		}
		if !info.Instant {
			s.For = time.Duration(length.Draw(t, "for"))
		}
		s.Fault = rapid.Custom(func(t *rapid.T) Fault { return drawFault(t, info) }).Filter(func(f Fault) bool {
			known := Names(f)
			return f.check(Spec{When: s.When, Fault: f}, known, known) == nil
		}).Draw(t, "fault")
		return s
	})
}

func names() *rapid.Generator[string] { return rapid.StringMatching(`[a-zA-Z0-9#>./-]{1,8}`) }

// drawFault draws the parameters of a fault by their types.
func drawFault(t *rapid.T, info Info) Fault {
	rapid.Bool().Draw(t, "") // a generator has to draw something, and some kinds have no parameters
	f := info.New()
	params := reflect.ValueOf(f).Elem()
	for _, field := range reflect.VisibleFields(params.Type()) {
		if field.Anonymous {
			continue
		}
		switch into := params.FieldByIndex(field.Index).Addr().Interface().(type) {
		case *string:
			*into = rapid.SampledFrom([]string{"", "word", "#7", "resource-[12]", "worker", "->"}).Draw(t, field.Name)
		case *time.Duration:
			*into = time.Duration(rapid.Int64().Draw(t, field.Name))
		case *int:
			*into = rapid.IntRange(0, 101).Draw(t, field.Name)
		case *int64:
			*into = rapid.Int64Range(-maxPPM, maxPPM+1).Draw(t, field.Name)
		case *draw.Dist:
			*into = dists().Draw(t, field.Name)
		case Word:
			word := rapid.SampledFrom(append(into.Words(), "")).Draw(t, field.Name)
			params.FieldByIndex(field.Index).SetString(word)
		default:
			t.Fatalf("%s.%s is of a type that this test cannot draw", info.Kind, field.Name)
		}
	}
	for _, name := range f.names() {
		*name = names().Draw(t, "name")
	}
	if c, ok := f.(completer); ok {
		c.complete()
	}
	return f
}

// dists draws a valid distribution of any family.
func dists() *rapid.Generator[draw.Dist] {
	return rapid.Custom(func(t *rapid.T) draw.Dist {
		length := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(1, int64(draw.Longest)).Draw(t, name))
		}
		d := draw.Dist{Kind: rapid.SampledFrom(draw.Kinds()).Draw(t, "family")}
		switch d.Kind {
		case draw.Constant:
			d.Value = length("value")
		case draw.Uniform:
			d.Min, d.Max = length("min"), length("max")
		case draw.Exponential:
			d.Mean = length("mean")
		case draw.Lognormal:
			d.Median, d.P99 = length("median"), length("p99")
		case draw.Pareto:
			d.Min, d.P99 = length("min"), length("p99")
		case draw.Empirical:
			for range rapid.IntRange(1, 4).Draw(t, "samples") {
				d.Samples = append(d.Samples, length("sample"))
			}
		}
		return d
	}).Filter(func(d draw.Dist) bool { return d.Validate() == nil })
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

func TestParsePlanSkipsCommentsAndSpaces(t *testing.T) {
	const text = "# made by hand\r\n\n at 1500ms\tpause worker-1  for 1h #2\nwhen worker-2 acquire.sent 3 hold for 5us #1"
	want := Plan{[]Step{
		{Spec: 1, At: 1500 * time.Millisecond, For: time.Hour, Fault: &Pause{OnNode{"worker-1"}}},
		{When: &When{"worker-2", "acquire.sent", 3}, For: 5 * time.Microsecond, Fault: &Hold{}},
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

func TestParsePlanNamesTheLineAndTheError(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"begin", "after 5s pause a for 1s #1", `a step begins with at or when, not with "after"`},
		{"moment", "at noon pause a for 1s #1", `"noon" is not a duration such as 150ms`},
		{"no unit", "at 5 pause a for 1s #1", `"5" is not a duration such as 150ms`},
		{"negative moment", "at -5s pause a for 1s #1", "the duration -5s is shorter than 0s"},
		{"overflow", "at 9999999h pause a for 1s #1", `"9999999h" is not a duration such as 150ms`},
		{"nth", "when a acquired zero pause a for 1s #1", `"zero" is not a number from 1`},
		{"nth 0", "when a acquired 0 pause a for 1s #1", `"0" is not a number from 1`},
		{"kind", "at 5s flood a for 1s #1", `there is no kind of fault called "flood"`},
		{"end of line", "at 5s pause", "the line ends where the worker or server should be"},
		{"no for", "at 5s pause a 1s #1", `"1s" is where "for" should be`},
		{"length 0", "at 5s pause a for 0s #1", "the duration 0s is shorter than 1ns"},
		{"no spec", "at 5s pause a for 1s", "the line ends where the number #1 should be"},
		{"spec without sign", "at 5s pause a for 1s 1", `"1" is not a number from #1`},
		{"spec 0", "at 5s pause a for 1s #0", `"#0" is not a number from #1`},
		{"more", "at 5s pause a for 1s #1 #2", `nothing is expected after the step, but there is "#2"`},
		{"arrow", "at 5s partition a to lock hold for 1s #1", `"to" is where "->" should be`},
		{"mode", "at 5s partition a -> lock for 1s #1", `unknown mode "for", known are [hold drop reset]`},
		{"message at a moment", "at 5s hold for 1s #1", "a hold is tied to a message, not to a moment"},
		{"answer that is no request", "when a acquire.replied 1 duplicate for 1s #1", `no request is sent at "acquire.replied": ` +
			"a duplicate needs a point such as acquire.sent"},
		{"error without text", "when a acquire.sent 1 error #1", "the line ends where the text of the error should be"},
		{"instant with a length", "at 5s failover lock for 1s #1", `"for" is not a number from #1`},
		{"the line ends before an optional word", "at 5s crash lock", "the line ends where the word for should be"},
		{"clock", "at 5s clock-rate lock sun 500 ppm for 1s #1", `unknown clock "sun", known are [wall monotonic]`},
		{"rate that is no number", "at 5s clock-rate lock wall much ppm for 1s #1", `"much" is not a rate between -1000000 and 1000000 parts per million`},
		{"rate 0", "at 5s clock-rate lock wall 0 ppm for 1s #1", `"0" is not a rate between -1000000 and 1000000 parts per million`},
		{"rate of a clock that stands still", "at 5s clock-rate lock wall -1000000 ppm for 1s #1", `"-1000000" is not a rate between -1000000 and 1000000 parts per million`},
		{"rate too high", "at 5s clock-rate lock wall 1000001 ppm for 1s #1", `"1000001" is not a rate between -1000000 and 1000000 parts per million`},
		{"share", "at 5s loss a -> lock 101 percent for 1s #1", "101 is more than 100 percent"},
		{"data", "at 5s crash lock data half for 1s #1", `unknown data "half", known are [kept lost written]`},
		{"no latency", "at 5s latency a -> lock for 1s #1", `"for" is where "add" should be`},
		{"no distribution", "at 5s latency a -> lock add much for 1s #1", `"much" is not a duration such as 150ms`},
		{"part of a distribution", "at 5s overload lock service lognormal median 1s for 1s #1", `"for" is where "p99" should be`},
		{"wrong distribution", "at 5s overload lock service uniform min 2s max 1s for 1s #1", "max: 1s is not longer than min, 2s"},
		{"latency of nothing", "at 5s latency a -> lock add 0s for 1s #1", "add: must be longer than 0s"},
		{"no message", "when a acquired 1 drop for 1s #1", `no message is sent at "acquired": ` +
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
	f.Add("at 1s overload lock service empirical samples 1ms,2s for 5s #1\nat 2s latency a -> b add lognormal median 1ms p99 1s for 1s #1")
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
