// Package official makes the client github.com/go-zookeeper/zk a client of the locks of package
// lock/zookeeper. It is for programs. The simulation has a client of its own, since this one sends
// and receives in goroutines and uses the timers of the machine.
//
// An example:
//
//	service := official.New([]string{"127.0.0.1:2181"})
//	defer service.Close()
//	port := service.Port()
package official
