// Package client simulates the official client of etcd, go.etcd.io/etcd/client/v3 3.7.3, which cannot run in the
// simulation: it uses goroutines and timers of the machine.
//
// A client is connected to all members, and sends each request to the next one that it is connected to (balancer.go).
// If no member is connected, or if the member is unavailable or has closed the connection, it repeats reads and
// requests about leases, but never a write of a key (client.go). All renewals of leases go to one member, until it fails or
// closes the connection (client.go). A watch has its own connection, and continues at
// another member if that breaks (watch.go).
//
// [Dial] connects to one member, for the official client itself, which runs in a process of goroutines (conn.go).
package client
