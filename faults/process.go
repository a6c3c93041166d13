package faults

import (
	"fmt"
	"slices"
)

// stallKind stops one task of a worker: a renewal whose event loop is busy,
// while the work goes on.
func stallKind() KindInfo {
	return KindInfo{
		Kind:   Stall,
		Doc:    "stops one task of a worker, such as its renewal, while its other tasks go on",
		Params: []string{"target", "task", "every", "for"},
		Point:  AnyPoint,
		validate: func(s Spec, workers, nodes []string) error {
			if s.Params.Task == "" {
				return &ParamError{"task", "is missing: the name of the task, such as renewal"}
			}
			return validateWorker(s, workers, nodes)
		},
		actions: targets,
		words:   func(a Action) []string { return []string{a.Target, a.Task} },
		parse: func(r *stepReader) Action {
			return Action{Target: r.word("worker"), Task: r.word("task")}
		},
	}
}

// suspendKind puts a machine to sleep: its monotonic clock stands still, and
// its wall clock is right again when it wakes.
func suspendKind() KindInfo {
	return targetKind(Suspend,
		"puts the machine of a worker or a server to sleep: its monotonic clock stands still, its wall clock does not", true)
}

// crashKind ends a process without a word. It is started again when the fault
// is over. A worker knows nothing of its earlier life then; a server knows what
// it had saved, or what Data says.
func crashKind() KindInfo {
	return KindInfo{
		Kind:   Crash,
		Doc:    "ends the process of a worker without a word, or lets a server lose power (data: written kills it only), and starts it again after the time given",
		Params: []string{"target", "data", "every", "for"},
		Point:  AnyPoint,
		Server: true,
		validate: func(s Spec, workers, nodes []string) error {
			if d := s.Params.Data; d != DataByPersistence && !slices.Contains(Datas(), d) {
				return &ParamError{"data", fmt.Sprintf("unknown word %q, known are %v", d, Datas())}
			}
			if s.Params.Data != DataByPersistence && !slices.Contains(nodes, s.Params.Target) {
				return &ParamError{"data", "a worker keeps none"}
			}
			if s.Params.Data != DataByPersistence && s.Params.Target == "resource" {
				return &ParamError{"data", "what a resource keeps is said by its fence policy"}
			}
			return validateNode(s, workers, nodes)
		},
		actions: targets,
		words: func(a Action) []string {
			if a.Data == DataByPersistence {
				return []string{a.Target}
			}
			return []string{a.Target, "data", string(a.Data)}
		},
		parse: func(r *stepReader) Action {
			a := Action{Target: r.word("worker or server")}
			if r.next("data") {
				if a.Data = Data(r.word("data")); !slices.Contains(Datas(), a.Data) {
					r.fail("unknown data %q, known are %v", a.Data, Datas())
				}
			}
			return a
		},
	}
}

// overrunKind makes work take longer than whoever wrote it thought.
func overrunKind() KindInfo {
	return KindInfo{
		Kind:   Overrun,
		Doc:    "makes the work of the sections that a worker begins meanwhile longer",
		Params: []string{"target", "by", "every", "for"},
		Point:  AnyPoint,
		validate: func(s Spec, workers, nodes []string) error {
			if s.Params.By <= 0 {
				return &ParamError{"by", "is missing: how much longer the work takes, such as 30s"}
			}
			return validateWorker(s, workers, nodes)
		},
		actions: targets,
		words:   func(a Action) []string { return []string{a.Target, "by", a.By.String()} },
		parse: func(r *stepReader) Action {
			a := Action{Target: r.word("worker")}
			r.expect("by")
			a.By = r.duration(1)
			return a
		},
	}
}

// cancelKind is a caller who does not want to wait any longer.
func cancelKind() KindInfo {
	return KindInfo{
		Kind:     Cancel,
		Doc:      "cancels the context of the section that a worker is in",
		Params:   []string{"target", "every"},
		Point:    AnyPoint,
		Instant:  true,
		validate: validateWorker,
		actions:  targets,
		words:    func(a Action) []string { return []string{a.Target} },
		parse:    func(r *stepReader) Action { return Action{Target: r.word("worker")} },
	}
}
