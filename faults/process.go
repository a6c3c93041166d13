package faults

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
		"puts the machine of a worker or a server to sleep: its monotonic clock stands still, its wall clock does not",
		validateNode)
}

// crashKind ends a process without a word. It is started again when the fault
// is over, and knows nothing of its earlier life.
func crashKind() KindInfo {
	return targetKind(Crash, "ends the process of a worker without a word, and starts it again after the time given", validateWorker)
}
