package official

import (
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"lockquake/lock/etcd"
)

func rangeResponse(a *etcdserverpb.RangeResponse) *etcd.Response {
	return &etcd.Response{Revision: a.GetHeader().GetRevision(), KVs: keyValues(a.Kvs), Count: a.Count, More: a.More}
}

func putResponse(a *etcdserverpb.PutResponse) *etcd.Response {
	answer := &etcd.Response{Revision: a.GetHeader().GetRevision()}
	if a.PrevKv != nil {
		answer.KVs = []etcd.KeyValue{keyValue(a.PrevKv)}
	}
	return answer
}

func deleteResponse(a *etcdserverpb.DeleteRangeResponse) *etcd.Response {
	return &etcd.Response{Revision: a.GetHeader().GetRevision(), Deleted: a.Deleted, KVs: keyValues(a.PrevKvs)}
}

func txnResponse(a *etcdserverpb.TxnResponse) *etcd.Response {
	answer := &etcd.Response{Revision: a.GetHeader().GetRevision(), Succeeded: a.Succeeded}
	for _, r := range a.Responses {
		var one *etcd.Response
		switch {
		case r.GetResponseRange() != nil:
			one = rangeResponse(r.GetResponseRange())
		case r.GetResponsePut() != nil:
			one = putResponse(r.GetResponsePut())
		case r.GetResponseDeleteRange() != nil:
			one = deleteResponse(r.GetResponseDeleteRange())
		default:
			one = txnResponse(r.GetResponseTxn())
		}
		answer.Results = append(answer.Results, *one)
	}
	return answer
}

func keyValues(list []*mvccpb.KeyValue) []etcd.KeyValue {
	var all []etcd.KeyValue
	for _, kv := range list {
		all = append(all, keyValue(kv))
	}
	return all
}

func keyValue(kv *mvccpb.KeyValue) etcd.KeyValue {
	return etcd.KeyValue{Key: string(kv.Key), Value: string(kv.Value), Create: kv.CreateRevision, Mod: kv.ModRevision, Version: kv.Version, Lease: kv.Lease}
}
