package sim

import "runtime"

// OnExit calls do after a worker has ended the process with Exit. A process that Restart makes
// inherits it.
func (p *Process) OnExit(do func(worker string, err error)) { p.onExit = do }

// Exit ends the worker's process at once because of err, in the same way as Crash: the caller does
// not return, and requests of its deferred calls are not sent.
func (k *Worker) Exit(err error) {
	w, p := k.process.node.world, k.process
	if w.foreign() || w.closed {
		runtime.Goexit() // called by a deferred function of a task that unwinds, or outside of any task
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
