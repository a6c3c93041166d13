// Package client models a ZooKeeper client in a simulated process. It behaves as the official client
// for Go, github.com/go-zookeeper/zk v1.0.4, which cannot run here: its loops are goroutines.
//
// A [Client] has one session (session.go). Two tasks of the process serve it: one connects, sends the
// watches again and receives (connection.go), the other one sends pings. Requests are in requests.go,
// watches and signals in watches.go.
//
// go-zookeeper itself runs in the processes of package locktest, over connections that speak ZooKeeper's protocol (netconn.go, jute.go).
package client
