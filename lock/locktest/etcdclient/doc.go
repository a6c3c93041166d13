// Package etcdclient connects the official client of etcd (go.etcd.io/etcd/client/v3) to the simulated cluster, in a test of
// package locktest. The client's sessions, mutexes and elections run unmodified:
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, "etcd-pause", func(d locktest.Deps) lock.Locker {
//			client, err := etcdclient.New(d)
//			if err != nil {
//				panic(err)
//			}
//			return locktest.Locker(func(ctx context.Context, key string) (locktest.Lease, error) {
//				session, err := concurrency.NewSession(client, concurrency.WithTTL(int(d.TTL.Seconds())))
//				...
//			})
//		})
//	}
//
// The client has a gRPC connection to each member, through a pipe in memory, to a gRPC server in the same
// process (config.go, server.go). That server forwards each request as a message of the simulated network, and receives
// the events of a watch as messages (requests.go, responses.go, watch.go). If the simulated connection breaks, the gRPC
// connection breaks too. Retries, renewals and timeouts are those of the client.
//
// It differs from the client of a program in these points:
//
//   - The balancer gives each kind of request its own turn (balancer.go). The round robin of gRPC begins at random and
//     gives simultaneous requests turns in the order of the scheduler.
//   - gRPC connects again after a pause without jitter.
//   - Opening a stream takes a microsecond, since code takes no time in the simulation, and the client sends the first
//     renewal of a lease only if the clock has moved since its creation.
//   - A watch has a connection of its own to the member, and its creation takes a round trip more.
//   - Pings of gRPC (DialKeepAliveTime) are answered in the process, and do not notice a partition.
//   - A watch or a renewal of a client that requires a leader does not end when there is none.
//   - The services Auth, Cluster and Maintenance, progress notifications of a watch, and RangeStream are missing.
//   - A push reaches the process up to a millisecond late.
package etcdclient
