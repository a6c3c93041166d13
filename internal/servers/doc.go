// Package servers starts real servers on this machine, each as a child process on a free loopback
// port with a folder of its own, and makes sure that none of them outlives its user.
//
//   - [StartRedis] starts a redis-server (redis.go). [Server.Kill] kills it, [Server.Start] starts
//     it again with its data, and [Server.Replica] starts a replica of it.
//   - [Redis] starts a server for a test, and stops it at the end of the test (testing.go).
//   - process.go has the common part of all servers: the child process, its last output, and its
//     end. On Linux the kernel kills the child when its parent is killed.
//
// An example:
//
//	server := servers.Redis(t, "--appendonly", "yes")
//	conn, err := net.Dial("tcp", server.Addr)
package servers
