package lock

import "sync" //nolint:depguard // in production several goroutines share a Process; no task waits while it holds the mutex

// Process is a place for what the workers of one process share: a lock of the
// process before the lock of the server, a registry of renewals, a cache. The
// simulation makes one for each life of a process in each run, so what is kept in
// it outlives no run. In production a program makes one, and hands it to all.
type Process struct {
	mu     sync.Mutex
	values map[string]any
}

// NewProcess returns an empty one.
func NewProcess() *Process { return &Process{values: map[string]any{}} }

// Shared returns the value that the process keeps under the name. The first to ask
// makes it. It panics if the value of that name is of another type.
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
