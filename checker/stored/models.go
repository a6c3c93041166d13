package stored

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lockquake/history"
	"lockquake/history/jepsen"
)

// Model is a data type that a list of operations can be judged as.
type Model struct {
	Name, Doc string
	// Functions are the names of its operations.
	Functions []string

	start condition
	// read fills in a move from an operation. It returns an error if the operation's values make no
	// sense to the model.
	read func(*move, *jepsen.Operation) error
	// step applies a move to a condition. It returns false if the move does not fit.
	step func(condition, *move) (condition, bool)
	// say describes a condition in words.
	say func(condition) string
}

// condition is the state of a model. Each model uses some of the fields.
type condition struct {
	value  string // of the register
	number int64  // the counter, or the highest fence
	holder int64  // the process with the lock plus one, 0 if it is free
}

// move is an operation as the model sees it.
type move struct {
	op        *jepsen.Operation
	from, to  string // the value that it has to find, and the value that it writes
	number    int64  // the number that it adds or read, or its fencing token
	call, ret int64
	kind, nth int // kind and position among the open moves that do the same, see chain; kind is -1 for a move that is not open
}

// Models lists the models, always in the same order.
func Models() []Model {
	free := func(c condition) string {
		if c.holder == 0 {
			return "a free lock"
		}
		return fmt.Sprintf("a lock of process %d", c.holder-1)
	}
	return []Model{
		{
			Name: "register", Doc: "one value that is read, written and compared and set",
			Functions: []string{"read", "write", "cas"},
			start:     condition{value: "nil"}, read: readRegister, step: stepRegister,
			say: func(c condition) string { return c.value },
		},
		{
			Name: "mutex", Doc: "a lock that only one process at a time holds, and that only its holder releases",
			Functions: []string{"acquire", "release"},
			read:      func(*move, *jepsen.Operation) error { return nil }, step: stepMutex, say: free,
		},
		{
			Name: "fenced-mutex", Doc: "a mutex of which every grant returns a higher integer than the one before",
			Functions: []string{"acquire", "release"},
			start:     condition{number: math.MinInt64}, read: readFenced, step: stepFenced,
			say: func(c condition) string {
				if c.number == math.MinInt64 {
					return free(c)
				}
				return fmt.Sprintf("%s after the fence %d", free(c), c.number)
			},
		},
		{
			Name: "counter", Doc: "a number that starts at 0, to which values are added, and which is read",
			Functions: []string{"add", "read"},
			read:      readCounter, step: stepCounter,
			say: func(c condition) string { return strconv.FormatInt(c.number, 10) },
		},
		{
			// It needs no order, see Judgement.set.
			Name: "set", Doc: "every element whose add was acknowledged is there at the end, and no element that was never added",
			Functions: []string{"add", "read"},
		},
	}
}

// GuessModel returns the name of the model that fits the functions and values of the operations. It
// returns an error if no model fits or more than one does.
func GuessModel(operations []jepsen.Operation) (string, error) {
	if len(operations) == 0 {
		return "", errors.New("there is no operation to guess a model from")
	}
	used := map[string]bool{}
	fences, bare, numbers, collections := 0, 0, 0, 0
	for i := range operations {
		o := &operations[i]
		used[o.Function] = true
		if o.Outcome != history.OutcomeOK {
			continue
		}
		switch {
		case o.Function == "acquire" && o.Output.Kind == jepsen.Int && o.Output.String() != o.Input.String():
			fences++
		case o.Function == "acquire":
			bare++
		case o.Function == "read" && o.Output.Scalar():
			numbers++
		case o.Function == "read":
			collections++
		}
	}
	fits := slices.DeleteFunc(Models(), func(m Model) bool {
		switch {
		case m.Name == "mutex" && fences > 0 && bare == 0, m.Name == "fenced-mutex" && (fences == 0 || bare > 0),
			m.Name == "set" && numbers > 0, m.Name != "set" && collections > 0:
			return true
		}
		for name := range used {
			if !slices.Contains(m.Functions, name) {
				return true
			}
		}
		return false
	})
	switch {
	case len(fits) > 0 && fits[0].Name == "register", len(fits) == 1:
		return fits[0].Name, nil
	case len(fits) > 1:
		return "", operations[0].Begin.Errorf("it may be of a %s or of a %s, as no read says which", fits[0].Name, fits[1].Name)
	}
	var names []string
	for i := range operations { // in the order of the file
		if name := operations[i].Function; used[name] {
			names = append(names, ":"+name)
			delete(used, name)
		}
	}
	return "", operations[0].Begin.Errorf("no model has the functions %s", strings.Join(names, ", "))
}

// completed returns an error if an :ok has another value than its :invoke. No value at all is fine.
func completed(o *jepsen.Operation) error {
	if o.Output.Kind == jepsen.Nil || o.Output.Equal(o.Input) {
		return nil
	}
	return o.Output.Errorf("the :%s of line %d has %s, and its :ok has %s", o.Function, o.Begin.Line, o.Input, o.Output)
}

// readRegister accepts scalars only. The values of several keys would be vectors.
func readRegister(m *move, o *jepsen.Operation) error {
	var values []jepsen.Value
	switch o.Function {
	case "read":
		values = []jepsen.Value{o.Output}
		m.from = o.Output.String()
	case "write":
		values = []jepsen.Value{o.Input}
		m.to = o.Input.String()
	default: // cas
		if values = o.Input.Items; o.Input.Kind != jepsen.Vector || len(values) != 2 {
			return o.Input.Errorf("a :cas has a vector of the old and the new value, not %s", o.Input)
		}
		m.from, m.to = values[0].String(), values[1].String()
	}
	for _, v := range values {
		if !v.Scalar() {
			return v.Errorf("a register holds one value, not %s; with --keyed a vector is a key and its value", v)
		}
	}
	if o.Function != "read" {
		return completed(o)
	}
	return nil
}

func stepRegister(c condition, m *move) (condition, bool) {
	if m.op.Function != "write" && c.value != m.from {
		return c, false
	}
	if m.op.Function != "read" {
		c.value = m.to
	}
	return c, true
}

func stepMutex(c condition, m *move) (condition, bool) {
	me := m.op.Process + 1
	if m.op.Function == "release" {
		if c.holder != me {
			return c, false
		}
		c.holder = 0
		return c, true
	}
	if c.holder != 0 {
		return c, false
	}
	c.holder = me
	return c, true
}

func readFenced(m *move, o *jepsen.Operation) error {
	if o.Function == "release" {
		return nil
	}
	return readNumber(m, o.Output, "the fence of an :acquire")
}

func stepFenced(c condition, m *move) (condition, bool) {
	if m.op.Function == "acquire" {
		if m.number <= c.number {
			return c, false
		}
		c.number = m.number
	}
	return stepMutex(c, m)
}

func readCounter(m *move, o *jepsen.Operation) error {
	if o.Function == "add" {
		return readNumber(m, o.Input, "what an :add adds to a counter")
	}
	return readNumber(m, o.Output, "what a :read finds in a counter")
}

func stepCounter(c condition, m *move) (condition, bool) {
	if m.op.Function == "read" {
		return c, c.number == m.number
	}
	c.number += m.number
	return c, true
}

func readNumber(m *move, v jepsen.Value, what string) error {
	if v.Kind != jepsen.Int {
		return v.Errorf("%s is an integer, not %s", what, v)
	}
	m.number = v.Int
	return nil
}

// counts reports whether an operation can make a difference. A failed operation did nothing. A read
// that never completed has no result, and an acquire that never completed can only block others,
// since nobody releases its lock.
func counts(o *jepsen.Operation) bool {
	return o.Outcome == history.OutcomeOK ||
		o.Open() && o.Function != "read" && o.Function != "acquire"
}

// needed drops the open writes of values that no other operation has to find. Each of them can be
// placed at the end of any order.
func needed(moves []move) []move {
	wanted := map[string]bool{}
	for more := true; more; {
		before := len(wanted)
		for i := range moves {
			m := &moves[i]
			if m.op.Function != "write" && (!m.op.Open() || wanted[m.to]) {
				wanted[m.from] = true
			}
		}
		more = len(wanted) > before
	}
	return slices.DeleteFunc(moves, func(m move) bool {
		return m.op.Open() && (m.op.Function == "write" || m.op.Function == "cas") && !wanted[m.to]
	})
}

// chain groups the open moves by what they do, each kind in the order of the calls. It is enough to
// let the moves of a kind happen in that order: wherever a later one could happen, an earlier one
// could too. So twenty moves of one kind can happen in 21 ways, instead of a million.
func chain(moves []move) (kinds [][]*move) {
	const most = math.MaxUint8 // counted in one byte
	type action struct {
		function, from, to string
		number, process    int64
	}
	index := map[action]int{}
	for i := range moves {
		m := &moves[i]
		if m.kind = -1; !m.op.Open() {
			continue
		}
		what := action{function: m.op.Function, from: m.from, to: m.to, number: m.number}
		if m.op.Function == "release" {
			what.process = m.op.Process
		}
		kind, ok := index[what]
		if !ok || len(kinds[kind]) == most {
			kind = len(kinds)
			index[what], kinds = kind, append(kinds, nil)
		}
		m.kind, m.nth = kind, len(kinds[kind])
		kinds[kind] = append(kinds[kind], m)
	}
	return kinds
}
