package official

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockquake/lock/etcd"
)

// operation returns a request about keys as an operation of the official client.
func operation(r etcd.Request) clientv3.Op {
	switch r := r.(type) {
	case *etcd.Range:
		return clientv3.OpGet(r.Key, rangeOptions(r)...)
	case *etcd.Put:
		options := []clientv3.OpOption{clientv3.WithLease(clientv3.LeaseID(r.Lease))}
		if r.PrevKV {
			options = append(options, clientv3.WithPrevKV())
		}
		if r.IgnoreValue {
			options = append(options, clientv3.WithIgnoreValue())
		}
		if r.IgnoreLease {
			options = append(options, clientv3.WithIgnoreLease())
		}
		return clientv3.OpPut(r.Key, r.Value, options...)
	case *etcd.Delete:
		options := rangeEnd(r.Keys)
		if r.PrevKV {
			options = append(options, clientv3.WithPrevKV())
		}
		return clientv3.OpDelete(r.Key, options...)
	case *etcd.Txn:
		var compares []clientv3.Cmp
		for i := range r.If {
			compares = append(compares, compare(&r.If[i]))
		}
		return clientv3.OpTxn(compares, operations(r.Then), operations(r.Else))
	}
	panic("etcd: a request that is no operation")
}

func operations(list []etcd.Request) []clientv3.Op {
	var all []clientv3.Op
	for _, r := range list {
		all = append(all, operation(r))
	}
	return all
}

func rangeEnd(k etcd.Keys) []clientv3.OpOption {
	if k.End == "" {
		return nil
	}
	return []clientv3.OpOption{clientv3.WithRange(k.End)}
}

func rangeOptions(r *etcd.Range) []clientv3.OpOption {
	by := map[etcd.Field]clientv3.SortTarget{
		etcd.ByKey: clientv3.SortByKey, etcd.ByVersion: clientv3.SortByVersion, etcd.ByCreate: clientv3.SortByCreateRevision,
		etcd.ByMod: clientv3.SortByModRevision, etcd.ByValue: clientv3.SortByValue,
	}[r.By]
	order := map[etcd.Order]clientv3.SortOrder{
		etcd.Unordered: clientv3.SortNone, etcd.Ascending: clientv3.SortAscend, etcd.Descending: clientv3.SortDescend,
	}[r.Order]
	options := append(rangeEnd(r.Keys), clientv3.WithLimit(r.Limit), clientv3.WithRev(r.Revision), clientv3.WithSort(by, order),
		clientv3.WithMinModRev(r.MinMod), clientv3.WithMaxModRev(r.MaxMod), clientv3.WithMinCreateRev(r.MinCreate), clientv3.WithMaxCreateRev(r.MaxCreate))
	if r.Serializable {
		options = append(options, clientv3.WithSerializable())
	}
	if r.KeysOnly {
		options = append(options, clientv3.WithKeysOnly())
	}
	if r.CountOnly {
		options = append(options, clientv3.WithCountOnly())
	}
	return options
}

func compare(c *etcd.Compare) clientv3.Cmp {
	relation := map[etcd.Relation]string{etcd.Equal: "=", etcd.NotEqual: "!=", etcd.Greater: ">", etcd.Less: "<"}[c.Is]
	var cmp clientv3.Cmp
	switch c.Field {
	case etcd.ByVersion:
		cmp = clientv3.Compare(clientv3.Version(c.Key), relation, c.Number)
	case etcd.ByCreate:
		cmp = clientv3.Compare(clientv3.CreateRevision(c.Key), relation, c.Number)
	case etcd.ByMod:
		cmp = clientv3.Compare(clientv3.ModRevision(c.Key), relation, c.Number)
	case etcd.ByLease:
		cmp = clientv3.Compare(clientv3.LeaseValue(c.Key), relation, c.Number)
	default:
		cmp = clientv3.Compare(clientv3.Value(c.Key), relation, c.Value)
	}
	if c.End != "" {
		cmp = cmp.WithRange(c.End)
	}
	return cmp
}
