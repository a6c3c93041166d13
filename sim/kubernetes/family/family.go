// Package family makes Kubernetes a family of lock servers for package scenarios. It connects the API server of
// package kubernetes with the client of package client, and defines their settings in a scenario file.
package family

import (
	"time"

	lockkubernetes "lockquake/lock/kubernetes"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/kubernetes"
	"lockquake/sim/kubernetes/client"
)

// Settings has the settings of the clients.
type Settings struct {
	Kubernetes client.Options `yaml:"kubernetes" doc:"the client of each process to the API server of Kubernetes; the defaults are those of client-go"`
}

// Family returns Kubernetes as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:     lockkubernetes.Family(),
		Doc:        "an API server of Kubernetes with Lease objects, and a client like that of client-go",
		Settings:   Settings{client.Defaults()},
		Operations: []string{"hello"},
		ReplyTimeout: backend.ReplyTimeout{Key: "kubernetes.timeout", Of: func(s backend.Settings) time.Duration {
			return options(s).Timeout
		}},
		Start:     start,
		Prototype: &cluster{},
	}
}

// cluster implements backend.Cluster, and the faults that an API server can have.
type cluster struct{ *kubernetes.Cluster }

var (
	_ backend.Crasher = (*cluster)(nil)
	_ backend.Deleter = (*cluster)(nil)
	_ backend.Refuser = (*cluster)(nil)
)

func start(s backend.Start) (backend.Cluster, error) {
	return &cluster{kubernetes.NewCluster(s.World, s.Layout, s.Locks)}, nil
}

// options returns the options of a client under these settings.
func options(s backend.Settings) client.Options {
	set := Settings{client.Defaults()}
	s.Apply(&set)
	return set.Kubernetes
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	return lockkubernetes.Port{Leases: client.New(p, c.Resolve, options(s))}
}
