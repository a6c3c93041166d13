package etcdclient

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"lockquake/lock/env"
	"lockquake/lock/etcd"
)

// server is the gRPC server of a connection to a member.
type server struct {
	etcdserverpb.UnimplementedKVServer
	etcdserverpb.UnimplementedLeaseServer
	etcdserverpb.UnimplementedWatchServer
	conn etcd.Conn
}

// do sends a request to the member.
func (s *server) do(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	answer, err := s.conn.Do(env.WithOp(context.Background(), opOf(ctx, r)), r)
	return answer, statusOf(err)
}

// opOf returns the purpose of a request, in the words of the locks of package lock/etcd. It is "" for a request that
// nobody has named.
func opOf(ctx context.Context, r etcd.Request) string {
	named := metadata.ValueFromIncomingContext(ctx, opKey)
	switch r := r.(type) {
	case *etcd.Grant, *etcd.Revoke, *etcd.TimeToLive, *etcd.Leases:
		return ""
	case *etcd.KeepAlive:
		return "renew"
	case *etcd.Range:
		switch {
		case len(named) == 0 || named[0] != "acquire":
		case r.MaxCreate > 0:
			return "queue"
		default:
			return "recheck"
		}
	}
	if len(named) == 0 {
		return ""
	}
	return named[0]
}

// statusOf returns an error of the member, or of the connection to it, as one of gRPC.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*etcd.Error](err); ok {
		for code := codes.OK; code <= codes.Unauthenticated; code++ {
			if code.String() == e.Code {
				return status.Error(code, e.Message)
			}
		}
	}
	return status.Error(codes.Unavailable, err.Error())
}

// Range implements etcdserverpb.KVServer.
func (s *server) Range(ctx context.Context, r *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	answer, err := s.do(ctx, rangeRequest(r))
	if err != nil {
		return nil, err
	}
	return rangeResponse(answer), nil
}

// Put implements etcdserverpb.KVServer.
func (s *server) Put(ctx context.Context, r *etcdserverpb.PutRequest) (*etcdserverpb.PutResponse, error) {
	answer, err := s.do(ctx, putRequest(r))
	if err != nil {
		return nil, err
	}
	return putResponse(answer), nil
}

// DeleteRange implements etcdserverpb.KVServer.
func (s *server) DeleteRange(ctx context.Context, r *etcdserverpb.DeleteRangeRequest) (*etcdserverpb.DeleteRangeResponse, error) {
	answer, err := s.do(ctx, deleteRequest(r))
	if err != nil {
		return nil, err
	}
	return deleteResponse(answer), nil
}

// Txn implements etcdserverpb.KVServer.
func (s *server) Txn(ctx context.Context, r *etcdserverpb.TxnRequest) (*etcdserverpb.TxnResponse, error) {
	request := txnRequest(r)
	answer, err := s.do(ctx, request)
	if err != nil {
		return nil, err
	}
	return txnResponse(request, answer), nil
}

// Compact implements etcdserverpb.KVServer.
func (s *server) Compact(ctx context.Context, r *etcdserverpb.CompactionRequest) (*etcdserverpb.CompactionResponse, error) {
	answer, err := s.do(ctx, &etcd.Compact{Revision: r.Revision})
	if err != nil {
		return nil, err
	}
	return &etcdserverpb.CompactionResponse{Header: header(answer)}, nil
}

// LeaseGrant implements etcdserverpb.LeaseServer.
func (s *server) LeaseGrant(ctx context.Context, r *etcdserverpb.LeaseGrantRequest) (*etcdserverpb.LeaseGrantResponse, error) {
	answer, err := s.do(ctx, &etcd.Grant{ID: r.ID, TTL: r.TTL})
	if err != nil {
		return nil, err
	}
	return &etcdserverpb.LeaseGrantResponse{Header: header(answer), ID: answer.ID, TTL: answer.TTL}, nil
}

// LeaseRevoke implements etcdserverpb.LeaseServer.
func (s *server) LeaseRevoke(ctx context.Context, r *etcdserverpb.LeaseRevokeRequest) (*etcdserverpb.LeaseRevokeResponse, error) {
	answer, err := s.do(ctx, &etcd.Revoke{ID: r.ID})
	if err != nil {
		return nil, err
	}
	return &etcdserverpb.LeaseRevokeResponse{Header: header(answer)}, nil
}

// LeaseTimeToLive implements etcdserverpb.LeaseServer.
func (s *server) LeaseTimeToLive(ctx context.Context, r *etcdserverpb.LeaseTimeToLiveRequest) (*etcdserverpb.LeaseTimeToLiveResponse, error) {
	answer, err := s.do(ctx, &etcd.TimeToLive{ID: r.ID, Keys: r.Keys})
	if err != nil {
		return nil, err
	}
	out := &etcdserverpb.LeaseTimeToLiveResponse{Header: header(answer), ID: r.ID, TTL: answer.TTL, GrantedTTL: answer.Granted}
	for _, key := range answer.Keys {
		out.Keys = append(out.Keys, []byte(key))
	}
	return out, nil
}

// LeaseLeases implements etcdserverpb.LeaseServer.
func (s *server) LeaseLeases(ctx context.Context, _ *etcdserverpb.LeaseLeasesRequest) (*etcdserverpb.LeaseLeasesResponse, error) {
	answer, err := s.do(ctx, &etcd.Leases{})
	if err != nil {
		return nil, err
	}
	out := &etcdserverpb.LeaseLeasesResponse{Header: header(answer)}
	for _, id := range answer.IDs {
		out.Leases = append(out.Leases, &etcdserverpb.LeaseStatus{ID: id})
	}
	return out, nil
}

// LeaseKeepAlive implements etcdserverpb.LeaseServer. A renewal does not wait for the answer to the one before. The
// stream ends with the first error of a renewal, as at a member of etcd.
func (s *server) LeaseKeepAlive(stream grpc.BidiStreamingServer[etcdserverpb.LeaseKeepAliveRequest, etcdserverpb.LeaseKeepAliveResponse]) error {
	var (
		mu     sync.Mutex // a stream has one sender
		failed = make(chan error, 1)
	)
	go func() {
		for {
			r, err := stream.Recv()
			if err != nil {
				fail(failed, err)
				return
			}
			go func() {
				answer, err := s.do(stream.Context(), &etcd.KeepAlive{ID: r.ID})
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					err = stream.Send(&etcdserverpb.LeaseKeepAliveResponse{Header: header(answer), ID: r.ID, TTL: answer.TTL})
				}
				if err != nil {
					fail(failed, err)
				}
			}()
		}
	}()
	return <-failed
}

// fail reports the first error of a stream.
func fail(failed chan<- error, err error) {
	select {
	case failed <- err:
	default:
	}
}
