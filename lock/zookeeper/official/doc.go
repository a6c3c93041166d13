// Package official runs the locks of package lock/zookeeper with the client
// github.com/go-zookeeper/zk. It is for programs. The simulation has a client of its own, because
// this one sends and receives in goroutines and uses the timers of the machine.
//
// An example:
//
//	service := official.New([]string{"127.0.0.1:2181"})
//	defer service.Close()
//	port := service.Port()
package official
