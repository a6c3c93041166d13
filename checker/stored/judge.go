package stored

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/history/jepsen"
)

// Judgement is the result of judging a list of operations by a model.
type Judgement struct {
	Model      string
	Verdict    checker.Verdict
	Operations int
	Processes  int
	Failed     int // operations that certainly did nothing
	Open       int // operations of unknown outcome
	// Text says in one sentence what is wrong, or why the verdict is Unknown. It is empty if the
	// verdict is Valid.
	Text string
	// Evidence lists operations around the one that does not fit.
	Evidence []Shown
}

// Shown is one operation of the evidence. Wrong marks those that do not fit.
type Shown struct {
	*jepsen.Operation
	Wrong bool
}

// Judge judges operations by the named model: is there an order of them that the model allows, with
// every operation taking effect between its call and its return? The search for one is bounded in
// steps and memory; if the bounds do not suffice, the verdict is Unknown. A set is judged by what
// its reads return. If no operation ended with :ok, there is nothing to judge, and the verdict is Unknown.
//
// The error is a *jepsen.Error if an operation makes no sense to the model. Otherwise it says that
// there is no such model.
func Judge(operations []jepsen.Operation, model string) (Judgement, error) {
	return judge(operations, model, defaultLimits())
}

// limits bound the search for an order. They count work and memory, not time,
// so that a verdict is the same on every machine.
type limits struct {
	accesses int // moves that may be tried
	memory   int // about how many bytes the search may use
}

// forever is greater than every position of an event.
const forever = math.MaxInt64

// defaultLimits suffice for about 10,000 operations of a dozen busy processes.
func defaultLimits() limits { return limits{accesses: 3_000_000, memory: 512 << 20} }

func judge(operations []jepsen.Operation, model string, l limits) (Judgement, error) {
	models := Models()
	i := slices.IndexFunc(models, func(m Model) bool { return m.Name == model })
	if i < 0 {
		return Judgement{}, fmt.Errorf("unknown model %q", model)
	}
	m := models[i]
	j := Judgement{Model: model, Verdict: checker.Valid, Operations: len(operations)}
	processes := map[int64]bool{}
	for i := range operations {
		o := &operations[i]
		if !slices.Contains(m.Functions, o.Function) {
			return Judgement{}, o.Begin.Errorf("a %s has no :%s; it has :%s", model, o.Function, strings.Join(m.Functions, ", :"))
		}
		processes[o.Process] = true
		switch o.Outcome {
		case history.OutcomeFail:
			j.Failed++
		case history.OutcomeInfo:
			j.Open++
		case history.OutcomeOK:
		}
	}
	j.Processes = len(processes)
	if m.step == nil {
		return j, j.set(operations)
	}
	var moves []move
	for i := range operations {
		o := &operations[i]
		if !counts(o) {
			continue
		}
		x := move{op: o, call: o.Call, ret: o.Return}
		if o.Open() {
			x.ret = forever
		}
		if err := m.read(&x, o); err != nil {
			return Judgement{}, err
		}
		moves = append(moves, x)
	}
	if m.Name == "register" {
		moves = needed(moves)
	}
	if j.Untested() {
		j.Verdict, j.Text = checker.Unknown, "no operation ended with :ok, so nothing was tested"
		return j, nil
	}
	j.order(&ordering{model: m, moves: moves, kinds: chain(moves), limits: l, met: map[*move][]condition{}})
	return j, nil
}

// Untested reports whether no operation ended with :ok. An operation that failed or that is open may have done nothing,
// so each model allows such a list, and that says nothing about the lock.
func (j *Judgement) Untested() bool { return j.Operations == j.Failed+j.Open }

// order looks for an order, and says what prevents one. If there is an order, porcupine mostly
// finds it in a few steps for each move. If there is none, the frontier finds that out sooner, with
// the operation that proves it. If a list is too concurrent for the frontier, porcupine tries again
// with more steps.
func (j *Judgement) order(o *ordering) {
	const few, part = 20, 10
	if j.Verdict = o.fits(few * len(o.moves)); j.Verdict == checker.Valid {
		return
	}
	first := j.Verdict
	verdict, wrong := o.frontier()
	switch {
	case verdict != checker.Unknown:
		j.Verdict = verdict
	case first == checker.Unknown:
		if j.Verdict = o.fits(o.limits.accesses / part); j.Verdict == checker.Valid {
			return
		}
	}
	switch {
	case j.Verdict == checker.Unknown:
		j.Text = fmt.Sprintf("whether an order explains the %d operations is beyond the bounds of the search", j.Operations)
		return
	case wrong == nil && j.Verdict == checker.Invalid:
		j.Text = fmt.Sprintf("no order explains the %d operations; which is the first that does not fit is beyond the bounds of the search", j.Operations)
		return
	case wrong == nil:
		return
	}
	j.Text = fmt.Sprintf("no order explains that process %d %s", wrong.op.Process, tell(wrong.op))
	// A few of the conditions are enough for the reader.
	const most = 4
	var met []string
	for _, c := range o.met[wrong] {
		met = append(met, o.model.say(c))
	}
	slices.Sort(met)
	if met = slices.Compact(met); len(met) > most {
		met = append(met[:most], "something else")
	}
	if len(met) > 0 {
		j.Text += ", which could only have met " + strings.Join(met, " or ")
	}
	j.Evidence = o.window(wrong)
}

// tell describes an operation in words.
func tell(o *jepsen.Operation) string {
	text := fmt.Sprintf("did :%s", o.Function)
	value := o.Input
	if o.Function == "read" || o.Function == "acquire" {
		value = o.Output
	}
	if value.Kind != jepsen.Nil || o.Function == "read" {
		text += " " + value.String()
	}
	return fmt.Sprintf("%s (lines %d to %d)", text, o.Begin.Line, o.End.Line)
}

// ordering looks for an order of moves that a model allows.
type ordering struct {
	model  Model
	moves  []move    // in the order of their calls
	kinds  [][]*move // the open moves, see chain
	limits limits
	met    map[*move][]condition // the conditions in which a move did not fit
}

// spot is a position of the search.
type spot struct {
	condition
	taken string // the number of open moves of each kind that have happened
	under uint64 // the moves under way that have happened
	over  bool   // all moves with an end have happened
}

func (o *ordering) start() spot {
	return spot{condition: o.model.start, taken: string(make([]byte, len(o.kinds)))}
}

// open applies the next open move of a kind. It returns false if that would change nothing.
func (o *ordering) open(s spot, m *move) (spot, bool) {
	c, ok := o.model.step(s.condition, m)
	if !ok || c == s.condition {
		return s, false
	}
	s.condition = c
	s.taken = s.taken[:m.kind] + string([]byte{byte(m.nth + 1)}) + s.taken[m.kind+1:]
	return s, true
}

// fits asks porcupine for an order, within a number of steps and the bound of memory. An open move
// that does not happen is placed after everything else, behind a closing move after which the model
// allows anything.
//
// The positions of events serve as timestamps, so no two are at one instant.
func (o *ordering) fits(steps int) checker.Verdict {
	closing := &move{call: forever - 1, ret: forever}
	operations := []porcupine.Operation{{Input: closing, Call: closing.call, Return: closing.ret}}
	for i := range o.moves {
		m := &o.moves[i]
		operations = append(operations, porcupine.Operation{Input: m, Call: m.call, Return: m.ret})
	}
	// For each state that it reaches, porcupine keeps a bit for each operation.
	left, memory := max(steps, 3*len(operations)), o.limits.memory
	size := len(operations)/8 + 200
	question := porcupine.Model{
		Init: func() any { return o.start() },
		Step: func(from, input, _ any) (ok bool, to any) {
			s, m := from.(spot), input.(*move)
			if left--; left < 0 || memory < 0 {
				return false, nil // budget used up: end the search quickly
			}
			switch {
			case m == closing || s.over:
				s.over, ok = true, true
			case m.kind < 0:
				s.condition, ok = o.model.step(s.condition, m)
			case int(s.taken[m.kind]) == m.nth:
				s, ok = o.open(s, m)
			}
			if ok {
				memory -= size
			}
			return ok, s
		},
	}
	switch {
	case porcupine.CheckOperations(question, operations):
		return checker.Valid
	case left < 0 || memory < 0:
		return checker.Unknown
	default:
		return checker.Invalid
	}
}

// window returns the operations around a move that does not fit: those that were under way at the
// same time, and the last ones that ended before.
func (o *ordering) window(wrong *move) []Shown {
	const before, beside = 12, 20
	var ended, under []*move
	for i := range o.moves {
		switch m := &o.moves[i]; {
		case m.call > wrong.ret || m == wrong:
		case m.ret < wrong.call:
			ended = append(ended, m)
		default:
			under = append(under, m)
		}
	}
	slices.SortFunc(ended, func(a, b *move) int { return cmp.Compare(a.ret, b.ret) })
	shown := append(last(ended, before), last(under, beside)...)
	shown = append(shown, wrong)
	slices.SortFunc(shown, func(a, b *move) int { return cmp.Compare(a.call, b.call) })
	var window []Shown
	for _, m := range shown {
		window = append(window, Shown{m.op, m == wrong})
	}
	return window
}

// last returns a copy of the last n elements of a list.
func last[T any](list []T, n int) []T { return slices.Clone(list[max(0, len(list)-n):]) }
