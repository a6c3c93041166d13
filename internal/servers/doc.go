// Package servers starts real servers on this machine, each as a child process
// on a free loopback port with a folder of its own, and sees to it that none of
// them is left behind.
//
//   - [StartRedis] starts a redis-server (redis.go); [Server.Kill] and
//     [Server.Start] end it without a word and bring it back with its data; [Server.Replica] starts a replica of it.
//   - [Redis] does so for a test, and ends it with the test (testing.go).
//   - process.go holds what is the same for every kind of server: the child, its
//     last words, and its end. On Linux the kernel kills it when we are killed.
//
// An example:
//
//	server := servers.Redis(t, "--appendonly", "yes")
//	conn, err := net.Dial("tcp", server.Addr)
package servers
