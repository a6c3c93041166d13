package etcdclient

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockquake/lock/etcd"
)

// slow is a connection whose member creates a watch when it is told to.
type slow struct {
	etcd.Conn
	answer chan struct{}
	of     *breaking
}

// Watch implements etcd.Conn.
func (s *slow) Watch(context.Context, *etcd.Watch) (etcd.Watcher, int64, error) {
	<-s.answer
	return s.of, 1, nil
}

// breaking is a watch that gets nothing until its connection breaks.
type breaking struct {
	broken chan struct{}
	closed bool
}

// Next implements etcd.Watcher.
func (b *breaking) Next(context.Context) (*etcd.Changes, error) {
	<-b.broken
	return nil, errors.New("reset")
}

// Close implements etcd.Watcher.
func (b *breaking) Close() { b.closed = true }

// listening is a stream whose client reads every message.
type listening struct{ watchStream }

// Send implements grpc.BidiStreamingServer.
func (listening) Send(*etcdserverpb.WatchResponse) error { return nil }

// newWatches returns the watches of a stream whose member creates one when answer is closed.
func newWatches() (w *watches, s *slow) {
	s = &slow{answer: make(chan struct{}), of: &breaking{broken: make(chan struct{})}}
	return &watches{conn: s, stream: listening{}, failed: make(chan error, 1), active: map[int64]etcd.Watcher{}}, s
}

// The member would push changes to it for ever.
func TestAWatchThatIsCreatedAfterTheEndOfItsStreamIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWatches()
		go func() { _ = w.create(&etcdserverpb.WatchCreateRequest{}) }()
		synctest.Wait()
		w.close()
		close(s.answer)
		synctest.Wait()
		if !s.of.closed || len(w.active) > 0 {
			t.Errorf("closed: %v; active: %v", s.of.closed, w.active)
		}
	})
}

// Of a watch that is cancelled and whose connection breaks at one moment, the first of the two decides: only a watch that nobody has cancelled
// ends its stream.
func TestOnlyAWatchThatIsNotCancelledEndsItsStream(t *testing.T) {
	for name, cancelled := range map[string]bool{"cancelled first": true, "broken first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, s := newWatches()
				close(s.answer)
				if err := w.create(&etcdserverpb.WatchCreateRequest{}); err != nil {
					t.Fatal(err)
				}
				if cancelled {
					_ = w.cancel(0)
				}
				close(s.of.broken)
				synctest.Wait()
				_ = w.cancel(0)
				if ended := len(w.failed) > 0; ended == cancelled {
					t.Errorf("the stream ended: %v", ended)
				}
				synctest.Wait()
				if !s.of.closed {
					t.Error("the watch is open")
				}
			})
		})
	}
}
