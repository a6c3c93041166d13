package sim

import "runtime"

// OnExit calls do when a worker ends the process with Exit, after the process
// has ended. A process that Restart makes inherits it.
func (p *Process) OnExit(do func(worker string, err error)) { p.onExit = do }

// Exit ends the worker's process at once, for the reason err, as Crash does:
// the caller never gets to its next step, and what it deferred reaches nobody.
func (k *Worker) Exit(err error) {
	w, p := k.process.node.world, k.process
	if w.foreign() || w.closed {
		runtime.Goexit() // a deferred call of a task that is being unwound, or no task at all
	}
	t := w.current
	if t == nil || t.worker.process != p {
		panic("sim: Exit is called by no task of the process")
	}
	w.note(kindExit, k.name, "", 0)
	p.Crash()
	if p.onExit != nil {
		p.onExit(k.name, err)
	}
	t.wait()
}
