package etcdclient

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"lockquake/lock/etcd"
)

func keys(key, end []byte) etcd.Keys { return etcd.Keys{Key: string(key), End: string(end)} }

func rangeRequest(r *etcdserverpb.RangeRequest) *etcd.Range {
	out := &etcd.Range{
		Keys: keys(r.Key, r.RangeEnd), Limit: r.Limit, Revision: r.Revision, Serializable: r.Serializable, KeysOnly: r.KeysOnly, CountOnly: r.CountOnly,
		MinMod: r.MinModRevision, MaxMod: r.MaxModRevision, MinCreate: r.MinCreateRevision, MaxCreate: r.MaxCreateRevision,
	}
	switch r.SortOrder {
	case etcdserverpb.RangeRequest_NONE:
	case etcdserverpb.RangeRequest_ASCEND:
		out.Order = etcd.Ascending
	case etcdserverpb.RangeRequest_DESCEND:
		out.Order = etcd.Descending
	}
	switch r.SortTarget {
	case etcdserverpb.RangeRequest_KEY:
	case etcdserverpb.RangeRequest_VERSION:
		out.By = etcd.ByVersion
	case etcdserverpb.RangeRequest_CREATE:
		out.By = etcd.ByCreate
	case etcdserverpb.RangeRequest_MOD:
		out.By = etcd.ByMod
	case etcdserverpb.RangeRequest_VALUE:
		out.By = etcd.ByValue
	}
	return out
}

func putRequest(r *etcdserverpb.PutRequest) *etcd.Put {
	return &etcd.Put{Key: string(r.Key), Value: string(r.Value), Lease: r.Lease, PrevKV: r.PrevKv, IgnoreValue: r.IgnoreValue, IgnoreLease: r.IgnoreLease}
}

func deleteRequest(r *etcdserverpb.DeleteRangeRequest) *etcd.Delete {
	return &etcd.Delete{Keys: keys(r.Key, r.RangeEnd), PrevKV: r.PrevKv}
}

func txnRequest(r *etcdserverpb.TxnRequest) *etcd.Txn {
	out := &etcd.Txn{Then: operations(r.Success), Else: operations(r.Failure)}
	for _, c := range r.Compare {
		out.If = append(out.If, compare(c))
	}
	return out
}

func operations(list []*etcdserverpb.RequestOp) []etcd.Request {
	var all []etcd.Request
	for _, op := range list {
		switch r := op.Request.(type) {
		case *etcdserverpb.RequestOp_RequestRange:
			all = append(all, rangeRequest(r.RequestRange))
		case *etcdserverpb.RequestOp_RequestPut:
			all = append(all, putRequest(r.RequestPut))
		case *etcdserverpb.RequestOp_RequestDeleteRange:
			all = append(all, deleteRequest(r.RequestDeleteRange))
		case *etcdserverpb.RequestOp_RequestTxn:
			all = append(all, txnRequest(r.RequestTxn))
		}
	}
	return all
}

func compare(c *etcdserverpb.Compare) etcd.Compare {
	out := etcd.Compare{Keys: keys(c.Key, c.RangeEnd)}
	switch c.Result {
	case etcdserverpb.Compare_EQUAL:
	case etcdserverpb.Compare_GREATER:
		out.Is = etcd.Greater
	case etcdserverpb.Compare_LESS:
		out.Is = etcd.Less
	case etcdserverpb.Compare_NOT_EQUAL:
		out.Is = etcd.NotEqual
	}
	switch c.Target {
	case etcdserverpb.Compare_VERSION:
		out.Field, out.Number = etcd.ByVersion, c.GetVersion()
	case etcdserverpb.Compare_CREATE:
		out.Field, out.Number = etcd.ByCreate, c.GetCreateRevision()
	case etcdserverpb.Compare_MOD:
		out.Field, out.Number = etcd.ByMod, c.GetModRevision()
	case etcdserverpb.Compare_VALUE:
		out.Field, out.Value = etcd.ByValue, string(c.GetValue())
	case etcdserverpb.Compare_LEASE:
		out.Field, out.Number = etcd.ByLease, c.GetLease()
	}
	return out
}

func watchRequest(r *etcdserverpb.WatchCreateRequest) *etcd.Watch {
	out := &etcd.Watch{Keys: keys(r.Key, r.RangeEnd), Revision: r.StartRevision, PrevKV: r.PrevKv}
	for _, filter := range r.Filters {
		switch filter {
		case etcdserverpb.WatchCreateRequest_NOPUT:
			out.NoPut = true
		case etcdserverpb.WatchCreateRequest_NODELETE:
			out.NoDelete = true
		}
	}
	return out
}
