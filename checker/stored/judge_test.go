package stored

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/history/jepsen"
)

// logOf returns a log of lines of four words: process, type, function, value.
func logOf(lines ...string) []byte {
	var b strings.Builder
	for _, line := range lines {
		words := strings.SplitN(line, " ", 4)
		fmt.Fprintf(&b, "INFO  jepsen.util - %s\t:%s\t:%s\t%s\n", words[0], words[1], words[2], words[3])
	}
	return []byte(b.String())
}

func parse(t testing.TB, lines ...string) []jepsen.Operation {
	t.Helper()
	operations, _, err := jepsen.Parse(logOf(lines...))
	if err != nil {
		t.Fatal(err)
	}
	return operations
}

// one returns the lines of an operation that overlaps with no other.
func one(process int, outcome, function, input, output string) []string {
	return []string{
		fmt.Sprintf("%d invoke %s %s", process, function, input),
		fmt.Sprintf("%d %s %s %s", process, outcome, function, output),
	}
}

func TestAModelAcceptsAndRefusesHistories(t *testing.T) {
	write := func(p int, v string) []string { return one(p, "ok", "write", v, v) }
	read := func(p int, v string) []string { return one(p, "ok", "read", "nil", v) }
	cas := func(p int, outcome, v string) []string { return one(p, outcome, "cas", v, v) }
	add := func(p int, outcome, v string) []string { return one(p, outcome, "add", v, v) }
	acquire := func(p int, fence string) []string { return one(p, "ok", "acquire", "nil", fence) }
	release := func(p int) []string { return one(p, "ok", "release", "nil", "nil") }
	tests := []struct {
		name, model string
		lines       [][]string
		want        checker.Verdict
		text        string // part of it
		wrong       int    // line in which the operation begins that does not fit
	}{
		{"a register begins empty", "register", [][]string{read(0, "nil"), write(1, "3"), read(0, "3")}, checker.Valid, "", 0},
		{"a read before any write finds nothing", "register", [][]string{read(0, "3"), write(1, "3")}, checker.Invalid, "process 0 did :read 3 (lines 1 to 2), which could only have met nil", 1},
		{"a stale read", "register", [][]string{write(0, "1"), write(0, "2"), read(1, "1")}, checker.Invalid, "could only have met 2", 5},
		{"reads of both sides of a write under way", "register", [][]string{
			write(0, "1"), {"1 invoke write 2"}, read(0, "1"), read(2, "2"), {"1 ok write 2"},
		}, checker.Valid, "", 0},
		{"a write is taken back", "register", [][]string{
			write(0, "1"), {"1 invoke write 2"}, read(0, "2"), read(2, "1"), {"1 ok write 2"},
		}, checker.Invalid, "could only have met 2", 6},
		{"a cas that found its value", "register", [][]string{write(0, "1"), cas(1, "ok", "[1 2]"), read(0, "2")}, checker.Valid, "", 0},
		{"a cas that cannot have found it", "register", [][]string{write(0, "1"), cas(1, "ok", "[3 4]")}, checker.Invalid, "did :cas [3 4] (lines 3 to 4), which could only have met 1", 3},
		{"two cas from one value", "register", [][]string{write(0, "1"), cas(1, "ok", "[1 2]"), cas(2, "ok", "[1 3]")}, checker.Invalid, "could only have met 2", 5},
		{"a failed write that is read", "register", [][]string{one(0, "fail", "write", "1", "1"), read(1, "1")}, checker.Invalid, "met nil", 3},
		{"a failed cas changed nothing", "register", [][]string{write(0, "1"), cas(1, "fail", "[1 2]"), read(0, "1")}, checker.Valid, "", 0},
		{"an open write takes effect much later", "register", [][]string{write(0, "1"), one(1, "info", "write", "2", "2"), read(0, "1"), read(0, "2")}, checker.Valid, "", 0},
		{"an open write never does", "register", [][]string{write(0, "1"), one(1, "info", "write", "2", "2"), read(0, "1")}, checker.Valid, "", 0},
		{"an open write takes effect once", "register", [][]string{
			one(1, "info", "write", "2", "2"), read(0, "2"), write(0, "1"), read(0, "2"),
		}, checker.Invalid, "met 1", 7},
		{"two open writes of one value, one for each time", "register", [][]string{
			one(1, "info", "write", "2", "2"), one(2, "info", "write", "2", "2"), read(0, "2"), write(0, "1"), read(0, "2"),
		}, checker.Valid, "", 0},
		{"an open cas on top of an open write", "register", [][]string{
			one(1, "info", "write", "2", "2"), cas(2, "info", "[2 3]"), read(0, "3"),
		}, checker.Valid, "", 0},
		{"an open read says nothing", "register", [][]string{write(0, "1"), one(1, "info", "read", "nil", ":timed-out"), read(0, "1")}, checker.Valid, "", 0},
		{"what the file ends in is open", "register", [][]string{{"1 invoke write 2"}, read(0, "2"), read(0, "2")}, checker.Valid, "", 0},
		{"a float in two spellings", "register", [][]string{write(0, "1.0"), read(1, "1.00"), cas(1, "ok", "[1e0 2.50M]"), read(0, "2.5M")}, checker.Valid, "", 0},
		{"a float is no integer", "register", [][]string{write(0, "1.0"), read(1, "1")}, checker.Invalid, "met 1.0", 3},
		{"an ok without a value", "register", [][]string{one(0, "ok", "write", "1", "nil"), read(1, "1")}, checker.Valid, "", 0},
		{"words and keywords are values", "register", [][]string{write(0, `"a"`), cas(1, "ok", `["a" :b]`), read(0, ":b")}, checker.Valid, "", 0},

		{"a mutex handed on", "mutex", [][]string{acquire(0, "nil"), release(0), acquire(1, "nil"), release(1)}, checker.Valid, "", 0},
		{"two holders", "mutex", [][]string{acquire(0, "nil"), acquire(1, "nil")}, checker.Invalid, "process 1 did :acquire (lines 3 to 4), which could only have met a lock of process 0", 3},
		{"an acquire that waits for the release", "mutex", [][]string{acquire(0, "nil"), {"1 invoke acquire nil"}, release(0), {"1 ok acquire nil"}}, checker.Valid, "", 0},
		{"a release by another", "mutex", [][]string{acquire(0, "nil"), release(1)}, checker.Invalid, "could only have met a lock of process 0", 3},
		{"a release of a free lock", "mutex", [][]string{release(1)}, checker.Invalid, "met a free lock", 1},
		{"a release twice", "mutex", [][]string{acquire(0, "nil"), release(0), release(0)}, checker.Invalid, "met a free lock", 5},
		{"a failed release freed nothing", "mutex", [][]string{acquire(0, "nil"), one(0, "fail", "release", "nil", "nil"), acquire(1, "nil")}, checker.Invalid, "a lock of process 0", 5},
		{"an open release may have freed it", "mutex", [][]string{acquire(0, "nil"), one(0, "info", "release", "nil", "nil"), acquire(1, "nil")}, checker.Valid, "", 0},
		{"an open release of another's lock did nothing", "mutex", [][]string{acquire(0, "nil"), one(1, "info", "release", "nil", "nil"), acquire(2, "nil")}, checker.Invalid, "a lock of process 0", 5},
		{"an open acquire may have failed", "mutex", [][]string{one(0, "info", "acquire", "nil", "nil"), acquire(1, "nil")}, checker.Valid, "", 0},

		{"fences rise, with gaps", "fenced-mutex", [][]string{acquire(0, "-5"), release(0), acquire(1, "7")}, checker.Valid, "", 0},
		{"a fence twice", "fenced-mutex", [][]string{acquire(0, "5"), release(0), acquire(1, "5")}, checker.Invalid, "did :acquire 5 (lines 5 to 6), which could only have met a free lock after the fence 5", 5},
		{"a fence that falls", "fenced-mutex", [][]string{acquire(0, "5"), release(0), acquire(1, "4")}, checker.Invalid, "after the fence 5", 5},
		{"two holders with rising fences", "fenced-mutex", [][]string{acquire(0, "5"), acquire(1, "6")}, checker.Invalid, "a lock of process 0 after the fence 5", 3},

		{"a counter", "counter", [][]string{add(0, "ok", "2"), read(1, "2"), add(0, "ok", "-3"), read(1, "-1")}, checker.Valid, "", 0},
		{"a lost increment", "counter", [][]string{add(0, "ok", "1"), add(1, "ok", "1"), read(2, "1")}, checker.Invalid, "could only have met 2", 5},
		{"a failed add counts for nothing", "counter", [][]string{add(0, "fail", "1"), read(2, "1")}, checker.Invalid, "could only have met 0", 3},
		{"open adds count or not", "counter", [][]string{add(0, "info", "1"), add(1, "info", "1"), add(2, "info", "5"), read(3, "1"), read(3, "6"), read(3, "7")}, checker.Valid, "", 0},
		{"open adds count once", "counter", [][]string{add(0, "info", "1"), read(3, "2")}, checker.Invalid, "met 0 or 1", 3},

		{"an acquire that failed tests no mutex", "mutex", [][]string{one(3, "fail", "acquire", "nil", "nil")}, checker.Unknown, "no operation ended with :ok, so nothing was tested", 0},
		{"an open acquire tests no fences", "fenced-mutex", [][]string{one(3, "info", "acquire", "nil", "nil")}, checker.Unknown, "no operation ended with :ok", 0},
		{"an open read tests no register", "register", [][]string{one(3, "info", "read", "nil", ":timed-out")}, checker.Unknown, "no operation ended with :ok", 0},
		{"an open cas tests no register", "register", [][]string{cas(3, "info", "[2 4]")}, checker.Unknown, "no operation ended with :ok", 0},
		{"an add that failed tests no counter", "counter", [][]string{add(3, "fail", "1")}, checker.Unknown, "no operation ended with :ok", 0},
		{"an operation without an end tests no mutex", "mutex", [][]string{{"3 invoke acquire nil"}, one(4, "fail", "acquire", "nil", "nil")}, checker.Unknown, "no operation ended with :ok", 0},
		{"an add that failed tests no set", "set", [][]string{add(3, "fail", "1")}, checker.Unknown, "nobody has read the set", 0},
		{"one acquire that succeeded tests a mutex", "mutex", [][]string{one(3, "fail", "acquire", "nil", "nil"), acquire(4, "nil")}, checker.Valid, "", 0},

		{"a set", "set", [][]string{add(0, "ok", "1"), add(1, "ok", ":b"), read(2, "#{1 :b}")}, checker.Valid, "", 0},
		{"a lost element", "set", [][]string{add(0, "ok", "1"), add(1, "ok", "2"), read(2, "[2]")}, checker.Invalid, "the read of process 2 (lines 5 to 6) misses 1, acknowledged before it began", 5},
		{"an earlier read may miss it", "set", [][]string{add(0, "ok", "1"), read(2, "[]"), add(1, "ok", "2"), read(2, "[1 2]")}, checker.Valid, "", 0},
		{"of several final reads one misses it", "set", [][]string{add(0, "ok", "1"), read(2, "[]"), read(3, "[1]")}, checker.Invalid, "misses 1", 3},
		{"an element of nobody", "set", [][]string{add(0, "ok", "1"), read(2, "(1 2)")}, checker.Invalid, "holds 2, which nobody had begun to add", 3},
		{"an element before its time", "set", [][]string{read(2, "[1]"), add(0, "ok", "1"), read(2, "[1]")}, checker.Invalid, "holds 1, which nobody had begun", 1},
		{"an element whose add failed", "set", [][]string{add(0, "fail", "1"), read(2, "[1]")}, checker.Invalid, "holds 1", 3},
		{"an open add may be there", "set", [][]string{add(0, "info", "1"), read(2, "[1]")}, checker.Valid, "", 0},
		{"an open add may be missing", "set", [][]string{add(0, "info", "1"), read(2, "[]")}, checker.Valid, "", 0},
		{"an element that is spelt in another way", "set", [][]string{add(0, "ok", "1.0"), add(0, "ok", "{:a 1 :b 2}"), add(0, "ok", "[1 2]"), read(2, "#{1.00 {:b 2 :a 1} (1 2)}")}, checker.Valid, "", 0},
		{"an integer is no float", "set", [][]string{add(0, "ok", "1"), read(2, "#{1.0}")}, checker.Invalid, "holds 1.0", 3},
		{"never read", "set", [][]string{add(0, "ok", "1"), one(1, "fail", "read", "nil", "nil")}, checker.Unknown, "nobody has read the set", 0},
		{"not read in the end", "set", [][]string{add(0, "ok", "1"), read(1, "[1]"), add(0, "ok", "2")}, checker.Unknown, "1 elements were acknowledged after the last read", 0},
	}
	for _, tt := range tests {
		t.Run(tt.model+"/"+tt.name, func(t *testing.T) {
			got, err := Judge(parse(t, slices.Concat(tt.lines...)...), tt.model)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != tt.want || !strings.Contains(got.Text, tt.text) || (tt.want == checker.Valid) != (got.Text == "") {
				t.Errorf("%s: %q; want %s with %q", got.Verdict, got.Text, tt.want, tt.text)
			}
			wrong := 0
			for _, s := range got.Evidence {
				if s.Wrong {
					wrong = s.Begin.Line
				}
			}
			if wrong != tt.wrong {
				t.Errorf("the evidence marks line %d, want %d", wrong, tt.wrong)
			}
		})
	}
}

func TestAJudgementCountsOperationsAndProcesses(t *testing.T) {
	operations := parse(t, slices.Concat(
		one(0, "ok", "write", "1", "1"), one(0, "fail", "cas", "[1 2]", "nil"), one(3, "info", "write", "2", "2"), []string{"7 invoke read nil"},
	)...)
	got, err := Judge(operations, "register")
	want := Judgement{Model: "register", Verdict: checker.Valid, Operations: 4, Processes: 3, Failed: 1, Open: 2}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestJudgeRefusesValuesThatTheModelLacks(t *testing.T) {
	tests := []struct {
		name, model string
		lines       []string
		want        string // place and text
	}{
		{"no such model", "queue", one(0, "ok", "read", "nil", "1"), `unknown model "queue"`},
		{"a function that the model lacks", "mutex", one(0, "ok", "read", "nil", "1"), "1:1: a mutex has no :read; it has :acquire, :release"},
		{"a register of a vector", "register", one(0, "ok", "read", "nil", "[1 2]"), "2:33: a register holds one value, not [1 2]"},
		{"a cas of one value", "register", one(0, "ok", "cas", "3", "3"), "1:36: a :cas has a vector of the old and the new value, not 3"},
		{"a cas of a nested value", "register", one(0, "ok", "cas", "[1 [2]]", "nil"), "1:39: a register holds one value, not [2]"},
		{"a grant without its fence", "fenced-mutex", one(0, "ok", "acquire", "nil", "nil"), "2:36: the fence of an :acquire is an integer, not nil"},
		{"an add of a word", "counter", one(0, "ok", "add", ":x", ":x"), "1:36: what an :add adds to a counter is an integer, not :x"},
		{"a counter that reads nothing", "counter", one(0, "ok", "read", "nil", "nil"), "2:33: what a :read finds in a counter is an integer, not nil"},
		{"an ok of another write", "register", one(0, "ok", "write", "1", "2"), "2:34: the :write of line 1 has 1, and its :ok has 2"},
		{"an ok of another cas", "register", one(0, "ok", "cas", "[1 2]", "[1 3]"), "2:32: the :cas of line 1 has [1 2], and its :ok has [1 3]"},
		{"an ok of another add", "set", one(0, "ok", "add", "1", "2"), "2:32: the :add of line 1 has 1, and its :ok has 2"},
		{"a set that reads a number", "set", one(0, "ok", "read", "nil", "3"), "2:33: what a :read finds in a set is a set, a vector or a list, not 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Judge(parse(t, tt.lines...), tt.model)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestGuessModelFollowsFunctionsAndValues(t *testing.T) {
	tests := []struct {
		name  string
		lines [][]string
		want  string // the model, or part of the error
	}{
		{"reads and a cas", [][]string{one(0, "ok", "read", "nil", "1"), one(0, "fail", "cas", "[1 2]", "nil")}, "register"},
		{"reads alone", [][]string{one(0, "ok", "read", "nil", "1")}, "register"},
		{"locks", [][]string{one(0, "ok", "acquire", "nil", "nil"), one(0, "ok", "release", "nil", "nil")}, "mutex"},
		{"locks that nobody got", [][]string{one(0, "fail", "acquire", "nil", "nil")}, "mutex"},
		{"locks with fences", [][]string{one(0, "ok", "acquire", "nil", "4"), one(1, "info", "acquire", "nil", "nil")}, "fenced-mutex"},
		{"locks with names", [][]string{one(0, "ok", "acquire", "4", "4")}, "mutex"},
		{"adds and numbers", [][]string{one(0, "ok", "add", "1", "1"), one(0, "ok", "read", "nil", "1")}, "counter"},
		{"adds and collections", [][]string{one(0, "ok", "add", "1", "1"), one(0, "ok", "read", "nil", "#{1}")}, "set"},
		{"reads of collections alone", [][]string{one(0, "ok", "read", "nil", "#{}")}, "set"},
		{"adds alone", [][]string{one(0, "ok", "add", "1", "1")}, "1:1: it may be of a counter or of a set"},
		{"a mixture", [][]string{one(0, "ok", "write", "1", "1"), one(0, "ok", "add", "1", "1")}, "1:1: no model has the functions :write, :add"},
		{"nothing", nil, "no operation to guess a model from"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var operations []jepsen.Operation
			if tt.lines != nil {
				operations = parse(t, slices.Concat(tt.lines...)...)
			}
			got, err := GuessModel(operations)
			if err != nil {
				got = err.Error()
			}
			if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// brute tries every order that real time allows, up to the event end. It applies the rules of the
// models in its own code.
type brute struct {
	model      string
	operations []jepsen.Operation
	end        int64
	done       []bool
}

type world struct {
	value         string
	number, fence int64
	holder        int64
}

func (b *brute) rule(w world, o *jepsen.Operation) (world, bool) {
	switch o.Function {
	case "read":
		if b.model == "counter" {
			return w, o.Output.Int == w.number
		}
		return w, o.Output.String() == w.value
	case "write":
		w.value = o.Input.String()
	case "cas":
		if w.value != o.Input.Items[0].String() {
			return w, false
		}
		w.value = o.Input.Items[1].String()
	case "add":
		w.number += o.Input.Int
	case "acquire":
		if w.holder >= 0 || b.model == "fenced-mutex" && !o.Open() && o.Output.Int <= w.fence {
			return w, false
		}
		w.holder = o.Process
		if !o.Open() {
			w.fence = o.Output.Int
		}
	case "release":
		if w.holder != o.Process {
			return w, false
		}
		w.holder = -1
	}
	return w, true
}

func (b *brute) must(o *jepsen.Operation) bool {
	return o.Outcome == history.OutcomeOK && o.Return <= b.end
}

func (b *brute) fits(w world) bool {
	first := int64(forever) // no later call may come before this return
	for i := range b.operations {
		if o := &b.operations[i]; b.must(o) && !b.done[i] {
			first = min(first, o.Return)
		}
	}
	if first == forever {
		return true
	}
	for i := range b.operations {
		o := &b.operations[i]
		if b.done[i] || o.Outcome == history.OutcomeFail || o.Call > first || o.Open() && o.Function == "read" {
			continue
		}
		if next, ok := b.rule(w, o); ok {
			b.done[i] = true
			fits := b.fits(next)
			b.done[i] = false
			if fits {
				return true
			}
		}
	}
	return false
}

func fitsByForce(operations []jepsen.Operation, model string, end int64) bool {
	b := &brute{model, operations, end, make([]bool, len(operations))}
	return b.fits(world{value: "nil", fence: -1 << 62, holder: -1})
}

// randomLog draws a log of n operations with few values. About one in accidents goes wrong. With
// sane, a real object could have produced the log.
func randomLog(t testing.TB, r *rand.Rand, model string, processes, n, accidents int, sane bool) []string {
	t.Helper()
	var lines []string
	type call struct {
		function, input string
		output          string
		effect          int // 0 none, 1 it took effect, 2 it was lost on the way
		happened        bool
	}
	b := brute{model: model}
	w := world{value: "nil", fence: -1 << 62, holder: -1}
	under := map[int]*call{}
	ids := make([]int, processes)
	for i := range ids {
		ids[i] = i
	}
	for begun := 0; begun < n || len(under) > 0; {
		slot := r.IntN(processes)
		p := ids[slot]
		c := under[p]
		value := func() string { return fmt.Sprint(r.IntN(3)) }
		if c == nil {
			if begun == n {
				continue
			}
			begun++
			c = &call{input: "nil"}
			switch model {
			case "register":
				c.function = []string{"read", "write", "cas"}[r.IntN(3)]
			case "counter":
				c.function = []string{"read", "add"}[r.IntN(2)]
			default:
				c.function = []string{"acquire", "release"}[r.IntN(2)]
			}
			switch c.function {
			case "write", "add":
				c.input = value()
			case "cas":
				c.input = fmt.Sprintf("[%s %s]", value(), value())
			}
			c.output = c.input
			under[p] = c
			lines = append(lines, fmt.Sprintf("%d invoke %s %s", p, c.function, c.input))
			continue
		}
		if !c.happened {
			c.happened = true
			switch {
			case !sane && c.function == "read":
				c.output = value()
			case !sane && c.function == "acquire":
				c.output = fmt.Sprint(r.IntN(9))
			case c.function == "read" && model == "counter":
				c.output = fmt.Sprint(w.number)
			case c.function == "read":
				c.output = w.value
			case c.function == "acquire":
				c.output = fmt.Sprint(max(w.fence, 0) + 1)
			}
			o := parse(t, fmt.Sprintf("%d invoke %s %s", p, c.function, c.input), fmt.Sprintf("%d ok %s %s", p, c.function, c.output))
			next, ok := b.rule(w, &o[0])
			if c.effect = 1; !ok {
				c.effect = 0
			} else if r.IntN(accidents) == 0 && sane {
				c.effect = 2
			}
			if ok && c.effect == 1 {
				w = next
			}
			continue
		}
		delete(under, p)
		kind := "ok"
		switch {
		case c.effect == 2 || r.IntN(accidents) == 0:
			kind = "info"
			ids[slot] += processes
		case c.effect == 0 && (sane || r.IntN(2) == 0):
			kind = "fail"
		}
		lines = append(lines, fmt.Sprintf("%d %s %s %s", p, kind, c.function, c.output))
	}
	return lines
}

// The search agrees with one that tries all orders, on the verdict and on the operation that proves
// it.
func TestJudgeAgreesWithAllOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, model := range []string{"register", "mutex", "fenced-mutex", "counter"} {
		seen := map[checker.Verdict]int{}
		for range 1500 {
			sane := r.IntN(3) == 0
			lines := randomLog(t, r, model, 3, 7, 8, sane)
			operations := parse(t, lines...)
			got, err := Judge(operations, model)
			if err != nil {
				t.Fatal(err)
			}
			// Without memory porcupine cannot decide anything.
			alone, err := judge(operations, model, limits{accesses: 10_000})
			if diff := cmp.Diff(got, alone); diff != "" || err != nil {
				t.Fatalf("the frontier alone, with %v (-want +got):\n%s", err, diff)
			}
			seen[got.Verdict]++
			want := checker.Invalid
			if fitsByForce(operations, model, forever) {
				want = checker.Valid
			}
			succeeded := func(o jepsen.Operation) bool { return o.Outcome == history.OutcomeOK }
			if want == checker.Valid && !slices.ContainsFunc(operations, succeeded) {
				want = checker.Unknown
			}
			if got.Verdict != want || sane && want == checker.Invalid {
				t.Fatalf("%s: %s, by force %s, sane %v:\n%s", model, got.Verdict, want, sane, strings.Join(lines, "\n"))
			}
			for _, s := range got.Evidence {
				if !s.Wrong {
					continue
				}
				if fitsByForce(operations, model, s.Return) || !fitsByForce(operations, model, s.Return-1) {
					t.Fatalf("%s: line %d is not the first without an order:\n%s", model, s.End.Line, strings.Join(lines, "\n"))
				}
			}
		}
		if seen[checker.Valid] < 300 || seen[checker.Invalid] < 300 {
			t.Errorf("%s: the histories are no test: %v", model, seen)
		}
	}
}

// Of a thousand operations a few dozen are shown, among them the wrong one.
func TestEvidenceIsAWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lines := randomLog(t, r, "register", 8, 1000, 100, true)
	lines = append(lines, one(900_000, "ok", "write", "7", "7")...)
	lines = append(lines, one(900_000, "ok", "read", "nil", "8")...)
	got, err := Judge(parse(t, lines...), "register")
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != checker.Invalid || got.Operations != 1002 || len(got.Evidence) > 33 {
		t.Fatalf("%s of %d operations with %d as evidence: %s", got.Verdict, got.Operations, len(got.Evidence), got.Text)
	}
	if s := got.Evidence[len(got.Evidence)-1]; !s.Wrong || s.Output.Int != 8 {
		t.Errorf("the last of the evidence is %v %v", s.Function, s.Output)
	}
	if s := got.Evidence[len(got.Evidence)-2]; s.Function != "write" || s.Input.Int != 7 {
		t.Errorf("the write before is not shown, but %v %v", s.Function, s.Input)
	}
}

func TestSearchIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	operations := parse(t, randomLog(t, r, "register", 8, 400, 100, true)...)
	got, err := judge(operations, "register", limits{accesses: 100, memory: 1000})
	if err != nil || got.Verdict != checker.Unknown || !strings.Contains(got.Text, "beyond the bounds of the search") {
		t.Errorf("%s, %q, %v", got.Verdict, got.Text, err)
	}
}

// If more moves are under way than a spot can count, the result of porcupine still counts.
func TestPorcupineDecidesWhenTooManyMovesAreUnderWay(t *testing.T) {
	for found, want := range map[string]checker.Verdict{"nil": checker.Valid, "1": checker.Invalid} {
		var begins, ends []string
		for i := range 70 {
			begins = append(begins, fmt.Sprintf("%d invoke read nil", i))
			ends = append(ends, fmt.Sprintf("%d ok read %s", i, found))
		}
		got, err := Judge(parse(t, slices.Concat(begins, ends)...), "register")
		if err != nil || got.Verdict != want || want == checker.Invalid && !strings.HasPrefix(got.Text, "no order explains the 70 operations;") {
			t.Errorf("read %s: %s, %q, %v", found, got.Verdict, got.Text, err)
		}
	}
}

// Forty writes and adds of unknown outcome do not exhaust the search.
func TestManyOpenOperationsDoNotExhaustTheSearch(t *testing.T) {
	tests := []struct{ model, function string }{{"register", "write"}, {"counter", "add"}}
	for _, tt := range tests {
		var lines []string
		for i := range 40 {
			lines = append(lines, one(10+i, "info", tt.function, "1", "1")...)
		}
		for i := range 40 {
			lines = append(lines, one(1, "ok", tt.function, "2", "2")...)
			found := 2 // the open writes may come in between, or not
			if tt.model == "counter" {
				found = 2*(i+1) + i/2
			}
			lines = append(lines, one(2, "ok", "read", "nil", fmt.Sprint(found))...)
		}
		for verdict, more := range map[checker.Verdict][]string{checker.Valid: nil, checker.Invalid: one(3, "ok", "read", "nil", "1000")} {
			got, err := Judge(parse(t, append(slices.Clone(lines), more...)...), tt.model)
			if err != nil || got.Verdict != verdict {
				t.Errorf("%s: %s, want %s: %s %v", tt.model, got.Verdict, verdict, got.Text, err)
			}
		}
	}
}

// BenchmarkJudge reads and judges a log of 4,000 operations of 8 processes.
func BenchmarkJudge(b *testing.B) {
	for _, model := range []string{"register", "mutex", "fenced-mutex", "counter"} {
		lines := randomLog(b, rand.New(rand.NewPCG(7, 8)), model, 8, 4000, 1000, true)
		bad := map[string][]string{
			"register": one(1<<40, "ok", "read", "nil", "99"), "counter": one(1<<40, "ok", "read", "nil", "-99"),
			"mutex": one(1<<40, "ok", "release", "nil", "nil"), "fenced-mutex": one(1<<40, "ok", "release", "nil", "nil"),
		}[model]
		for _, v := range []checker.Verdict{checker.Valid, checker.Invalid} {
			file := logOf(lines...)
			if v == checker.Invalid {
				file = append(file, logOf(bad...)...)
			}
			b.Run(model+"/"+string(v), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					operations, _, err := jepsen.Parse(file)
					if err != nil {
						b.Fatal(err)
					}
					got, err := Judge(operations, model)
					if err != nil || got.Verdict != v {
						b.Fatal(got.Verdict, got.Text, err)
					}
				}
			})
		}
	}
}
