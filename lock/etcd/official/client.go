package official

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockquake/lock/etcd"
)

// New returns a client that sends its requests with c.
func New(c *clientv3.Client) etcd.Client { return client{c, newRenewals(c)} }

type client struct {
	*clientv3.Client
	renewals *renewals
}

// Do implements etcd.Client.
func (c client) Do(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	answer, err := c.do(ctx, r)
	return answer, errorOf(err)
}

func (c client) do(ctx context.Context, r etcd.Request) (*etcd.Response, error) {
	switch r := r.(type) {
	case *etcd.Compact:
		a, err := c.Compact(ctx, r.Revision, clientv3.WithCompactPhysical())
		if err != nil {
			return nil, err
		}
		return &etcd.Response{Revision: a.Header.Revision}, nil
	case *etcd.Grant:
		return c.grant(ctx, r)
	case *etcd.Revoke:
		a, err := c.Revoke(ctx, clientv3.LeaseID(r.ID))
		if err != nil {
			return nil, err
		}
		return &etcd.Response{Revision: a.Header.Revision}, nil
	case *etcd.KeepAlive:
		return c.renewals.renew(ctx, r.ID)
	case *etcd.TimeToLive:
		return c.timeToLive(ctx, r)
	case *etcd.Leases:
		a, err := c.Leases(ctx)
		if err != nil {
			return nil, err
		}
		answer := &etcd.Response{Revision: a.Revision}
		for _, l := range a.Leases {
			answer.IDs = append(answer.IDs, int64(l.ID))
		}
		return answer, nil
	}
	a, err := c.Client.Do(ctx, operation(r))
	return reply(a, err)
}

// grant creates a lease. The official client cannot choose its ID, so that needs a request of its
// own.
func (c client) grant(ctx context.Context, r *etcd.Grant) (*etcd.Response, error) {
	if r.ID == 0 {
		a, err := c.Grant(ctx, r.TTL)
		if err != nil {
			return nil, err
		}
		return &etcd.Response{Revision: a.Revision, ID: int64(a.ID), TTL: a.TTL}, nil
	}
	a, err := etcdserverpb.NewLeaseClient(c.ActiveConnection()).LeaseGrant(ctx, &etcdserverpb.LeaseGrantRequest{ID: r.ID, TTL: r.TTL})
	if err != nil {
		return nil, rpctypes.Error(err)
	}
	return &etcd.Response{Revision: a.Header.Revision, ID: a.ID, TTL: a.TTL}, nil
}

func (c client) timeToLive(ctx context.Context, r *etcd.TimeToLive) (*etcd.Response, error) {
	var options []clientv3.LeaseOption
	if r.Keys {
		options = append(options, clientv3.WithAttachedKeys())
	}
	a, err := c.TimeToLive(ctx, clientv3.LeaseID(r.ID), options...)
	if err != nil {
		return nil, err
	}
	answer := &etcd.Response{Revision: a.Revision, ID: int64(a.ID), TTL: a.TTL, Granted: a.GrantedTTL}
	for _, key := range a.Keys {
		answer.Keys = append(answer.Keys, string(key))
	}
	return answer, nil
}

// errorOf returns an error of the server as an *etcd.Error, and any other error as it is.
func errorOf(err error) error {
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		return &etcd.Error{Code: e.Code().String(), Message: e.Error()}
	}
	return err
}

func reply(a clientv3.OpResponse, err error) (*etcd.Response, error) {
	if err != nil {
		return nil, err
	}
	switch {
	case a.Get() != nil:
		return rangeResponse((*etcdserverpb.RangeResponse)(a.Get())), nil
	case a.Put() != nil:
		return putResponse((*etcdserverpb.PutResponse)(a.Put())), nil
	case a.Del() != nil:
		return deleteResponse((*etcdserverpb.DeleteRangeResponse)(a.Del())), nil
	case a.Txn() != nil:
		return txnResponse((*etcdserverpb.TxnResponse)(a.Txn())), nil
	}
	return nil, fmt.Errorf("etcd: an answer of type %T", a)
}
