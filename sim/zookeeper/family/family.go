// Package family makes ZooKeeper a family of lock servers for package scenarios. It connects the
// ensemble of package zookeeper with the clients of package client, and defines their settings in a
// scenario file.
package family

import (
	"time"

	lockzookeeper "lockquake/lock/zookeeper"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/zookeeper"
	"lockquake/sim/zookeeper/client"
)

// Settings has the settings of the clients.
type Settings struct {
	ZooKeeper client.Options `yaml:"zookeeper" doc:"the client of each process; the default is that of go-zookeeper. The timeout of its session is the ttl of the lock"`
}

// ServerSettings has the settings that only ZooKeeper servers have.
type ServerSettings struct {
	ZooKeeper Server `yaml:"zookeeper" doc:"the settings of ZooKeeper servers; the defaults are those of its example"`
}

// Server has the settings of all members.
type Server struct {
	Tick      time.Duration `yaml:"tick" doc:"tickTime: sessions expire at multiples of it, and a session timeout is 2 to 20 of it" min:"1ms"`
	SyncLimit int           `yaml:"sync-limit" doc:"syncLimit: the number of ticks after which a member that does not answer counts as lost" min:"1" max:"1000"`
}

func serverDefaults() ServerSettings {
	const tick, limit = 2 * time.Second, 5
	return ServerSettings{Server{Tick: tick, SyncLimit: limit}}
}

// Family returns ZooKeeper as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:         lockzookeeper.Family(),
		Doc:            "a ZooKeeper ensemble, and a client that behaves as go-zookeeper",
		Settings:       Settings{ZooKeeper: client.Options{}.WithDefaults()},
		ServerSettings: serverDefaults(),
		Operations:     []string{"hello", "ping", "setWatches", "event", "farewell", "parent", "queue", "watch", "confirm", "sync"},
		Start:          start,
		Prototype:      &cluster{},
	}
}

// cluster implements backend.Cluster.
type cluster struct {
	*zookeeper.Ensemble
	tick time.Duration
}

var (
	_ backend.Crasher     = (*cluster)(nil)
	_ backend.Elector     = (*cluster)(nil)
	_ backend.Deleter     = (*cluster)(nil)
	_ backend.StaleReader = (*cluster)(nil)
	_ backend.Session     = (*cluster)(nil)
)

func start(s backend.Start) (backend.Cluster, error) {
	set := serverDefaults()
	s.Settings.Apply(&set)
	e := zookeeper.NewEnsemble(s.World, s.Layout, zookeeper.Options{Locks: s.Locks, Tick: set.ZooKeeper.Tick, SyncLimit: set.ZooKeeper.SyncLimit})
	return &cluster{e, set.ZooKeeper.Tick}, nil
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	var set Settings
	s.Apply(&set)
	return client.New(p, c.Names(), set.ZooKeeper).Port()
}

// Lease implements backend.Session: a session expires at the first tick after its timeout. A follower
// tells its leader only at the next ping, half a tick later, that it has heard from a client.
func (c *cluster) Lease(ttl time.Duration) time.Duration {
	return zookeeper.SessionTimeout(ttl, c.tick) + 2*c.tick
}
