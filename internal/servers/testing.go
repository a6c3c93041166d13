package servers

import (
	"errors"
	"os"
	"testing"
)

// Redis starts a redis-server for a test and stops it when the test ends; see StartRedis. If
// redis-server is not installed the test is skipped, but in CI (environment variable CI) it fails:
// otherwise nothing would ever run it.
func Redis(t testing.TB, args ...string) *RedisServer {
	t.Helper()
	return forTest(t, "redis-server", func() (*RedisServer, error) { return StartRedis(args...) })
}

// RedisReplica starts a replica of a server for a test and stops it when the test ends; see
// RedisServer.Replica.
func RedisReplica(t testing.TB, of *RedisServer, args ...string) *RedisServer {
	t.Helper()
	return forTest(t, "redis-server", func() (*RedisServer, error) { return of.Replica(args...) })
}

// Postgres starts a PostgreSQL for a test and stops it when the test ends; see StartPostgres. A
// missing one skips the test or fails it, as with Redis.
func Postgres(t testing.TB, settings ...string) *PostgresServer {
	t.Helper()
	return forTest(t, "postgresql", func() (*PostgresServer, error) { return StartPostgres(settings...) })
}

// PgBouncer starts a PgBouncer for a test and stops it when the test ends; see StartPgBouncer. A
// missing one skips the test or fails it, as with Redis.
func PgBouncer(t testing.TB, of *PostgresServer, mode string, size int, settings ...string) *PgBouncerServer {
	t.Helper()
	return forTest(t, "pgbouncer", func() (*PgBouncerServer, error) { return StartPgBouncer(of, mode, size, settings...) })
}

// ZooKeeper starts a ZooKeeper for a test and stops it when the test ends; see StartZooKeeper. A
// missing one skips the test or fails it, as with Redis.
func ZooKeeper(t testing.TB, settings ...string) *ZooKeeperServer {
	t.Helper()
	return forTest(t, "zookeeper", func() (*ZooKeeperServer, error) { return StartZooKeeper(settings...) })
}

// ZooKeepers starts an ensemble of n members for a test and stops it when the test ends; see
// StartZooKeepers. A missing one skips the test or fails it, as with Redis.
func ZooKeepers(t testing.TB, n int, settings ...string) ZooKeeperEnsemble {
	t.Helper()
	return forTest(t, "zookeeper", func() (ZooKeeperEnsemble, error) { return StartZooKeepers(n, settings...) })
}

// Dynalite starts a Dynalite for a test and stops it when the test ends; see StartDynalite. A missing one
// skips the test or fails it, as with Redis.
func Dynalite(t testing.TB) *DynaliteServer {
	t.Helper()
	return forTest(t, "npm", StartDynalite)
}

// Etcd starts a cluster of etcd servers for a test, and stops it when the test ends; see StartEtcd. A
// missing one skips the test or fails it, as with Redis.
func Etcd(t testing.TB, members int, args ...string) *EtcdServer {
	t.Helper()
	return forTest(t, "etcd-server", func() (*EtcdServer, error) { return StartEtcd(members, args...) })
}

// Axe returns the script of axe-core, which checks a page in a browser. A missing one skips the test or
// fails it, as with Redis.
func Axe(t testing.TB) string {
	t.Helper()
	return needed(t, "npm", readAxe)
}

// needed returns what get returns. If that is not installed the test is skipped, and in CI it fails.
func needed[T any](t testing.TB, debianPackage string, get func() (T, error)) T {
	t.Helper()
	found, err := get()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skipf("%v; make deps installs it (package %s)", err, debianPackage)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func forTest[S interface{ Stop() error }](t testing.TB, debianPackage string, start func() (S, error)) S {
	t.Helper()
	s := needed(t, debianPackage, start)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
