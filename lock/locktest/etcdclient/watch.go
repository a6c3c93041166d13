package etcdclient

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"lockquake/lock/etcd"
)

type watchStream = grpc.BidiStreamingServer[etcdserverpb.WatchRequest, etcdserverpb.WatchResponse]

// watches are the watches of a stream.
type watches struct {
	conn   etcd.Conn
	stream watchStream
	failed chan error

	mu     sync.Mutex // a stream has one sender
	last   int64
	active map[int64]etcd.Watcher
	closed bool
}

// Watch implements etcdserverpb.WatchServer. The stream ends when a watch on it breaks, as a connection that has all
// watches would. The client then begins them again at another member.
func (s *server) Watch(stream watchStream) error {
	w := &watches{conn: s.conn, stream: stream, failed: make(chan error, 1), active: map[int64]etcd.Watcher{}}
	defer w.close()
	go func() {
		for {
			if err := w.serve(); err != nil {
				fail(w.failed, err)
				return
			}
		}
	}()
	return <-w.failed
}

// serve executes the next request of the stream.
func (w *watches) serve() error {
	r, err := w.stream.Recv()
	switch {
	case err != nil:
		return err
	case r.GetCreateRequest() != nil:
		return w.create(r.GetCreateRequest())
	case r.GetCancelRequest() != nil:
		return w.cancel(r.GetCancelRequest().WatchId)
	}
	return nil
}

// create creates a watch. Requests of the stream wait until the member has answered.
func (w *watches) create(r *etcdserverpb.WatchCreateRequest) error {
	of, created, err := w.conn.Watch(context.Background(), watchRequest(r))
	if err != nil {
		return statusOf(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		go of.Close()
		return nil
	}
	id := w.last
	w.last++
	w.active[id] = of
	go w.forward(id, of)
	return w.stream.Send(&etcdserverpb.WatchResponse{Header: revision(created), WatchId: id, Created: true})
}

// forward sends what the member pushes.
func (w *watches) forward(id int64, of etcd.Watcher) {
	for {
		changes, err := of.Next(context.Background())
		w.mu.Lock()
		active := w.active[id] != nil
		if active && err == nil {
			err = w.stream.Send(watchResponse(id, changes))
		}
		w.mu.Unlock()
		switch {
		case !active:
			return
		case err != nil:
			fail(w.failed, statusOf(err))
			return
		case changes.Ended:
			return
		}
	}
}

// cancel ends a watch.
func (w *watches) cancel(id int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.active[id]
	if of == nil {
		return nil
	}
	delete(w.active, id)
	go of.Close()
	return w.stream.Send(&etcdserverpb.WatchResponse{Header: revision(0), WatchId: id, Canceled: true})
}

// close ends all watches.
func (w *watches) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, of := range w.active { // in any order: each is a connection of its own, and the process sorts what is asked at one instant
		go of.Close()
	}
	clear(w.active)
}
