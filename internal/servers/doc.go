// Package servers starts real servers on this machine, each as a child process on a free loopback
// port with a folder of its own, and makes sure that none of them outlives its user.
//
//   - [StartRedis] starts a redis-server, and [RedisServer.Replica] a replica of it (redis.go).
//   - [StartPostgres] starts a PostgreSQL, and [PostgresServer.KillBackend] kills one of its
//     sessions (postgres.go). [StartPgBouncer] starts a PgBouncer in front of it (pgbouncer.go).
//   - [StartDynalite] starts a Dynalite, which has the interface of DynamoDB (dynalite.go). npm.sh installs
//     it (npm.go), and axe-core, which checks pages in a browser ([Axe]).
//   - [StartEtcd] starts a cluster of etcd servers (etcd.go).
//   - [StartZooKeeper] starts a ZooKeeper or an ensemble (zookeeper.go).
//   - [StartKubernetes] starts an API server of Kubernetes, whose objects are in an etcd (kubernetes.go).
//     kube-apiserver.sh builds it, and make conformance calls that.
//   - [Redis], [Postgres], [PgBouncer], [ZooKeeper], [Dynalite], [Etcd] and [Kubernetes] start a server for a test, and stop it at
//     the end of the test (testing.go). sequences.go has the number of random sequences of a test.
//   - server.go has what all servers have: a folder, a port and an account. [Server.Kill] kills a
//     server, [Server.Start] starts it again with its data.
//   - process.go has the child process, its last output, and its end. On Linux the kernel kills the
//     child when its parent is killed (process_linux.go, process_other.go).
//
// An example:
//
//	server := servers.Redis(t, "--appendonly", "yes")
//	conn, err := net.Dial("tcp", server.Addr)
package servers
