// Package client runs pgx, the PostgreSQL client, in the simulation. pgx itself prepares statements,
// encodes arguments and decodes rows; its network is a connection of package sim (netconn.go).
//
// A [Pool] models pgxpool, which starts goroutines and so cannot run in virtual time itself (pool.go). Its
// connections have the methods of pgxpool's (conn.go).
//
// pgx starts a goroutine for a context that can end. So a [Conn] gives pgx a context that cannot
// end, and handles the end itself: it closes the connection and sends a cancel request, which is
// what pgx does by default.
package client

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options are the settings of a pool. Zero values are the defaults of pgxpool, except for the pool
// size, whose default in pgxpool depends on the machine.
type Options struct {
	Size           int           `yaml:"pool-size" doc:"maximum number of connections of a process; a worker that needs another one waits" min:"1" max:"10000"`
	ConnectTimeout time.Duration `yaml:"connect-timeout" doc:"how long opening a connection may take" min:"1ms"`
	Reads          Reads         `yaml:"reads" doc:"which server answers reads of the protected resource that are outside of transactions"`
	Database       string        `yaml:"-"`
	ExecMode       ExecMode      `yaml:"exec-mode" doc:"whether pgx prepares and caches statements at the server; if not, it sends each as it is, as is needed behind a pooler in transaction mode"`
}

// ExecMode is the way in which pgx executes statements.
type ExecMode string

// The two modes, with the names that pgx has for them.
const (
	CacheStatement ExecMode = "cache-statement"
	PlainExec      ExecMode = "exec"
)

// Known lists the modes.
func (ExecMode) Known() []string { return []string{string(CacheStatement), string(PlainExec)} }

// Reads names a server of a primary and its replica.
type Reads string

// The servers.
const (
	ReadPrimary Reads = "primary"
	ReadReplica Reads = "replica" // it lags
)

// Known lists the servers.
func (Reads) Known() []string { return []string{string(ReadPrimary), string(ReadReplica)} }

// WithDefaults fills in the defaults.
func (o Options) WithDefaults() Options {
	const size, timeout = 4, 2 * time.Minute
	if o.Size == 0 {
		o.Size = size
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = timeout
	}
	if o.Reads == "" {
		o.Reads = ReadPrimary
	}
	if o.Database == "" {
		o.Database = "work"
	}
	if o.ExecMode == "" {
		o.ExecMode = CacheStatement
	}
	return o
}

// config returns a configuration of pgx that depends on nothing but the options: variables of the
// environment such as PGAPPNAME must not reach the trace.
func (o Options) config() (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig("host=127.0.0.1 port=5432 user=worker password=none sslmode=disable application_name=lockquake")
	if err != nil {
		return nil, fmt.Errorf("postgres client: %w", err)
	}
	cfg.RuntimeParams = map[string]string{}
	cfg.Fallbacks = nil
	cfg.Database = o.Database
	cfg.ConnectTimeout = 0
	cfg.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"127.0.0.1"}, nil }
	// pgx makes room for all statements that its cache may have; the default is 512.
	cfg.StatementCacheCapacity = 64
	if o.ExecMode == PlainExec {
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
		cfg.StatementCacheCapacity, cfg.DescriptionCacheCapacity = 0, 0
	}
	return cfg, nil
}
