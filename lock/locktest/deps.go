package locktest

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/internal/bubble"
	"lockquake/lock"
	"lockquake/lock/dynamodb"
	"lockquake/lock/etcd"
	"lockquake/lock/kubernetes"
	"lockquake/lock/postgres"
	"lockquake/lock/redis"
	"lockquake/lock/zookeeper"
	"lockquake/sim"
)

// Deps has what a lock is made of, for one worker. Its clients reach the simulated servers. Those of a
// family that the scenario does not use are nil.
type Deps struct {
	// Redis is a client of the lock's server, or of the current primary.
	Redis goredis.UniversalClient
	// Nodes has a client of each independent Redis server; Redis is the first.
	Nodes []goredis.UniversalClient
	// RedisServers is for a client that is made by the library, or that is not go-redis.
	RedisServers *RedisServers
	// Postgres is a configuration of pgx whose connections reach the simulated database, and DB is a database/sql handle
	// of it. DB opens a connection for each statement that finds none idle.
	Postgres *pgx.ConnConfig
	DB       *sql.DB
	// Etcd reaches the members of the etcd cluster; etcdclient.New makes the official client of it.
	Etcd *Etcd
	// Kubernetes reads and writes the Lease objects of the API server, with the retries, the timeout and the limit of requests of
	// client-go. It can be wrapped as a typed client of client-go.
	Kubernetes kubernetes.Leases
	// DynamoDB is the client of the AWS SDK, with its own retries. There is one table, "locks", with the string key "name".
	DynamoDB *awsdynamodb.Client
	// ZooKeeper reaches the servers of the ensemble: zk.Connect(d.ZooKeeper.Servers, d.TTL, zk.WithDialer(d.ZooKeeper.Dial)).
	ZooKeeper *ZooKeeper
	// TTL is the lease of the scenario, and Params has all settings of its lock.
	TTL    time.Duration
	Params lock.Params
	// Worker is the name of the worker, such as worker-1.
	Worker string
	// Process keeps what the workers of one process share, with lock.Shared.
	Process *lock.Process
	// AtEnd calls a function in the process at the end of the run, before the clients are closed: one that stops a service or closes
	// a pool. The last function is called first. All requests fail by then.
	AtEnd func(stop func())
}

// process is the process of a worker, as the clients of Deps use it.
type process struct {
	*bubble.Bubble
	worker *sim.Worker
	doing  *atomic.Value // the string "acquire" or "release" while the lock is called so, else ""
}

// deps makes the clients of a worker, which are closed at the end of the run. It is called in the bubble.
func (p process) deps(d lock.Deps) (Deps, error) {
	deps := Deps{TTL: d.Params.TTL, Params: d.Params, Worker: p.worker.Name(), Process: d.Process, AtEnd: p.AtEnd}
	switch port := d.Port.(type) {
	case redis.Port:
		nodes := port.Nodes
		if len(nodes) == 0 && port.Client != nil {
			nodes = []goredis.Cmdable{port.Client}
		}
		for i, node := range nodes {
			if simulated, ok := node.(*goredis.Client); ok {
				client := p.redis(fmt.Sprintf("node %d", i+1), simulated)
				p.AtEnd(func() { _ = client.Close() })
				deps.Nodes = append(deps.Nodes, client)
			}
		}
		if len(deps.Nodes) > 0 {
			deps.Redis = deps.Nodes[0]
		}
		if port.Dial != nil {
			deps.RedisServers = p.redisServers(port)
		}
	case postgres.Port:
		cfg, err := port.Config()
		if err != nil {
			return deps, err
		}
		dial := cfg.DialFunc
		cfg.DialFunc = func(_ context.Context, network, addr string) (net.Conn, error) {
			return p.dial("postgres", pointOfQuery, func() (net.Conn, error) { return dial(context.Background(), network, addr) })
		}
		deps.Postgres, deps.DB = cfg, stdlib.OpenDB(*cfg)
		p.AtEnd(func() { _ = deps.DB.Close() })
	case dynamodb.Port:
		deps.DynamoDB = p.dynamodb(port)
	case zookeeper.Port:
		deps.ZooKeeper = p.zookeeper(port)
	case etcd.Port:
		deps.Etcd = p.etcd(port)
	case kubernetes.Port:
		deps.Kubernetes = &leases{p, port.Leases}
	default:
		return deps, fmt.Errorf("locktest: Deps has no client of these servers yet (%T): test the lock with RunEntry", d.Port)
	}
	return deps, nil
}

// pointOfQuery returns the point before messages of PostgreSQL leave.
func pointOfQuery(messages []byte) string {
	switch messages[0] {
	case 0: // the startup message and a cancel request begin with their length
		return "connect.called"
	case 'X': // the end of the session
		return ""
	}
	return "query.called"
}
