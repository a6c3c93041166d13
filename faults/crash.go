package faults

import (
	"fmt"
	"slices"
)

// stallKind stops one task of a worker: a renewal whose event loop is busy,
// while the work goes on.
func stallKind() KindInfo {
	info := workerKind(Stall, "stops one task of a worker, such as its renewal, while its other tasks go on", "task", "every", "for").does(Stops)
	info.check = func(p Params) error {
		if p.Task == "" {
			return &ParamError{"task", "is missing: the name of the task, such as renewal"}
		}
		return nil
	}
	info.words = func(a Action) []string { return []string{a.Target, a.Task} }
	info.parse = func(r *stepReader) Action { return Action{Target: r.word("worker"), Task: r.word("task")} }
	return info
}

// suspendKind puts a machine to sleep: its monotonic clock stands still, and
// its wall clock is right again when it wakes.
func suspendKind() KindInfo {
	return nodeKind(Suspend,
		"puts the machine of a worker or a server to sleep: its monotonic clock stands still, its wall clock does not", "every", "for").does(Stops)
}

// crashKind ends a process without a word. It is started again when the fault
// is over. A worker knows nothing of its earlier life then; a server knows what
// it had saved, or what Data says.
func crashKind() KindInfo {
	info := nodeKind(Crash,
		"ends the process of a worker without a word, or lets a server lose power (data: written kills it only), and starts it again after the time given",
		"data", "every", "for")
	info.validate = validateCrash
	info.words = func(a Action) []string {
		if a.Data == DataByPersistence {
			return []string{a.Target}
		}
		return []string{a.Target, "data", string(a.Data)}
	}
	info.parse = func(r *stepReader) Action {
		a := Action{Target: r.word("worker or server")}
		if r.next("data") {
			if a.Data = Data(r.word("data")); !slices.Contains(Datas(), a.Data) {
				r.fail("unknown data %q, known are %v", a.Data, Datas())
			}
		}
		return a
	}
	return info
}

func validateCrash(s Spec, workers, nodes []string) error {
	switch d := s.Params.Data; {
	case d == DataByPersistence:
	case !slices.Contains(Datas(), d):
		return &ParamError{"data", fmt.Sprintf("unknown word %q, known are %v", d, Datas())}
	case !slices.Contains(nodes, s.Params.Target):
		return &ParamError{"data", "a worker keeps none"}
	case s.Params.Target == "resource":
		return &ParamError{"data", "what a resource keeps is said by its fence policy"}
	}
	return validateNode(s, workers, nodes)
}

// overrunKind makes work take longer than its author thought.
func overrunKind() KindInfo {
	info := workerKind(Overrun, "makes the work of the sections that a worker begins meanwhile longer", "by", "every", "for").withBy("worker", 1)
	info.check = func(p Params) error { return p.needsBy("how much longer the work takes, such as 30s") }
	return info
}

// cancelKind is a caller who does not want to wait any longer.
func cancelKind() KindInfo {
	info := workerKind(Cancel, "cancels the context of the section that a worker is in", "every").does(Cancels)
	info.Instant = true
	return info
}
