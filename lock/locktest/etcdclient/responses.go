package etcdclient

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"lockquake/lock/etcd"
)

func header(a *etcd.Response) *etcdserverpb.ResponseHeader { return revision(a.Revision) }

func revision(r int64) *etcdserverpb.ResponseHeader { return &etcdserverpb.ResponseHeader{Revision: r} }

func rangeResponse(a *etcd.Response) *etcdserverpb.RangeResponse {
	return &etcdserverpb.RangeResponse{Header: header(a), Kvs: keyValues(a.KVs), Count: a.Count, More: a.More}
}

func putResponse(a *etcd.Response) *etcdserverpb.PutResponse {
	out := &etcdserverpb.PutResponse{Header: header(a)}
	if len(a.KVs) > 0 {
		out.PrevKv = keyValue(&a.KVs[0])
	}
	return out
}

func deleteResponse(a *etcd.Response) *etcdserverpb.DeleteRangeResponse {
	return &etcdserverpb.DeleteRangeResponse{Header: header(a), Deleted: a.Deleted, PrevKvs: keyValues(a.KVs)}
}

// txnResponse returns the response to a transaction. The operations of its branch tell what each result is.
func txnResponse(r *etcd.Txn, a *etcd.Response) *etcdserverpb.TxnResponse {
	out := &etcdserverpb.TxnResponse{Header: header(a), Succeeded: a.Succeeded}
	branch := r.Else
	if a.Succeeded {
		branch = r.Then
	}
	for i := range a.Results {
		result := &a.Results[i]
		op := &etcdserverpb.ResponseOp{}
		switch r := branch[i].(type) {
		case *etcd.Range:
			op.Response = &etcdserverpb.ResponseOp_ResponseRange{ResponseRange: rangeResponse(result)}
		case *etcd.Put:
			op.Response = &etcdserverpb.ResponseOp_ResponsePut{ResponsePut: putResponse(result)}
		case *etcd.Delete:
			op.Response = &etcdserverpb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: deleteResponse(result)}
		case *etcd.Txn:
			op.Response = &etcdserverpb.ResponseOp_ResponseTxn{ResponseTxn: txnResponse(r, result)}
		}
		out.Responses = append(out.Responses, op)
	}
	return out
}

func keyValues(list []etcd.KeyValue) []*mvccpb.KeyValue {
	var all []*mvccpb.KeyValue
	for i := range list {
		all = append(all, keyValue(&list[i]))
	}
	return all
}

func keyValue(kv *etcd.KeyValue) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key: []byte(kv.Key), Value: []byte(kv.Value), CreateRevision: kv.Create, ModRevision: kv.Mod, Version: kv.Version, Lease: kv.Lease,
	}
}

// watchResponse returns a message to a watch.
func watchResponse(id int64, c *etcd.Changes) *etcdserverpb.WatchResponse {
	out := &etcdserverpb.WatchResponse{
		Header: revision(c.Revision), WatchId: id, CompactRevision: c.Compacted, Canceled: c.Ended, CancelReason: c.Reason,
	}
	for _, e := range c.Events {
		event := &mvccpb.Event{Kv: keyValue(&e.KV)}
		if e.Deleted {
			event.Type = mvccpb.Event_DELETE
		}
		if e.Prev != nil {
			event.PrevKv = keyValue(e.Prev)
		}
		out.Events = append(out.Events, event)
	}
	return out
}
