package locktest

import (
	"cmp"
	"context"

	"lockquake/lock"
)

// service is a strategy that runs the user's own service in a bubble.
type service struct {
	process
	do func(ctx context.Context, key string, work Work) error
}

// Do implements lock.Strategy.
func (s *service) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	var err error
	over := s.call(ctx, func(inside context.Context) {
		err = s.do(inside, key, func(inside context.Context, token int64) error {
			return s.work(inside, ctx, func(ctx context.Context) error { return body(ctx, section{token, r}) })
		})
	})
	return cmp.Or(over, err)
}

// work executes the work in a task of the world, while a goroutine of the bubble waits. The context of the work
// ends with that of the section, and with that of the goroutine.
func (s *service) work(inside, outside context.Context, do func(ctx context.Context) error) (err error) {
	over := s.during(inside, outside, "work", func(ctx context.Context) { err = do(ctx) })
	return cmp.Or(over, err)
}

// during is Ask for what takes a context: one that ends with outside, a context of the world, and with inside, one of the bubble.
func (p process) during(inside, outside context.Context, key string, do func(ctx context.Context)) error {
	var cancel context.CancelCauseFunc
	stop := context.AfterFunc(inside, func() {
		cause := context.Cause(inside)
		_ = p.Ask(p.worker, key+" is cancelled", func() {
			if cancel != nil {
				cancel(cause)
			}
		})
	})
	defer stop()
	return p.Ask(p.worker, key, func() {
		var ctx context.Context
		ctx, cancel = p.worker.WithCancel(outside)
		do(ctx)
	})
}

// section implements lock.Section for a service.
type section struct {
	token    int64
	resource lock.Resource
}

// Token implements lock.Section.
func (s section) Token() int64 { return s.token }

// Check implements lock.Section. The service has no check of its own.
func (s section) Check() error { return nil }

// Read implements lock.Section.
func (s section) Read(ctx context.Context, item string) (string, error) {
	return s.resource.Read(ctx, item, s.token)
}

// Write implements lock.Section.
func (s section) Write(ctx context.Context, item, value string) error {
	return s.resource.Write(ctx, item, value, s.token)
}
