// Package family makes PostgreSQL a family of lock servers for package scenarios. It connects the
// servers of package postgres with the clients of package client, and defines their settings in a
// scenario file.
package family

import (
	"fmt"
	"time"

	lockpostgres "lockquake/lock/postgres"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/postgres"
	"lockquake/sim/postgres/client"
)

// Settings has the settings of the clients.
type Settings struct {
	Postgres client.Options `yaml:"postgres" doc:"the pool of connections of each process to a PostgreSQL server; the defaults are those of pgxpool, except that the pool has 4 connections on any machine; in pgxpool the default is 4 or the number of processors, whichever is larger"`
}

// ServerSettings has the settings that only PostgreSQL servers have.
type ServerSettings struct {
	Postgres Server `yaml:"postgres" doc:"the settings of PostgreSQL servers"`
}

// Server has the settings of a PostgreSQL server and its pooler.
type Server struct {
	DeadlockTimeout time.Duration `yaml:"deadlock-timeout" doc:"how long a session waits for a lock before it looks for a deadlock" min:"1ms"`
	IdleTransaction time.Duration `yaml:"idle-in-transaction-timeout" doc:"idle_in_transaction_session_timeout: how long a transaction may be idle before the server ends its session; 0s for no limit" min:"0s"`
	StatementLimit  time.Duration `yaml:"statement-timeout" doc:"statement_timeout: how long a statement may take; 0s for no limit" min:"0s"`
	KeepAlive       time.Duration `yaml:"keepalive" doc:"time until the server notices that the machine of a client is cut off or suspended, and ends its session; with a message that the client has not acknowledged it takes 15 min 24.6 s instead" min:"1s"`
	PoolerSize      int           `yaml:"pooler-size" doc:"number of sessions of the pooler in transaction mode, for the strategies that use it" min:"1" max:"10000"`
	PoolerTurns     bool          `yaml:"pooler-turns" doc:"whether the pooler uses its sessions in turn, as PgBouncer does with server_round_robin and min_pool_size; if not, it uses the one that was used last, and opens another one only if none is free"`
}

func serverDefaults() ServerSettings {
	const (
		sessions = 4
		// Linux sends the first probe after 2 h, and gives up after 9 more, with 75 s between them.
		keepAlive = 2*time.Hour + 9*75*time.Second
	)
	return ServerSettings{Server{DeadlockTimeout: time.Second, KeepAlive: keepAlive, PoolerSize: sessions}}
}

// Family returns PostgreSQL as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:         lockpostgres.Family(),
		Doc:            "a PostgreSQL server, alone or as a primary with a replica, and pgx as its client",
		Settings:       Settings{Postgres: client.Options{}.WithDefaults()},
		ServerSettings: serverDefaults(),
		Pool:           backend.Pool{Key: "postgres.pool-size", Of: func(s backend.Settings) int { return options(s).Size }},
		Operations:     []string{"connect", "query", "ping", "cancel", "farewell"},
		Start:          start,
		Prototype:      &cluster{},
	}
}

// cluster implements backend.Cluster, and the faults that a PostgreSQL server can have.
type cluster struct {
	*postgres.Cluster
	items        backend.Items
	readsReplica bool
}

var (
	_ backend.Crasher       = (*cluster)(nil)
	_ backend.Promoter      = (*cluster)(nil)
	_ backend.Database      = (*cluster)(nil)
	_ backend.ReplicaReader = (*cluster)(nil)
)

func start(s backend.Start) (backend.Cluster, error) {
	settings := serverDefaults()
	s.Settings.Apply(&settings)
	var set []string
	for _, timeout := range []struct {
		name     string
		d, usual time.Duration
	}{
		{"deadlock_timeout", settings.Postgres.DeadlockTimeout, time.Second},
		{"statement_timeout", settings.Postgres.StatementLimit, 0},
		{"idle_in_transaction_session_timeout", settings.Postgres.IdleTransaction, 0},
	} {
		if timeout.d != timeout.usual {
			set = append(set, fmt.Sprintf("SET %s = '%dms'", timeout.name, timeout.d.Milliseconds()))
		}
	}
	c, err := postgres.NewCluster(s.World, s.Layout, postgres.Options{Locks: s.Locks, Poolers: settings.Postgres.PoolerSize, PoolerTurns: settings.Postgres.PoolerTurns, Settings: set, KeepAlive: settings.Postgres.KeepAlive})
	return &cluster{Cluster: c}, err
}

// options returns the options of a client under these settings.
func options(s backend.Settings) client.Options {
	var set Settings
	s.Apply(&set)
	return set.Postgres.WithDefaults()
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	o := options(s)
	pooled := o
	pooled.Database, pooled.ExecMode = postgres.PooledDatabase, client.PlainExec
	pool := client.NewPool(p, c.Resolve, o)
	return lockpostgres.Port{
		Pool:   lockpostgres.PoolOf(pool.Acquire),
		Pooled: lockpostgres.PoolOf(client.NewPool(p, c.Resolve, pooled).Acquire),
		Config: pool.Config,
	}
}

// Keep implements backend.Database.
func (c *cluster) Keep(i backend.Items) error {
	c.items = i
	return c.Cluster.Keep(i)
}

// Access implements backend.Database. The connections of the work have a pool of their own.
func (c *cluster) Access(p *sim.Process, s backend.Settings) backend.Access {
	o := options(s)
	pool := client.NewPool(p, c.Resolve, o)
	reads := pool
	if o.Reads == client.ReadReplica && c.Replicated() {
		c.readsReplica = true
		reads = client.NewPool(p, func() string { return c.Names()[1] }, o)
	}
	return client.NewItems(c.items.Policy, pool, reads)
}

// ReadsReplica implements backend.ReplicaReader.
func (c *cluster) ReadsReplica() bool { return c.readsReplica }
