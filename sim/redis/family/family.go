package family

import (
	"time"

	lockredis "lockquake/lock/redis"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/redis"
	"lockquake/sim/redis/client"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
)

// Settings has the settings of the clients.
type Settings struct {
	Client client.Options `yaml:"client" doc:"the settings of each worker's client of the lock server; the defaults are those of go-redis, except that it does not resend, that its pool has 10 connections on any machine, and that it uses RESP2 and sends only HELLO after a dial"`
}

// ServerSettings has the settings that only Redis servers have.
type ServerSettings struct {
	Persistence redis.Persistence `yaml:"persistence" doc:"which data of a server survives its crash"`
	Clock       Clock             `yaml:"clock" doc:"the clock of the server by which keys expire"`
}

// Clock names the clock by which keys expire.
type Clock string

// The clocks.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic" // no fault can set it
)

// Known lists the clocks.
func (Clock) Known() []string { return []string{string(ClockWall), string(ClockMonotonic)} }

// Family returns Redis as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:         lockredis.Family(),
		Doc:            "Redis servers, alone or as a primary with a replica, and go-redis as their client",
		Settings:       Settings{Client: client.Options{}.WithDefaults()},
		ServerSettings: serverDefaults(),
		Operations:     []string{"hello", "subscribe", "unsubscribe"},
		Command:        func(name string) bool { return name == "pipeline" || keyspace.IsCommand(name) },
		ReplyTimeout: backend.ReplyTimeout{Key: "client.read-timeout", Of: func(s backend.Settings) time.Duration {
			return ClientOptions(s).WithDefaults().ReadTimeout
		}},
		NewCache:  func() any { return lua.NewCache() },
		Start:     start,
		Prototype: &cluster{},
	}
}

func serverDefaults() ServerSettings {
	return ServerSettings{Persistence: redis.PersistNone, Clock: ClockWall}
}

// ClientOptions returns the options of a client under these settings.
func ClientOptions(s backend.Settings) client.Options {
	var set Settings
	s.Apply(&set)
	// For the client 0 means the default, and a negative pause means no pause.
	if set.Client.MinRetryBackoff == 0 && s.Has("client.min-retry-backoff") {
		set.Client.MinRetryBackoff = -1
	}
	if set.Client.MaxRetryBackoff == 0 && s.Has("client.max-retry-backoff") {
		set.Client.MaxRetryBackoff = -1
	}
	return set.Client
}

// cluster implements backend.Cluster.
type cluster struct {
	*redis.Cluster
	shared *client.Shared // nil: each process has clients of its own
}

func start(s backend.Start) (backend.Cluster, error) {
	settings := serverDefaults()
	s.Settings.Apply(&settings)
	scripts, _ := s.Cache.(*lua.Cache)
	c, err := redis.NewCluster(s.World, s.Layout, redis.Options{
		Persistence: settings.Persistence, Monotonic: settings.Clock == ClockMonotonic, Scripts: scripts,
		Locks: s.Locks.IsLock, LockOf: s.Locks.LockOf, Records: s.Locks.Records, Permits: s.Locks.Permits,
		Holders: s.Locks.Holders, Guess: s.Locks.Guess, Unread: s.Locks.Unread, Record: s.Locks.Record,
	})
	if err != nil {
		return nil, err
	}
	started := &cluster{Cluster: c}
	if s.Catalogue {
		started.shared = client.NewShared(s.World)
	}
	return started, nil
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	if c.shared != nil {
		return c.shared.Connect(p, c.Resolvers(), ClientOptions(s))
	}
	return client.Connect(p, c.Resolvers(), ClientOptions(s))
}
