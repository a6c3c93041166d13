package faults

// pauseKind stops a process as SIGSTOP, a garbage collector or a hypervisor
// does: it notices nothing, and finds its clocks moved on when it wakes.
func pauseKind() KindInfo {
	return nodeKind(Pause, "stops all tasks of a worker, or a server, while its clocks run on", "every", "for").does(Stops)
}

// unitePauses makes one step of timed pauses of one worker that overlap or
// touch: a stopped process cannot be stopped again, and shrinking a plan
// should not meet a pause that another one hides. The step is that of the
// earliest. Steps come and go in the order of their moments.
func unitePauses(steps []Step) []Step {
	var united []Step
	last := map[string]int{} // index in united of a worker's latest pause
	for _, step := range steps {
		if step.Action.Kind == Pause {
			worker := step.Action.Target
			if i, found := last[worker]; found && step.At <= united[i].At+united[i].Action.For {
				end := max(united[i].At+united[i].Action.For, step.At+step.Action.For)
				united[i].Action.For = end - united[i].At
				continue
			}
			last[worker] = len(united)
		}
		united = append(united, step)
	}
	return united
}
