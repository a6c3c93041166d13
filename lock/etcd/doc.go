// Package etcd implements the locks in an etcd cluster.
//
// A lock is a queue of keys under a prefix. A holder or a waiter puts its key with a lease that it
// renews, so the key of a crashed owner is deleted when the lease expires. The key with the lowest
// creation revision holds the lock, and that revision is the fencing token. This is the protocol of
// concurrency.Mutex of the official client, and of the RWMutex of its recipes. In a semaphore with n
// permits the n lowest hold one each.
//
//   - A session is a lease with the task that renews it (session.go).
//   - A locker puts a key into the queue and waits for its turn (locker.go, queue.go). A grant ends when
//     its key is deleted (grant.go).
//   - [Family] lists the presets (presets.go): each is the same lock with some parts changed (parts.go).
//     Those without a known bug claim that checks hold (claims.go).
//   - [Client] sends the requests of a lock (port.go). The requests of etcd's API are in
//     request.go, its responses in response.go, and its errors in errors.go. text.go describes a
//     request in one line.
//
// There are two implementations of Client. Package official uses the official client,
// go.etcd.io/etcd/client/v3. That client cannot run in a task of a simulation: its gRPC connections use
// goroutines, timers and mutexes, so the order of events would depend on the machine. The simulation has
// a model of it. In go test the official client runs in a process of goroutines (package
// locktest/etcdclient), on a [Conn] to each member.
package etcd
