package etcd_test

import "lockquake/lock/etcd"

// cases lists what enough sequences must meet: texts of answers and messages.
func cases() []string {
	all := []string{"more true", "succeeded true", "succeeded false", "was k", "delete k", "compacted", "no watch", "ttl -1"}
	for _, err := range []error{
		etcd.ErrEmptyKey(), etcd.ErrKeyNotFound(), etcd.ErrValueProvided(), etcd.ErrLeaseProvided(), etcd.ErrDuplicateKey(), etcd.ErrCompacted(),
		etcd.ErrFutureRevision(), etcd.ErrLeaseNotFound(), etcd.ErrLeaseExists(),
	} {
		all = append(all, err.Error())
	}
	return all
}
