// Package store is the data of an etcd cluster: its keys with all their versions, and its leases. It
// knows no time and no network. It does what etcd 3.4.23 does.
//
//   - A [Store] has the keys (store.go). Each change of it has a revision. [Store.Apply] executes a
//     request; a transaction (txn.go) has one revision for all its changes. One that crashes a real
//     etcd returns a [CrashError].
//   - [Store.Range] reads the keys (ranges.go) as of a [View]: what a member of the cluster has
//     applied.
//   - A lease has keys, which its revocation deletes (lease.go). The caller decides when it expires.
//   - [Store.Changes] returns the events of a range of revisions, for watchers (changes.go).
package store
