package sim

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// ErrForeignGoroutine says that a goroutine called an Env or a client that is no task
// of the run. A run has one thread of control at a time, and its order does not
// depend on the scheduler.
var ErrForeignGoroutine = errors.New("a goroutine that the lock started itself called its Env or its client: start it with env.Go")

// ErrForeignContext says that a context that can end was made outside the world, so
// its end would come at a moment of real time.
var ErrForeignContext = errors.New("a context that can be cancelled was not made by this Env: use env.WithCancel or env.WithTimeout")

// MisuseError is a call that no run can carry out: its Err is ErrForeignGoroutine or
// ErrForeignContext. The run ends with it; the caller is told Err.
type MisuseError struct {
	Err   error
	Stack string // of the caller
}

func (e *MisuseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *MisuseError) Unwrap() error { return e.Err }

// outside is what goroutines that are no tasks may see and touch of a world.
type outside struct {
	begun  atomic.Bool                 // before that, who builds the world may call whatever there is
	called atomic.Pointer[MisuseError] // the first call by one
}

// mark lets the calling goroutine pass for one of the world's: the one that runs the
// world, or the thread of a task. It returns what takes the mark away.
//
// The mark is a bit that the runtime keeps for each goroutine, and that a new
// goroutine does not inherit. It is the only such bit that costs no more than a
// function call to read. What it does besides: an access to memory that is not there
// becomes a panic, which ends the run and not the program.
func mark() (unmark func()) {
	was := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(was) }
}

// foreign reports whether the calling goroutine is not one of the world's. The run
// ends then, with the first such call for its error; the caller must touch nothing
// of the world.
func (w *World) foreign() bool {
	if debug.SetPanicOnFault(true) {
		return false
	}
	debug.SetPanicOnFault(false)
	if !w.outside.begun.Load() {
		return false
	}
	if w.outside.called.Load() == nil {
		w.outside.called.CompareAndSwap(nil, &MisuseError{ErrForeignGoroutine, string(debug.Stack())})
	}
	return true
}

// listen fails the run if somebody has called from outside.
func (w *World) listen() {
	if call := w.outside.called.Load(); call != nil {
		w.fail(call)
	}
}

// Admit returns ErrForeignGoroutine if the caller is no task of the run, which ends
// then. A client asks before it touches anything that its tasks share.
func (p *Process) Admit() error {
	if p.node.world.foreign() {
		return fmt.Errorf("%s: %w", p.name, ErrForeignGoroutine)
	}
	return nil
}
