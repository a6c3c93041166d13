package lock

import "sync" //nolint:depguard // in production several goroutines share a Process; no task waits while it holds the mutex

// Process keeps the values that the workers of one process share: a local lock that
// a worker takes before the lock of the server, a registry of renewals, a cache. In
// the simulation each start of a process in each run has a new Process, so no value
// outlives its run. In production a program makes one, and gives it to all workers.
type Process struct {
	mu     sync.Mutex
	values map[string]any
}

// NewProcess returns a Process without values.
func NewProcess() *Process { return &Process{values: map[string]any{}} }

// Shared returns the value that the process keeps under the name. The first call
// makes it. Shared panics if the value of that name has another type.
//
//	local := lock.Shared(deps.Process, "local", func() env.Sem { return deps.Env.NewSem(1) })
func Shared[T any](p *Process, name string, make func() T) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	value, there := p.values[name]
	if !there {
		value = make()
		p.values[name] = value
	}
	return value.(T)
}
