package faults

import "time"

// Pause stops a process, as SIGSTOP, a garbage collector or a hypervisor does. The
// process does not notice; when it wakes, its clocks have moved on.
type Pause struct{ OnNode }

// Info implements Fault.
func (*Pause) Info() Info {
	return kind[Pause](Info{Kind: "pause", Doc: "stops all tasks of a worker, or a server, while its clocks run on", Effect: Stops})
}

func (*Pause) places() []Place {
	return []Place{
		{Name: "pause", Letter: "p", Default: true, Order: 10, Fault: &Pause{}, Doc: "the worker's process stops, and continues later"},
		{Name: "server-pause", Letter: "z", Order: 70, Fault: &Pause{OnNode{lockServers}}, Doc: "the lock's server stops, and continues later"},
	}
}

// Apply implements Fault.
func (p *Pause) Apply(on any, d time.Duration) error {
	type pauser interface {
		Pause(target string, d time.Duration) error
	}
	return ask(on, p, func(t pauser) error { return t.Pause(p.Target, d) })
}

// Begins implements Fault.
func (*Pause) Begins(s Scene) string { return s.stops("is paused") }

// Ends implements Fault.
func (*Pause) Ends(s Scene) (text string, turning bool) { return s.wakes() }

// mergePauses merges timed pauses of one worker that overlap or touch into one step,
// the earliest. A stopped process cannot be stopped again, and a pause inside another
// one would be useless in a plan that is to be shrunk. Steps are ordered by moment,
// before and after.
func mergePauses(steps []Step) []Step {
	var united []Step
	last := map[string]int{} // index in united of a worker's latest pause
	for _, step := range steps {
		if pause, ok := step.Fault.(*Pause); ok {
			if i, found := last[pause.Target]; found && step.At <= united[i].At+united[i].For {
				end := max(united[i].At+united[i].For, step.At+step.For)
				united[i].For = end - united[i].At
				continue
			}
			last[pause.Target] = len(united)
		}
		united = append(united, step)
	}
	return united
}
