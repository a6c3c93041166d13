package servers

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func dial(t *testing.T, url string) *pgconn.PgConn {
	t.Helper()
	conn, err := connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeConn(conn) })
	return conn
}

// query returns the values of the last row.
func query(conn *pgconn.PgConn, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	results, err := conn.Exec(ctx, sql).ReadAll()
	var values []string
	for _, result := range results {
		for _, row := range result.Rows {
			values = values[:0]
			for _, value := range row {
				values = append(values, string(value))
			}
		}
	}
	return strings.Join(values, " "), err
}

func mustQuery(t *testing.T, conn *pgconn.PgConn, sql string) string {
	t.Helper()
	answer, err := query(conn, sql)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func pidOf(t *testing.T, conn *pgconn.PgConn) int {
	t.Helper()
	pid, err := strconv.Atoi(mustQuery(t, conn, "select pg_backend_pid()"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

const heldAdvisoryLocks = "select count(*) from pg_locks where locktype = 'advisory'"

// After a kill, and a restart, committed rows are there, and neither open transactions nor advisory
// locks.
func TestAKilledPostgresKeepsWhatWasCommitted(t *testing.T) {
	s := Postgres(t)
	conn := dial(t, s.URL("postgres"))
	mustQuery(t, conn, "create table t (n int); insert into t values (1)")
	mustQuery(t, conn, "begin; insert into t values (2); select pg_advisory_lock(1)")
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	conn = dial(t, s.URL("postgres"))
	if got := mustQuery(t, conn, "select sum(n) from t"); got != "1" {
		t.Errorf("the sum is %s", got)
	}
	if got := mustQuery(t, conn, heldAdvisoryLocks); got != "0" {
		t.Errorf("%s advisory locks are held", got)
	}
}

// The end of one killed session is the end of all sessions and their advisory locks.
func TestAKilledBackendEndsAllSessions(t *testing.T) {
	s := Postgres(t)
	victim, other := dial(t, s.URL("postgres")), dial(t, s.URL("postgres"))
	mustQuery(t, other, "select pg_advisory_lock(1)")
	if err := s.KillBackend(pidOf(t, victim)); err != nil {
		t.Fatal(err)
	}
	if got, err := query(other, "select 1"); err == nil {
		t.Errorf("the other session answers %s", got)
	}
	if got := mustQuery(t, dial(t, s.URL("postgres")), heldAdvisoryLocks); got != "0" {
		t.Errorf("%s advisory locks are held", got)
	}
	if err := s.KillBackend(1); err == nil {
		t.Error("a process that is no session was killed")
	}
}

// Settings reach the server, and a wrong one is the reason that the error states.
func TestPostgresHasItsSettings(t *testing.T) {
	if got := mustQuery(t, dial(t, Postgres(t, "deadlock_timeout=37ms").URL("postgres")), "show deadlock_timeout"); got != "37ms" {
		t.Errorf("deadlock_timeout is %s", got)
	}
	s, err := StartPostgres("no_such_setting=1")
	if err == nil {
		_ = s.Stop()
		t.Fatal("a setting that does not exist is accepted")
	}
	if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("the error does not name the setting: %v", err)
	}
}

// In transaction mode two clients share a session of PostgreSQL, and thus its advisory locks; in
// session mode the second client waits until the first one has left.
func TestPgBouncerSharesSessionsAsItsModeSays(t *testing.T) {
	s := Postgres(t)
	pool := PgBouncer(t, s, "transaction", 1)
	for range 2 {
		if got := mustQuery(t, dial(t, pool.URL("postgres")), "select pg_try_advisory_lock(1)"); got != "t" {
			t.Errorf("pg_try_advisory_lock answers %s", got)
		}
	}
	pool = PgBouncer(t, s, "session", 1, "query_wait_timeout = 1")
	first := dial(t, pool.URL("postgres"))
	mustQuery(t, first, "select 1")
	second, err := connect(pool.URL("postgres"))
	if err == nil {
		_, err = query(second, "select 1")
	}
	if err == nil || !strings.Contains(err.Error(), "query_wait_timeout") {
		t.Errorf("the second client gets %v", err)
	}
}
