package locktest

import (
	"cmp"
	"context"

	"lockquake/lock/env"
	"lockquake/lock/kubernetes"
)

// leases reads and writes the Lease objects of the simulated API server, for goroutines of the bubble.
type leases struct {
	process
	inner kubernetes.Leases // for tasks of the world
}

var _ kubernetes.Leases = (*leases)(nil)

// Get implements kubernetes.Leases.
func (l *leases) Get(ctx context.Context, name string) (kubernetes.Lease, error) {
	return l.request(ctx, "get", name, func(ctx context.Context) (kubernetes.Lease, error) { return l.inner.Get(ctx, name) })
}

// Create implements kubernetes.Leases.
func (l *leases) Create(ctx context.Context, of kubernetes.Lease) (kubernetes.Lease, error) {
	return l.request(ctx, "create", of.Name, func(ctx context.Context) (kubernetes.Lease, error) { return l.inner.Create(ctx, of) })
}

// Update implements kubernetes.Leases.
func (l *leases) Update(ctx context.Context, of kubernetes.Lease) (kubernetes.Lease, error) {
	return l.request(ctx, "update", of.Name, func(ctx context.Context) (kubernetes.Lease, error) { return l.inner.Update(ctx, of) })
}

// request lets the world send a request, whose purpose is that of the context or else the verb. The worker passes the point
// OP.called before the request leaves.
func (l *leases) request(ctx context.Context, verb, name string, send func(ctx context.Context) (kubernetes.Lease, error)) (answer kubernetes.Lease, err error) {
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	op := cmp.Or(env.Op(ctx), verb)
	over := l.during(ctx, context.Background(), verb+" "+name, func(ctx context.Context) {
		l.worker.Point(op + ".called")
		answer, err = send(env.WithOp(ctx, op))
	})
	return answer, cmp.Or(over, err)
}
