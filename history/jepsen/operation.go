package jepsen

import "lockquake/history"

// Operation is one call of a process.
type Operation struct {
	Process  int64
	Function string // such as read, without the colon
	Input    Value  // of its invocation
	Output   Value  // of its completion, if that was :ok
	Outcome  history.Outcome

	// Call and Return are the positions of the invocation and the completion among all events, from
	// 1. Return is 0 if the operation stays open.
	Call, Return int64
	// Begin and End are the places of the two events in the file. End is zero if there is no
	// completion.
	Begin, End Place
}

// Open reports whether the outcome of o is unknown.
func (o *Operation) Open() bool { return o.Outcome == history.OutcomeInfo }

// The types of events.
const (
	typeInvoke = ":invoke"
	typeOK     = ":ok"
	typeFail   = ":fail"
	typeInfo   = ":info"
)

// event is an invocation or a completion.
type event struct {
	place    Place
	process  int64
	kind     string
	function string
	value    Value
}

// folder combines events into operations.
type folder struct {
	operations []Operation // in the order of their calls
	events     int64
	pending    map[int64]int   // by process: its current operation
	ended      map[int64]Place // processes that ended with an :info, and where
}

func (f *folder) add(e event) error {
	if f.pending == nil {
		f.pending, f.ended = map[int64]int{}, map[int64]Place{}
	}
	f.events++
	i, busy := f.pending[e.process]
	if e.kind == typeInvoke {
		if at, ok := f.ended[e.process]; ok {
			return e.place.Errorf("process %d ended with the :info in line %d, and is back", e.process, at.Line)
		}
		if busy {
			o := &f.operations[i]
			return e.place.Errorf("process %d begins :%s, and its :%s of line %d has not ended", e.process, e.function, o.Function, o.Begin.Line)
		}
		f.pending[e.process] = len(f.operations)
		f.operations = append(f.operations, Operation{
			Process: e.process, Function: e.function, Input: e.value,
			Outcome: history.OutcomeInfo, Call: f.events, Begin: e.place,
		})
		return nil
	}
	if !busy {
		return e.place.Errorf("process %d ends a :%s that it never began", e.process, e.function)
	}
	o := &f.operations[i]
	if o.Function != e.function {
		return e.place.Errorf("process %d ends :%s, and what it began in line %d is :%s", e.process, e.function, o.Begin.Line, o.Function)
	}
	delete(f.pending, e.process)
	o.End = e.place
	switch e.kind {
	case typeOK:
		o.Outcome, o.Output, o.Return = history.OutcomeOK, e.value, f.events
	case typeFail:
		o.Outcome, o.Return = history.OutcomeFail, f.events
	default: // :info
		f.ended[e.process] = e.place
	}
	return nil
}
