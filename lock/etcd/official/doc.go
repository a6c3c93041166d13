// Package official runs the locks of package lock/etcd with the official client of etcd,
// go.etcd.io/etcd/client/v3. It is for programs. The simulation has a client of its own, because the
// official one needs goroutines and timers of the machine.
//
// An example:
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
//	port := etcd.Port{Client: official.New(client)}
package official
