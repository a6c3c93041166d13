package sim

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// ErrForeignGoroutine is the error of a call to an Env or a client by a goroutine that is not a
// task of the run. Such calls would make the order of events depend on the scheduler.
var ErrForeignGoroutine = errors.New("a goroutine that the lock started itself called its Env or its client: start it with env.Go, or test the lock as it is with locktest.Run (docs/test-a-library.md)")

// ErrForeignContext is the error of a context that can end but was made outside the world, so that
// it would end in real time.
var ErrForeignContext = errors.New("a context that can be cancelled was not made by this Env: use env.WithCancel or env.WithTimeout, or test the lock as it is with locktest.Run (docs/test-a-library.md)")

// MisuseError is a call that ends the run: its Err is ErrForeignGoroutine or ErrForeignContext,
// which the caller gets too.
type MisuseError struct {
	Err   error
	Stack string // of the caller
}

func (e *MisuseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *MisuseError) Unwrap() error { return e.Err }

// outside is the part of a world that foreign goroutines may access.
type outside struct {
	begun  atomic.Bool                 // false: the world is being built, and any goroutine may call
	called atomic.Pointer[MisuseError] // the first foreign call
}

// mark marks the calling goroutine as one of the world's: the one that runs the world, or the
// thread of a task. It returns a function that removes the mark.
//
// The mark is the runtime's panic-on-fault bit, which each goroutine has and a new goroutine does
// not inherit. It is the only such bit that can be read at the cost of a function call. A side
// effect is that an invalid memory access becomes a panic, which ends the run and not the program.
func mark() (unmark func()) {
	was := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(was) }
}

// foreign reports whether the calling goroutine is not one of the world's. If so, the run ends with
// the first such call as its error, and the caller must not access the world.
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

// failIfMisused fails the run if there was a foreign call.
func (w *World) failIfMisused() {
	if call := w.outside.called.Load(); call != nil {
		w.Fail(call)
	}
}

// Admit returns ErrForeignGoroutine, and ends the run, if the caller is not a task of the run. A
// client calls it before it accesses anything that its tasks share.
func (p *Process) Admit() error {
	if p.node.world.foreign() {
		return fmt.Errorf("%s: %w", p.name, ErrForeignGoroutine)
	}
	return nil
}

// OnTask reports whether the calling goroutine is one of a world. Unlike [Process.Admit] it does not
// end the run if it is not: a client library may start a goroutine that then does nothing.
func OnTask() bool {
	on := debug.SetPanicOnFault(true)
	debug.SetPanicOnFault(on)
	return on
}
