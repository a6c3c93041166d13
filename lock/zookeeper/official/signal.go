package official

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// signal is closed when it happens. It implements zookeeper.Signal.
type signal struct{ happened chan struct{} }

func newSignal() *signal { return &signal{make(chan struct{})} }

// Wait implements zookeeper.Signal.
func (s *signal) Wait(ctx context.Context) error {
	select {
	case <-s.happened:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// event is the event of a watch. It implements zookeeper.Signal.
type event <-chan zk.Event

// Wait implements zookeeper.Signal.
func (e event) Wait(ctx context.Context) error {
	select {
	case <-e:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
