package official

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"lockquake/lock/etcd"
)

// retryPause is the time after which a renewal is tried on another stream.
const retryPause = 25 * time.Millisecond

// renewals sends all renewals of a client on one stream to one member, as KeepAlive of the official client does. It opens a stream
// to the next member when the stream has ended. KeepAliveOnce would open a stream for each renewal.
type renewals struct {
	client  *clientv3.Client
	opening chan struct{} // full while a stream is being opened
	mu      sync.Mutex
	stream  *stream // nil: none
}

func newRenewals(c *clientv3.Client) *renewals {
	return &renewals{client: c, opening: make(chan struct{}, 1)}
}

// stream is a stream of renewals.
type stream struct {
	etcdserverpb.Lease_LeaseKeepAliveClient
	waiting map[int64][]chan *etcdserverpb.LeaseKeepAliveResponse // by lease, in the order of the requests
	ended   chan struct{}
	err     error // why it ended
}

// renew renews a lease. It repeats the request while no member is available.
func (r *renewals) renew(ctx context.Context, id int64) (*etcd.Response, error) {
	for {
		answer, err := r.once(ctx, id)
		if err == nil {
			return &etcd.Response{Revision: answer.Header.Revision, ID: answer.ID, TTL: answer.TTL}, nil
		}
		if status.Code(err) != codes.Unavailable {
			return nil, rpctypes.Error(err)
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (r *renewals) once(ctx context.Context, id int64) (*etcdserverpb.LeaseKeepAliveResponse, error) {
	s, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	answer := make(chan *etcdserverpb.LeaseKeepAliveResponse, 1)
	r.mu.Lock()
	s.waiting[id] = append(s.waiting[id], answer)
	_ = s.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: id}) // if the stream has ended, its receiver learns why
	r.mu.Unlock()
	select {
	case a := <-answer:
		return a, nil
	case <-s.ended:
		return nil, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// open returns the stream, and opens one if there is none.
func (r *renewals) open(ctx context.Context) (*stream, error) {
	select {
	case r.opening <- struct{}{}:
		defer func() { <-r.opening }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	r.mu.Lock()
	s := r.stream
	r.mu.Unlock()
	if s != nil {
		return s, nil
	}
	streaming, cancel := context.WithCancel(r.client.Ctx())
	opened := context.AfterFunc(ctx, cancel)
	inner, err := etcdserverpb.NewLeaseClient(r.client.ActiveConnection()).LeaseKeepAlive(streaming)
	if !opened() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s = &stream{inner, map[int64][]chan *etcdserverpb.LeaseKeepAliveResponse{}, make(chan struct{}), nil}
	r.mu.Lock()
	r.stream = s
	r.mu.Unlock()
	go func() {
		defer cancel()
		r.receive(s)
	}()
	return s, nil
}

// receive passes the answers of a stream on until it ends.
func (r *renewals) receive(s *stream) {
	for {
		a, err := s.Recv()
		r.mu.Lock()
		if err != nil {
			if r.stream == s {
				r.stream = nil
			}
			s.err = err
			close(s.ended)
			r.mu.Unlock()
			return
		}
		if waiting := s.waiting[a.ID]; len(waiting) > 0 {
			waiting[0] <- a
			s.waiting[a.ID] = waiting[1:]
			if len(waiting) == 1 {
				delete(s.waiting, a.ID)
			}
		}
		r.mu.Unlock()
	}
}
