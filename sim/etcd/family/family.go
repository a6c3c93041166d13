// Package family makes etcd a family of lock servers for package scenarios. It connects the members of
// package etcd with the clients of package client, and defines their settings in a scenario file.
package family

import (
	"context"
	"time"

	locketcd "lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/etcd"
	"lockquake/sim/etcd/client"
)

// Settings has the settings of the clients.
type Settings struct {
	Etcd client.Options `yaml:"etcd" doc:"the client of each process to an etcd cluster; the defaults are those of the official client"`
}

// ServerSettings has the settings that only etcd servers have.
type ServerSettings struct {
	Etcd Server `yaml:"etcd" doc:"the settings of an etcd cluster"`
}

// Server has the settings of a member.
type Server struct {
	Heartbeat  time.Duration `yaml:"heartbeat-interval" doc:"interval of the leader's heartbeats to the other members" min:"1ms"`
	Election   time.Duration `yaml:"election-timeout" doc:"how long a member waits for the leader before it asks for votes; leases are at least one and a half times as long" min:"10ms"`
	Compaction time.Duration `yaml:"compaction" doc:"interval at which the cluster compacts its store, which discards old revisions; a watch cannot start at a discarded one; 0s for never" min:"0s"`
}

func serverDefaults() ServerSettings {
	const heartbeat, election = 100 * time.Millisecond, time.Second
	return ServerSettings{Server{Heartbeat: heartbeat, Election: election}}
}

// Family returns etcd as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:         locketcd.Family(),
		Doc:            "an etcd cluster, and a model of its official client",
		Settings:       Settings{Etcd: client.Options{}.WithDefaults()},
		ServerSettings: serverDefaults(),
		Operations:     client.Operations(),
		ReplyTimeout: backend.ReplyTimeout{Key: "etcd.request-timeout", Of: func(s backend.Settings) time.Duration {
			return options(s).RequestTimeout
		}},
		Start:     start,
		Prototype: &cluster{},
	}
}

// cluster implements backend.Cluster, and the faults that an etcd cluster can have.
type cluster struct{ *etcd.Cluster }

var (
	_ backend.Crasher = (*cluster)(nil)
	_ backend.Elector = (*cluster)(nil)
	_ backend.Deleter = (*cluster)(nil)
	_ backend.Refuser = (*cluster)(nil)
	_ backend.Session = (*cluster)(nil)
)

func start(s backend.Start) (backend.Cluster, error) {
	settings := serverDefaults()
	s.Settings.Apply(&settings)
	return &cluster{etcd.NewCluster(s.World, s.Layout, etcd.Options{
		Locks: s.Locks, Heartbeat: settings.Etcd.Heartbeat, Election: settings.Etcd.Election, Compaction: settings.Etcd.Compaction,
	})}, nil
}

// options returns the options of a client under these settings.
func options(s backend.Settings) client.Options {
	var set Settings
	s.Apply(&set)
	return set.Etcd.WithDefaults()
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	o := options(s)
	return locketcd.Port{
		Client: client.New(p, c.Names(), o), Members: c.Names(),
		Dial: func(ctx context.Context, member string) (locketcd.Conn, error) { return client.Dial(ctx, p, member, o) },
	}
}

// Lease implements backend.Session: the members hear of each other for ever. A lease lasts for whole
// seconds, for an election timeout more after a change of the leader, and is revoked within half a second.
func (c *cluster) Lease(ttl time.Duration) time.Duration { return c.Longest(ttl) }
