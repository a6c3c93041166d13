package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/postgres/client"
)

// rig is a world with the servers of a cluster. A message takes 1 ms and a step no time: a connection
// is open after 4 ms, and a statement takes 2 ms.
type rig struct {
	*sim.World
	t       *testing.T
	cluster *Cluster
	workers map[string]*sim.Worker
	log     []string
}

// settings are those of a rig.
type settings struct {
	options  Options
	replicas bool
	lag      time.Duration
}

func newRig(t *testing.T, s settings) *rig {
	t.Helper()
	r := &rig{t: t, workers: map[string]*sim.Worker{}, World: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond), Limit: 10 * time.Hour})}
	t.Cleanup(r.Close)
	layout := backend.Layout{Names: []string{"db"}, WallOffset: func(string) time.Duration { return 0 }}
	layout.Record = func(e history.Event) { r.note("%s %s", e.Type, e.Node) }
	if s.replicas {
		layout.Names, layout.Replicated, layout.Lag = []string{"db", "replica"}, true, draw.Fixed(s.lag)
	}
	s.options.Locks = backend.Locks{IsLock: func(record string) bool {
		return slices.Contains([]string{"advisory/1", "row/locks/a", "leases/l"}, record)
	}, Record: r.record}
	var err error
	if r.cluster, err = NewCluster(r.World, layout, s.options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.cluster.Close)
	return r
}

func (r *rig) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%v ", r.Time())+fmt.Sprintf(format, args...))
}

// record notes what the server records of a lock.
func (r *rig) record(e history.Event) {
	mode := ""
	if e.Mode == "shared" {
		mode = " shared"
	}
	r.note("%s %s %s by %q%s", e.Type, e.Key, e.Owner, e.Worker, mode)
}

// worker is a worker with two pools of one connection each: to the server, and to its pooler.
type worker struct {
	*sim.Worker
	rig            *rig
	direct, pooled *client.Pool
	conn           *client.Conn
}

// worker starts a worker. Its connections have no cache of prepared statements.
func (r *rig) worker(name string, body func(w *worker)) *sim.Worker {
	k := r.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
	o := client.Options{Size: 1, ExecMode: client.PlainExec}
	behind := o
	behind.Database = PooledDatabase
	w := &worker{Worker: k, rig: r}
	w.direct = client.NewPool(k.Process(), r.cluster.Resolve, o)
	w.pooled = client.NewPool(k.Process(), r.cluster.Resolve, behind)
	r.workers[name] = k
	k.Go("main", func() { body(w) })
	return k
}

// connect takes the connection of a pool.
func (w *worker) connect(p *client.Pool) {
	c, err := p.Acquire(context.Background())
	if err != nil {
		w.rig.t.Errorf("%s: %v", w.Name(), err)
	}
	w.conn = c
}

// exec executes a statement and notes its result, unless that is a row without a value.
func (w *worker) exec(sql string) {
	rows, err := w.conn.Query(context.Background(), sql)
	if err == nil {
		var list []string
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
			values, err := row.Values()
			return fmt.Sprint(values...), err
		})
		if err == nil {
			w.rig.note("%s: %s: %s", w.Name(), sql, strings.Join(append(list, rows.CommandTag().String()), ", "))
			return
		}
	}
	what := "broken"
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		what = server.Severity + " " + server.Code
	}
	w.rig.note("%s: %s: %s", w.Name(), sql, what)
}

func (w *worker) at(when time.Duration) {
	_ = w.Sleep(context.Background(), when-w.rig.Time())
}

// expect runs the world and compares what was noted.
func (r *rig) expect(worked string) {
	r.t.Helper()
	if err := r.Run(); err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(worked), "\n"), r.log); diff != "" {
		r.t.Errorf("what happened (-worked out +got):\n%s", diff)
	}
}

const (
	take   = "SELECT pg_advisory_lock(1)"
	try    = "SELECT pg_try_advisory_lock(1)"
	unlock = "SELECT pg_advisory_unlock(1)"
	pid    = "SELECT pg_backend_pid()"
)

func TestTheServerRecordsWhatHappensToAdvisoryLocks(t *testing.T) {
	r := newRig(t, settings{})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		w.exec(take)
		w.at(20 * time.Millisecond)
		w.exec(unlock)
	})
	r.worker("b", func(w *worker) {
		w.connect(w.direct)
		w.at(10 * time.Millisecond)
		w.exec(take)
	})
	k := r.worker("c", func(w *worker) {
		w.at(30 * time.Millisecond)
		w.connect(w.direct)
		w.exec(try)
	})
	r.At(50*time.Millisecond, func() { r.workers["b"].Process().Crash() })
	r.At(60*time.Millisecond, func() { k.Process().Crash() })
	r.expect(`
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
21ms freed advisory/1 session-2 by "a"
21ms granted advisory/1 session-3 by "b"
22ms b: SELECT pg_advisory_lock(1): , SELECT 1
22ms a: SELECT pg_advisory_unlock(1): true, SELECT 1
36ms c: SELECT pg_try_advisory_lock(1): false, SELECT 1
51ms evicted advisory/1 session-3 by "b"`)
}

// A session that has a lock in both modes is one holder, whose mode changes.
func TestTheServerRecordsASessionThatChangesTheModeOfItsLock(t *testing.T) {
	r := newRig(t, settings{})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		for _, sql := range []string{"SELECT pg_advisory_lock_shared(1)", take, unlock, take, "SELECT pg_advisory_unlock_shared(1)", unlock} {
			w.exec(sql)
		}
	})
	r.expect(`
5ms granted advisory/1 session-2 by "a" shared
6ms a: SELECT pg_advisory_lock_shared(1): , SELECT 1
7ms renewed advisory/1 session-2 by "a"
8ms a: SELECT pg_advisory_lock(1): , SELECT 1
9ms renewed advisory/1 session-2 by "a" shared
10ms a: SELECT pg_advisory_unlock(1): true, SELECT 1
11ms renewed advisory/1 session-2 by "a"
12ms a: SELECT pg_advisory_lock(1): , SELECT 1
14ms a: SELECT pg_advisory_unlock_shared(1): true, SELECT 1
15ms freed advisory/1 session-2 by "a"
16ms a: SELECT pg_advisory_unlock(1): true, SELECT 1`)
}

// A row lock belongs to its transaction.
func TestTheServerRecordsWhatHappensToRowLocks(t *testing.T) {
	const row = "SELECT name FROM locks WHERE name = 'a' FOR UPDATE"
	r := newRig(t, settings{})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		w.exec("INSERT INTO locks VALUES ('a')")
		w.exec("BEGIN")
		w.exec(row)
		w.exec("COMMIT")
	})
	r.expect(`
6ms a: INSERT INTO locks VALUES ('a'): INSERT 0 1
8ms a: BEGIN: BEGIN
9ms granted row/locks/a session-2 by "a"
10ms a: SELECT name FROM locks WHERE name = 'a' FOR UPDATE: a, SELECT 1
11ms freed row/locks/a session-2 by "a"
12ms a: COMMIT: COMMIT`)
}

// The owner of a lease is in its row, and its record changes at the commit. The lease ends by the
// wall clock of the server.
func TestTheServerRecordsWhatHappensToLeases(t *testing.T) {
	r := newRig(t, settings{})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		for _, text := range []string{
			"BEGIN", "INSERT INTO leases VALUES ('l', 'me', 1, clock_timestamp() + interval '1 second')", "COMMIT",
			"UPDATE leases SET expires_at = clock_timestamp() + interval '2 seconds' WHERE name = 'l'",
		} {
			if _, err := w.conn.Exec(context.Background(), text); err != nil {
				t.Error(err)
			}
		}
	})
	r.expect(`
9ms granted leases/l me by "a"
11ms renewed leases/l me by "a"
2.011s expired leases/l me by "a"`)
}

func TestThePoolerTakesTheSessionThatWasUsedLast(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 2}})
	r.worker("a", func(w *worker) {
		w.connect(w.pooled)
		w.exec("BEGIN")
		w.at(20 * time.Millisecond)
		w.exec("COMMIT")
		w.at(40 * time.Millisecond)
		w.exec(pid)
	})
	r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(10 * time.Millisecond)
		w.exec("BEGIN")
		w.at(30 * time.Millisecond)
		w.exec("COMMIT")
		w.at(50 * time.Millisecond)
		w.exec(pid)
	})
	r.expect(`
6ms a: BEGIN: BEGIN
12ms b: BEGIN: BEGIN
22ms a: COMMIT: COMMIT
32ms b: COMMIT: COMMIT
42ms a: SELECT pg_backend_pid(): 3, SELECT 1
52ms b: SELECT pg_backend_pid(): 3, SELECT 1`)
}

func TestAClientOfThePoolerWaitsUntilASessionIsFree(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 1}})
	r.worker("a", func(w *worker) {
		w.connect(w.pooled)
		w.exec("BEGIN")
		w.at(100 * time.Millisecond)
		w.exec("COMMIT")
	})
	gone := r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(10 * time.Millisecond)
		w.exec(pid)
	})
	r.worker("c", func(w *worker) {
		w.connect(w.pooled)
		w.at(20 * time.Millisecond)
		w.exec(pid)
	})
	r.At(50*time.Millisecond, gone.Process().Crash) // it leaves the queue
	r.expect(`
6ms a: BEGIN: BEGIN
102ms a: COMMIT: COMMIT
102ms c: SELECT pg_backend_pid(): 2, SELECT 1`)
}

// The lock belongs to the session of the pooler, and so to each client that gets this session. A
// client of another session can neither take nor release it.
func TestASessionLockStaysInThePooledSession(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 2}})
	r.worker("a", func(w *worker) {
		w.connect(w.pooled)
		w.exec(take)
	})
	r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(10 * time.Millisecond)
		w.exec(take) // the same session: the lock is taken twice
		w.at(20 * time.Millisecond)
		w.exec("BEGIN")
		w.at(40 * time.Millisecond)
		w.exec("COMMIT")
	})
	r.worker("c", func(w *worker) {
		w.connect(w.pooled)
		w.at(30 * time.Millisecond)
		w.exec(unlock) // another session, which does not have it
	})
	r.expect(`
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
12ms b: SELECT pg_advisory_lock(1): , SELECT 1
22ms b: BEGIN: BEGIN
32ms c: SELECT pg_advisory_unlock(1): false, SELECT 1
42ms b: COMMIT: COMMIT`)
}

// The pooler ends the session of a client that is gone within a transaction, and can open another
// one.
func TestAClientThatIsGoneWithinATransactionEndsThePooledSession(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 1}})
	gone := r.worker("a", func(w *worker) {
		w.connect(w.pooled)
		w.exec("BEGIN")
		w.exec(take)
		w.exec("INSERT INTO locks VALUES ('a')")
	})
	r.At(20*time.Millisecond, gone.Process().Crash)
	r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(12 * time.Millisecond)
		w.exec("SELECT count(*) FROM locks")
		w.exec(try)
	})
	r.expect(`
6ms a: BEGIN: BEGIN
7ms granted advisory/1 session-2 by "a"
8ms a: SELECT pg_advisory_lock(1): , SELECT 1
10ms a: INSERT INTO locks VALUES ('a'): INSERT 0 1
21ms evicted advisory/1 session-2 by "a"
22ms b: SELECT count(*) FROM locks: 0, SELECT 1
23ms granted advisory/1 session-3 by "b"
24ms b: SELECT pg_try_advisory_lock(1): true, SELECT 1`)
}

// The pooler does not count a session that the server has ended, whether it was in use or free.
func TestThePoolerReplacesASessionThatTheServerHasEnded(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 1, Settings: []string{"SET idle_in_transaction_session_timeout = '10ms'"}}})
	r.worker("a", func(w *worker) {
		w.connect(w.pooled)
		w.exec("BEGIN")
		w.at(50 * time.Millisecond)
		w.exec("COMMIT")
	})
	r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(10 * time.Millisecond)
		w.exec(pid)
		w.at(90 * time.Millisecond)
		w.exec(pid)
	})
	r.worker("c", func(w *worker) {
		w.at(60 * time.Millisecond)
		w.connect(w.direct)
		w.exec("SELECT pg_terminate_backend(3)")
	})
	r.expect(`
6ms a: BEGIN: BEGIN
16ms b: SELECT pg_backend_pid(): 3, SELECT 1
50ms a: COMMIT: FATAL 25P03
66ms c: SELECT pg_terminate_backend(3): true, SELECT 1
92ms b: SELECT pg_backend_pid(): 5, SELECT 1`)
}

// A cancel request through the pooler reaches the session that the client has at that time.
func TestTheContextOfAStatementBehindThePoolerCancelsIt(t *testing.T) {
	r := newRig(t, settings{options: Options{Poolers: 2}})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		w.exec("SELECT pg_advisory_lock_shared(1)")
	})
	r.worker("b", func(w *worker) {
		w.connect(w.pooled)
		w.at(10 * time.Millisecond)
		ctx, cancel := w.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		if _, err := w.conn.Exec(ctx, take); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the statement ends with %v", err)
		}
	})
	r.worker("c", func(w *worker) {
		w.connect(w.direct)
		w.at(15 * time.Millisecond)
		w.exec("SELECT pg_advisory_lock_shared(1)") // behind worker b
	})
	r.expect(`
5ms granted advisory/1 session-2 by "a" shared
6ms a: SELECT pg_advisory_lock_shared(1): , SELECT 1
23ms granted advisory/1 session-3 by "c" shared
24ms c: SELECT pg_advisory_lock_shared(1): , SELECT 1`)
}

// The client does not know that it is cut off, and neither does the server, until its keep-alive
// probes were lost for 10 s.
func TestAServerNoticesAClientThatIsCutOffAfterItsKeepAlive(t *testing.T) {
	for _, test := range []struct {
		keepAlive time.Duration
		want      string
	}{
		{10 * time.Second, `
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
11s evicted advisory/1 session-2 by "a"
11s granted advisory/1 session-3 by "b"
11.001s b: SELECT pg_advisory_lock(1): , SELECT 1`},
		// The link heals first: the connection has lost nothing, and goes on.
		{time.Minute, `
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
41.001s freed advisory/1 session-2 by "a"
41.001s granted advisory/1 session-3 by "b"
41.002s b: SELECT pg_advisory_lock(1): , SELECT 1
41.002s a: SELECT pg_advisory_unlock(1): true, SELECT 1`},
	} {
		t.Run(test.keepAlive.String(), func(t *testing.T) {
			r := newRig(t, settings{options: Options{KeepAlive: test.keepAlive}})
			r.worker("a", func(w *worker) {
				w.connect(w.direct)
				w.exec(take)
				w.at(41 * time.Second)
				if test.keepAlive == time.Minute {
					w.exec(unlock)
				}
			})
			r.worker("b", func(w *worker) {
				w.connect(w.direct)
				w.at(2 * time.Second)
				w.exec(take)
			})
			r.At(time.Second, func() {
				for _, link := range [][2]string{{"a", "db"}, {"db", "a"}} {
					if err := r.CutLink(link[0], link[1], sim.CutDrop, 30*time.Second); err != nil {
						t.Error(err)
					}
				}
			})
			r.expect(test.want)
		})
	}
}

// The lag is 100 ms. The first two commits have arrived when the replica takes over, the third has
// not. No session of the old primary goes on, and the replica knows no advisory lock. The worker's
// cancel request finds that the old primary is down, at 302 ms, before it connects to the new one.
func TestAFailoverKeepsWhatHasReachedTheReplica(t *testing.T) {
	r := newRig(t, settings{replicas: true, lag: 100 * time.Millisecond})
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		w.exec(take)
		w.exec("INSERT INTO locks VALUES ('early')")
		w.exec("INSERT INTO leases VALUES ('l', 'me', 7, clock_timestamp() + interval '1 hour')")
		w.at(150 * time.Millisecond)
		w.exec("INSERT INTO locks VALUES ('late')")
		w.at(300 * time.Millisecond)
		w.exec(unlock)
		w.conn.Release()
		w.connect(w.direct)
		w.exec("SELECT name FROM locks")
		w.exec("SELECT owner, fence FROM leases")
		w.exec(try)
	})
	r.At(200*time.Millisecond, r.cluster.Promote)
	r.At(400*time.Millisecond, r.Stop)
	r.expect(`
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
8ms a: INSERT INTO locks VALUES ('early'): INSERT 0 1
9ms granted leases/l me by "a"
10ms a: INSERT INTO leases VALUES ('l', 'me', 7, clock_timestamp() + interval '1 hour'): INSERT 0 1
152ms a: INSERT INTO locks VALUES ('late'): INSERT 0 1
200ms evicted advisory/1 session-2 by "a"
200ms promoted replica
300ms a: SELECT pg_advisory_unlock(1): broken
308ms a: SELECT name FROM locks: early, SELECT 1
310ms a: SELECT owner, fence FROM leases: me7, SELECT 1
311ms granted advisory/1 session-2 by "a"
312ms a: SELECT pg_try_advisory_lock(1): true, SELECT 1`)
}

// A replica answers reads, and refuses to write.
func TestAReplicaIsReadOnly(t *testing.T) {
	r := newRig(t, settings{replicas: true, lag: 100 * time.Millisecond})
	k := r.AddNode("a", sim.NodeConfig{}).Process("a").Worker("a")
	w := &worker{Worker: k, rig: r, direct: client.NewPool(k.Process(), func() string { return "replica" }, client.Options{ExecMode: client.PlainExec})}
	k.Go("main", func() {
		w.connect(w.direct)
		w.exec("INSERT INTO locks VALUES ('a')")
		w.exec("SELECT count(*) FROM locks")
		w.exec("SELECT pg_is_in_recovery()")
	})
	r.expect(`
6ms a: INSERT INTO locks VALUES ('a'): ERROR 25006
8ms a: SELECT count(*) FROM locks: 0, SELECT 1
10ms a: SELECT pg_is_in_recovery(): true, SELECT 1`)
}

// The replica is down when the second commit arrives, and the third is under way when it restarts. Both arrive 50 ms after
// the restart. A replica without data copies the primary at once.
func TestAReplicaThatWasDownCatchesUp(t *testing.T) {
	for _, data := range []faults.Data{"", faults.DataLost} {
		t.Run(string(data), func(t *testing.T) {
			r := newRig(t, settings{replicas: true, lag: 50 * time.Millisecond})
			r.worker("a", func(w *worker) {
				w.connect(w.direct)
				w.exec("INSERT INTO locks VALUES ('one')")
				w.at(80 * time.Millisecond)
				w.exec("INSERT INTO locks VALUES ('two')")
				w.at(180 * time.Millisecond)
				w.exec("UPDATE locks SET name = 'three' WHERE name = 'two'")
			})
			k := r.AddNode("b", sim.NodeConfig{}).Process("b").Worker("b")
			b := &worker{Worker: k, rig: r, direct: client.NewPool(k.Process(), func() string { return "replica" }, client.Options{ExecMode: client.PlainExec})}
			k.Go("main", func() {
				for _, when := range []time.Duration{210, 300} {
					b.at(when * time.Millisecond)
					b.connect(b.direct)
					b.exec("SELECT name FROM locks ORDER BY name")
					b.exec("DELETE FROM locks")
					b.conn.Release()
				}
			})
			r.At(100*time.Millisecond, func() { r.cluster.Crash([]string{"replica"}, data, 100*time.Millisecond) })
			early := "one, SELECT 1"
			if data == faults.DataLost {
				early = "one, three, SELECT 2" // it has a copy of the primary
			}
			r.expect(`
6ms a: INSERT INTO locks VALUES ('one'): INSERT 0 1
82ms a: INSERT INTO locks VALUES ('two'): INSERT 0 1
182ms a: UPDATE locks SET name = 'three' WHERE name = 'two': UPDATE 1
200ms restarted replica
216ms b: SELECT name FROM locks ORDER BY name: ` + early + `
218ms b: DELETE FROM locks: ERROR 25006
302ms b: SELECT name FROM locks ORDER BY name: one, three, SELECT 2
304ms b: DELETE FROM locks: ERROR 25006`)
		})
	}
}

// The lag is 100 ms. The primary crashes before its second commit has arrived. If the replica takes over, the commit is lost,
// however late that is. If the primary restarts before, it sends the commit again. A primary that has lost its data
// sends nothing that the replica could use.
func TestACommitUnderWayIsLostInACrash(t *testing.T) {
	for _, test := range []struct {
		name      string
		data      faults.Data
		restarted time.Duration // after the crash at 150 ms
		has       string
	}{
		{"the replica takes over after 350 ms", "", time.Hour, "early, SELECT 1"},
		{"the primary restarts after 50 ms", "", 50 * time.Millisecond, "early, late, SELECT 2"},
		{"the primary restarts without data", faults.DataLost, 50 * time.Millisecond, "early, SELECT 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, settings{replicas: true, lag: 100 * time.Millisecond})
			var got string
			r.worker("a", func(w *worker) {
				w.connect(w.direct)
				w.exec("INSERT INTO locks VALUES ('early')")
				w.at(120 * time.Millisecond)
				w.exec("INSERT INTO locks VALUES ('late')")
				w.conn.Release()
			})
			k := r.AddNode("b", sim.NodeConfig{}).Process("b").Worker("b")
			b := &worker{Worker: k, rig: r, direct: client.NewPool(k.Process(), func() string { return "replica" }, client.Options{ExecMode: client.PlainExec})}
			k.Go("main", func() {
				b.at(600 * time.Millisecond)
				b.connect(b.direct)
				b.exec("SELECT name FROM locks ORDER BY name")
				got = r.log[len(r.log)-1]
			})
			r.At(150*time.Millisecond, func() { r.cluster.Crash([]string{"db"}, test.data, test.restarted) })
			r.At(500*time.Millisecond, r.cluster.Promote)
			r.At(700*time.Millisecond, r.Stop)
			if err := r.Run(); err != nil {
				t.Fatal(err)
			}
			if want := "SELECT name FROM locks ORDER BY name: " + test.has; !strings.HasSuffix(got, want) {
				t.Errorf("the new primary answers %q, want %q", got, want)
			}
		})
	}
}

// A replica that has lost its data while the primary is down has nothing to take over with. It copies the primary when that
// is up again, and can take over then.
func TestAReplicaWithoutDataDoesNotTakeOver(t *testing.T) {
	r := newRig(t, settings{replicas: true, lag: 50 * time.Millisecond})
	var got string
	r.worker("a", func(w *worker) {
		w.connect(w.direct)
		w.exec("INSERT INTO locks VALUES ('early')")
		w.conn.Release()
	})
	r.worker("b", func(w *worker) {
		w.at(600 * time.Millisecond)
		w.connect(w.direct)
		w.exec("SELECT name FROM locks")
		got = r.log[len(r.log)-1]
	})
	r.At(100*time.Millisecond, func() { r.cluster.Crash([]string{"db"}, "", 200*time.Millisecond) })
	r.At(120*time.Millisecond, func() { r.cluster.Crash([]string{"replica"}, faults.DataLost, 50*time.Millisecond) })
	r.At(200*time.Millisecond, func() {
		if r.cluster.Promote(); r.cluster.Resolve() != "db" {
			t.Error("a replica without data took over")
		}
	})
	r.At(500*time.Millisecond, func() {
		if r.cluster.Promote(); r.cluster.Resolve() != "replica" {
			t.Error("a replica with a copy of the data did not take over")
		}
	})
	r.At(700*time.Millisecond, r.Stop)
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	if want := "early, SELECT 1"; !strings.HasSuffix(got, want) {
		t.Errorf("the new primary answers %q, want %q", got, want)
	}
}

// A replica that is stopped when a commit arrives applies it when it goes on. Promoted before that, it does not have it.
func TestAStoppedReplicaReceivesNothing(t *testing.T) {
	for promoted, want := range map[time.Duration]string{150 * time.Millisecond: "SELECT 0", 450 * time.Millisecond: "early, SELECT 1"} {
		r := newRig(t, settings{replicas: true, lag: 50 * time.Millisecond})
		var got string
		r.worker("a", func(w *worker) {
			w.connect(w.direct)
			w.exec("INSERT INTO locks VALUES ('early')")
		})
		r.worker("b", func(w *worker) {
			w.at(500 * time.Millisecond)
			w.connect(w.direct)
			w.exec("SELECT name FROM locks")
			got = r.log[len(r.log)-1]
		})
		r.World.Node("replica").Freeze(400 * time.Millisecond)
		r.At(promoted, r.cluster.Promote)
		r.At(700*time.Millisecond, r.Stop)
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("promoted after %v, it answers %q, want %q", promoted, got, want)
		}
	}
}

// A session that waits for a lock does not get it from a session that ends in the same crash.
func TestACrashGrantsNothing(t *testing.T) {
	r := newRig(t, settings{})
	for _, name := range []string{"a", "b"} {
		r.worker(name, func(w *worker) {
			w.connect(w.direct)
			if name == "b" {
				w.at(10 * time.Millisecond)
			}
			w.exec(take)
		})
	}
	r.At(20*time.Millisecond, func() { r.cluster.Crash([]string{"db"}, "", time.Second) })
	r.expect(`
5ms granted advisory/1 session-2 by "a"
6ms a: SELECT pg_advisory_lock(1): , SELECT 1
20ms evicted advisory/1 session-2 by "a"
20ms b: SELECT pg_advisory_lock(1): broken
1.02s restarted db`)
}

// The cancel request for the broken COMMIT takes 4 ms, and cancels nothing at the new server.
func TestACrashKeepsWhatWasCommittedUnlessTheDataIsLost(t *testing.T) {
	for _, test := range []struct {
		name    string
		data    faults.Data
		rows    int
		session int // the next one: the tables are made in session 1
	}{
		{"kept", "", 1, 1},
		{"lost", faults.DataLost, 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, settings{})
			r.worker("a", func(w *worker) {
				w.connect(w.direct)
				w.exec("INSERT INTO locks VALUES ('committed')")
				w.exec("BEGIN")
				w.exec("INSERT INTO locks VALUES ('open')")
				w.exec(take)
				w.at(time.Second)
				w.exec("COMMIT")
				w.conn.Release()
				w.connect(w.direct)
				w.exec("SELECT count(*) FROM locks")
				w.exec(try)
			})
			r.At(100*time.Millisecond, func() { r.cluster.Crash([]string{"db"}, test.data, 200*time.Millisecond) })
			r.expect(`
6ms a: INSERT INTO locks VALUES ('committed'): INSERT 0 1
8ms a: BEGIN: BEGIN
10ms a: INSERT INTO locks VALUES ('open'): INSERT 0 1
11ms granted advisory/1 session-2 by "a"
12ms a: SELECT pg_advisory_lock(1): , SELECT 1
100ms evicted advisory/1 session-2 by "a"
300ms restarted db
1s a: COMMIT: broken
1.01s a: SELECT count(*) FROM locks: ` + fmt.Sprint(test.rows) + `, SELECT 1
1.011s granted advisory/1 session-` + fmt.Sprint(test.session) + ` by "a"
1.012s a: SELECT pg_try_advisory_lock(1): true, SELECT 1`)
		})
	}
}
