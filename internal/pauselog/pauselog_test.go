package pauselog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// The logs in testdata are of real programs: Go 1.26.8 and OpenJDK 17.0.15, with other output
// between the lines.
func TestLogsOfRealProgramsAreRead(t *testing.T) {
	tests := []struct {
		file    string
		kind    Kind
		pauses  int // as grep counts them: two for each line of gctrace
		first   []time.Duration
		longest time.Duration
		span    time.Duration
	}{
		{"gctrace.log", GoTrace, 2 * 86, []time.Duration{2700 * us, 7 * us, 1400 * us, 11 * us}, 18 * ms, 3887 * ms},
		{"jvm-safepoint.log", Safepoint, 52, []time.Duration{89837037}, 125865313, 886 * ms},
		{"jvm-gc.log", JVMGC, 49, []time.Duration{78154 * us, 9863 * us}, 145917 * us, 945 * ms},
		{"jvm-zgc.log", JVMGC, 44, []time.Duration{11 * us, 18 * us}, 39 * us, 2854 * ms},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", test.file))
			if err != nil {
				t.Fatal(err)
			}
			log, err := Read(test.file, data)
			if err != nil {
				t.Fatal(err)
			}
			if log.Kind != test.kind || len(log.Pauses) != test.pauses || log.Longest() != test.longest || log.Span != test.span {
				t.Errorf("got a %s with %d pauses, longest %v, over %v", log.Kind, len(log.Pauses), log.Longest(), log.Span)
			}
			if diff := cmp.Diff(test.first, log.Pauses[:len(test.first)]); diff != "" {
				t.Errorf("first pauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachFormOfALineIsRead(t *testing.T) {
	tests := []struct {
		name, text string
		want       Log
	}{
		{"list", "# measured\n5ms\n\n 1s \n5ms", Log{List, []time.Duration{5 * ms, time.Second, 5 * ms}, 0}},
		{"list with a byte order mark", "\ufeff5ms\r\n", Log{List, []time.Duration{5 * ms}, 0}},
		{"list with Windows line ends", "5ms\r\n1s\r\n", Log{List, []time.Duration{5 * ms, time.Second}, 0}},
		{
			"gctrace, whole milliseconds and zero",
			"gc 5 @0.791s 5%: 23+54+0 ms clock, 46+0.50/51/0+0.014 ms cpu, 3->3->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P",
			Log{GoTrace, []time.Duration{23 * ms, 0}, 0},
		},
		{
			"gctrace, forced and behind the stamp of a container",
			"2026-01-02T03:04:05Z stderr F gc 1 @1.000s 0%: 0.50+1.0+0.25 ms clock, 0+0/0/0+0 ms cpu, 3->3->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n" +
				"2026-01-02T03:04:07Z stderr F gc 2 @3.500s 0%: 1.0+1.0+2.0 ms clock, 0+0/0/0+0 ms cpu, 3->3->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P",
			Log{GoTrace, []time.Duration{500 * us, 250 * us, ms, 2 * ms}, 2500 * ms},
		},
		{
			"gctrace that looks for leaks of goroutines",
			"gc 1 @1.000s 0% (checking for goroutine leaks): 0.50+1.0+0.25 ms clock, 0+0/0/0+0 ms cpu, 3->3->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P",
			Log{GoTrace, []time.Duration{500 * us, 250 * us}, 0},
		},
		{
			"gctrace of two processes: the second starts at zero",
			"gc 1 @1.0s 0%: 1.0+1.0+1.0 ms clock, \ngc 2 @4.0s 0%: 1.0+1.0+1.0 ms clock, \ngc 1 @0.5s 0%: 1.0+1.0+1.0 ms clock, \ngc 2 @1.0s 0%: 1.0+1.0+1.0 ms clock, \n",
			Log{GoTrace, []time.Duration{ms, ms, ms, ms, ms, ms, ms, ms}, 3500 * ms},
		},
		{
			"safepoints of JDK 21, uptime in milliseconds",
			"[100ms][info][safepoint] Safepoint \"ICBufferFull\", Time since last: 12 ns, Reaching safepoint: 1 ns, At safepoint: 2 ns, Total: 1500 ns, Threads: 0 runnable, 12 total\n" +
				"[350ms][info][safepoint] Safepoint \"Cleanup\", Time since last: 12 ns, Reaching safepoint: 1 ns, At safepoint: 2 ns, Total: 2500 ns\n",
			Log{Safepoint, []time.Duration{1500, 2500}, 250 * ms},
		},
		{
			"safepoints before JDK 13",
			"[1.500s][info][safepoint] Total time for which application threads were stopped: 0.0123000 seconds, Stopping threads took: 0.0000100 seconds",
			Log{Safepoint, []time.Duration{12300 * us}, 0},
		},
		{
			"safepoints of JDK 8",
			"2015-05-26T14:45:37.987+0200: 151.126: Total time for which application threads were stopped: 0.0500000 seconds, Stopping threads took: 0.0000100 seconds\n" +
				"2015-05-26T14:45:38.987+0200: 152.126: Total time for which application threads were stopped: 1.0000000 seconds, Stopping threads took: 0.0000100 seconds\n",
			Log{Safepoint, []time.Duration{50 * ms, time.Second}, time.Second},
		},
		{
			"collections and safepoints: a pause is counted once",
			"[3.153s][info][gc       ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(64M) 22.812ms\n" +
				"[3.154s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 626521529 ns, Reaching safepoint: 4499 ns, Cleanup: 58461 ns, At safepoint: 24253563 ns, Total: 24316523 ns\n",
			Log{Safepoint, []time.Duration{24316523}, 0},
		},
		{
			"the start of a collection is no pause, and the phases of generational ZGC are",
			"[0.100s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n[0.200s][info][gc] GC(0) Concurrent Mark Cycle 50.286ms\n[0.300s][info][gc,phases] GC(3) Y: Pause Mark Start 0.011ms\n",
			Log{JVMGC, []time.Duration{11 * us}, 0},
		},
		{
			"wall clock",
			"[2026-11-29T11:10:33.206+0000] GC(0) Pause Full (System.gc()) 6M->7M(64M) 78.154ms\n[2026-11-29T11:10:35.217+0000] GC(1) Pause Remark 9M->9M(64M) 9.863ms\n",
			Log{JVMGC, []time.Duration{78154 * us, 9863 * us}, 2011 * ms},
		},
		{
			"two recordings of hiccups: their times add up",
			"# lockquake hiccup: pauses beyond 5ms, recorded over 00000003600.000 s\n2026-11-29T14:33:10.123Z hiccup 152.317 ms\n# lockquake hiccup: pauses beyond 5ms, recorded over 00000000001.500 s\n2026-11-29T15:33:10.123Z hiccup 5.001 ms\n",
			Log{Hiccups, []time.Duration{152317 * us, 5001 * us}, time.Hour + 1500*ms},
		},
		{
			"a recording without a hiccup",
			"# lockquake hiccup: pauses beyond 5ms, recorded over 00000003600.000 s\n",
			Log{Hiccups, nil, time.Hour},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read("f", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABadFileIsOneErrorWithItsLine(t *testing.T) {
	const (
		trace = "gc 1 @1.0s 0%: 1.0+1.0+1.0 ms clock, \n"
		jvm   = "[0.3s][info][gc] GC(3) Pause Remark 1M->1M(2M) 1.000ms\n"
	)
	tests := []struct{ name, text, want string }{
		{"a word in a list", "5ms\nfive\n", `f:2: "five" is not a duration such as 150ms`},
		{"no list and no log", "server starts\n5ms\n", `f:1: "server starts" is not a duration such as 150ms, and no line of the file is a pause in a log of Go or of a JVM`},
		{"a figure without a unit", "150\n", `f:1: "150" is not a duration such as 150ms, and no line of the file is a pause in a log of Go or of a JVM`},
		{"a negative duration", "5ms\n-5ms\n", `f:2: "-5ms" is not between 0s and ten years`},
		{"a duration of more than ten years", "87601h\n", `f:1: "87601h" is not between 0s and ten years`},
		{"a duration in a log", "hello\n" + trace + "5ms\n", `f:3: "5ms" is a bare duration, and line 2 is of a gctrace log of Go: a file is one of them`},
		{"a log in a list", "5ms\n" + trace, `f:1: "5ms" is a bare duration, and line 2 is of a gctrace log of Go: a file is one of them`},
		{"two runtimes", trace + "x\n" + jvm, `f:3: a line of a garbage collection log of a JVM, and line 1 is of a gctrace log of Go: a file is one of them`},
		{"a recording of hiccups in a log", trace + "2026-11-29T14:33:10.123Z hiccup 152.317 ms", `f:2: a line of a recording of lockquake hiccup, and line 1 is of a gctrace log of Go: a file is one of them`},
		{"a cut line", "gc 1 @1.0s 0%: 1.0+1.0", `f:1: "gc 1 @1.0s 0%: 1.0+1.0" is not a duration such as 150ms, and no line of the file is a pause in a log of Go or of a JVM`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read("f", []byte(test.text))
			if line, ok := errors.AsType[*LineError](err); !ok || line.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	for _, text := range []string{"", "\n", "# nothing\n"} {
		if _, err := Read("f", []byte(text)); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func FuzzReadReturnsPausesThatAScenarioCanHave(f *testing.F) {
	for _, file := range []string{"gctrace.log", "jvm-safepoint.log", "jvm-gc.log", "jvm-zgc.log"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:1000]) // a long seed slows every try
	}
	f.Add([]byte("5ms\n1s\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := Read("f", data)
		if err != nil {
			return
		}
		if len(log.Pauses) == 0 && log.Kind != Hiccups || log.Span < 0 || log.Span > longest {
			t.Errorf("a log without a pause, or with an impossible span: %v", log)
		}
		for _, p := range log.Pauses {
			if p < 0 || p > longest {
				t.Errorf("a pause of %v", p)
			}
		}
	})
}

// The reader gets the same lengths and the same recording time that the recorder wrote.
func TestARecordingIsReadAsItWasWritten(t *testing.T) {
	end := time.Date(2026, 11, 29, 15, 33, 10, 123e6, time.FixedZone("", 3600))
	text := HiccupHead(24*time.Hour) + HiccupLine(end, 152317*us) + HiccupLine(end, 1500*ms)
	if got, want := len(HiccupHead(0)), len(HiccupHead(10*365*24*time.Hour)); got != want {
		t.Errorf("the first line has %d bytes at the begin and %d after ten years", got, want)
	}
	got, err := Read("f", []byte(text))
	if diff := cmp.Diff(Log{Hiccups, []time.Duration{152317 * us, 1500 * ms}, 24 * time.Hour}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A scenario takes a log with a pause, and at most 50,000 of them; a list of any length.
func TestALogFitsIntoAScenario(t *testing.T) {
	many := make([]time.Duration, MaxPauses+1)
	for _, test := range []struct {
		name string
		log  Log
		want error
	}{
		{"one pause", Log{Kind: GoTrace, Pauses: many[:1]}, nil},
		{"as many as fit", Log{Kind: GoTrace, Pauses: many[1:]}, nil},
		{"one more", Log{Kind: GoTrace, Pauses: many}, ErrTooMany},
		{"a long list", Log{Kind: List, Pauses: many}, nil},
		{"a recording without a hiccup", Log{Kind: Hiccups, Span: time.Hour}, ErrQuiet},
	} {
		if err := test.log.Fit(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}
