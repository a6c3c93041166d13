package servers

import (
	"errors"
	"os"
	"testing"
)

// Redis starts a redis-server for a test and stops it when the test ends; see StartRedis. If
// redis-server is not installed the test is skipped, but in CI (environment variable CI) it fails:
// otherwise nothing would ever run it.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	return forTest(t, func() (*Server, error) { return StartRedis(args...) })
}

// RedisReplica starts a replica of a server for a test and stops it when the
// test ends; see Server.Replica.
func RedisReplica(t testing.TB, of *Server, args ...string) *Server {
	t.Helper()
	return forTest(t, func() (*Server, error) { return of.Replica(args...) })
}

func forTest(t testing.TB, start func() (*Server, error)) *Server {
	t.Helper()
	s, err := start()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skipf("%v; make deps installs it (package redis-server)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
