// Package zookeeper implements the locks in a ZooKeeper service.
//
// A contender creates an ephemeral sequential znode under the znode of the lock, and watches the znode
// before its own. The contender with the first znode holds the lock (locker.go, queue.go). The znode
// has a name that its creator recognises, since the reply to a create can be lost (create.go). The
// holder is told when its client has lost the connection, and deletes its znode at the end (lease.go).
// In a read-write lock all readers before the first writer hold the lock (sharing.go). In a semaphore
// with n permits the first n contenders hold one each (permits.go).
//
// [Family] lists the presets (presets.go), which claim that checks hold (claims.go). [Port] has the
// client (port.go). The timeout of the session is the TTL of the lock; the server makes it 2 to 20
// ticks.
//
// Package official runs the locks with the client github.com/go-zookeeper/zk. That client cannot run in
// a simulation: it sends and receives in goroutines that wait in select statements.
package zookeeper
