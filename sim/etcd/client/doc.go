// Package client simulates the official client of etcd, go.etcd.io/etcd/client/v3 3.7.3, which cannot
// run in a coroutine world: it needs goroutines and timers of the machine.
//
// A client is connected to all members, and sends each request to the next one that it is connected to
// (balancer.go). It repeats reads and requests about leases, but no change of a key, if no
// member is connected, or if one is not available or has closed the connection (client.go). A watch has a connection of its
// own, and goes on at another member if it breaks (watch.go).
//
// [Dial] connects to one member, for the official client itself, which runs in a process of goroutines (conn.go).
package client
