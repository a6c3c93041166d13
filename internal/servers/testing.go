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

// Kubernetes starts a kube-apiserver for a test, and stops it when the test ends; see StartKubernetes. A missing
// one skips the test, and fails it in make conformance, which builds it: that takes too long for CI.
func Kubernetes(t testing.TB, etcd *EtcdServer, args ...string) *KubernetesServer {
	t.Helper()
	s := needed(t, howMany, "make conformance builds it", func() (*KubernetesServer, error) { return StartKubernetes(etcd, args...) })
	stopAfter(t, s)
	return s
}

// Axe returns the script of axe-core, which checks a page in a browser. A missing one skips the test or
// fails it, as with Redis.
func Axe(t testing.TB) string {
	t.Helper()
	return fromDebian(t, "npm", readAxe)
}

// needed returns what get returns. If that is not installed the test is skipped, or fails if the environment
// variable is set.
func needed[T any](t testing.TB, variable, hint string, get func() (T, error)) T {
	t.Helper()
	found, err := get()
	if errors.Is(err, ErrMissing) && os.Getenv(variable) == "" {
		t.Skipf("%v; %s", err, hint)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// fromDebian is needed for what a Debian package has.
func fromDebian[T any](t testing.TB, name string, get func() (T, error)) T {
	t.Helper()
	return needed(t, "CI", "make deps installs it (package "+name+")", get)
}

func forTest[S interface{ Stop() error }](t testing.TB, debianPackage string, start func() (S, error)) S {
	t.Helper()
	s := fromDebian(t, debianPackage, start)
	stopAfter(t, s)
	return s
}

// stopAfter stops a server when the test ends.
func stopAfter(t testing.TB, s interface{ Stop() error }) {
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}
