package run_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/lock/env"
	lockpostgres "lockquake/lock/postgres"
	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// requestsOf lists the requests to the protected resource and the end of a history.
func requestsOf(h *history.History) []string {
	var lines []string
	for _, e := range h.Events {
		switch e.Type {
		case history.Invoke, history.OK, history.Fail, history.Info:
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Type, e.Op, e.Value)))
		case history.Applied:
			refused := ""
			if !e.Accepted {
				refused = " refused"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s over %s%s", e.Type, e.Op, e.Value, e.Prior, refused))
		case history.Final:
			lines = append(lines, fmt.Sprintf("%s %s", e.Type, e.Value))
		default:
		}
	}
	return lines
}

// inDatabase is a strategy that calls no body: it makes requests itself, on a connection.
type inDatabase struct {
	pool lockpostgres.Pool
	do   func(ctx context.Context, c lockpostgres.Conn, r lock.Transactional) error
}

func (s inDatabase) Do(ctx context.Context, _ string, r lock.Resource, _ lock.Body) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return s.do(ctx, c, r.(lock.Transactional))
}

// A write in a transaction takes effect at the commit, or never; its outcome is known when the
// transaction has ended.
func TestWhatIsRecordedOfRequestsInATransaction(t *testing.T) {
	const item = "resource-1"
	exec := func(c lockpostgres.Conn, text string) {
		if _, err := c.Exec(context.Background(), text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, test := range []struct {
		name, fence string
		do          func(ctx context.Context, c lockpostgres.Conn, r lock.Transactional) error
		want        string
	}{
		{"a commit", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			value, err := r.Read(ctx, item, 0)
			if value != "0" || err != nil {
				t.Errorf("read %q, %v", value, err)
			}
			err = r.Write(ctx, item, "1", 0)
			exec(c, "COMMIT")
			ended(err)
			return err
		}, `
invoke read
applied read 0 over 0
ok read 0
invoke write 1
applied write 1 over 0
ok write 1
final 1`},
		{"a rollback", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			if err := r.Write(ctx, item, "1", 0); err != nil {
				t.Error(err)
			}
			exec(c, "ROLLBACK")
			err := errors.New("the work failed")
			ended(err)
			return err
		}, `
invoke write 1
fail write 1
final 0`},
		{"the last of several writes counts, and the transaction's own are no reads of the resource", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			for _, value := range []string{"1", "2"} {
				if err := r.Write(ctx, item, value, 0); err != nil {
					t.Error(err)
				}
			}
			if value, err := r.Read(ctx, item, 0); value != "2" || err != nil {
				t.Errorf("read %q, %v", value, err)
			}
			exec(c, "COMMIT")
			ended(nil)
			return nil
		}, `
invoke write 1
invoke write 2
fail write 1
applied write 2 over 0
ok write 2
final 2`},
		{"an outcome that is unknown", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			if err := r.Write(ctx, item, "1", 0); err != nil {
				t.Error(err)
			}
			exec(c, "COMMIT")
			err := fmt.Errorf("release: %w", lock.ErrUnknown)
			ended(err)
			return err
		}, `
invoke write 1
applied write 1 over 0
info write 1
final 1`},
		{"a token that is too low", "writes", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			if err := r.Write(ctx, item, "1", 5); err != nil {
				t.Error(err)
			}
			if err := r.Write(ctx, item, "2", 3); !errors.Is(err, lock.ErrRefused) {
				t.Errorf("the lower token gives %v", err)
			}
			exec(c, "COMMIT")
			ended(nil)
			return nil
		}, `
invoke write 1
invoke write 2
applied write 0 over 0 refused
fail write 2
applied write 1 over 0
ok write 1
final 1`},
		{"a read that presents a token raises the mark", "reads-writes", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			if value, err := r.Read(ctx, item, 5); value != "0" || err != nil {
				t.Errorf("read %q, %v", value, err)
			}
			exec(c, "COMMIT")
			ended(nil)
			if err := data.By(c).Write(ctx, item, "2", 4); !errors.Is(err, lock.ErrRefused) {
				t.Errorf("the lower token gives %v", err)
			}
			return nil
		}, `
invoke read
applied read 0 over 0
ok read 0
invoke write 2
applied write 0 over 0 refused
fail write 2
final 0`},
		{"statements without a transaction", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			r := data.By(c)
			if err := r.Write(ctx, item, "1", 0); err != nil {
				t.Error(err)
			}
			return r.Write(ctx, item, "2", 0)
		}, `
invoke write 1
applied write 1 over 0
ok write 1
invoke write 2
applied write 2 over 1
ok write 2
final 2`},
		{"a transaction that has failed", "off", func(ctx context.Context, c lockpostgres.Conn, data lock.Transactional) error {
			exec(c, "BEGIN")
			r, ended := data.In(c)
			if err := r.Write(ctx, item, "1", 0); err != nil {
				t.Error(err)
			}
			_, _ = c.Exec(ctx, "SELECT 1/0")
			err := r.Write(ctx, item, "2", 0)
			if err == nil {
				t.Error("a statement of a failed transaction succeeds")
			}
			exec(c, "ROLLBACK")
			ended(errors.New("the transaction was rolled back"))
			return err
		}, `
invoke write 1
invoke write 2
fail write 1
fail write 2
final 0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := lock.Entry{Name: "mine", Family: "postgres", Inside: true, New: func(d lock.Deps) lock.Strategy {
				return inDatabase{lockpostgres.PortOf(d).Pool, test.do}
			}}
			s, err := scenarios.Parse("data.yaml", []byte(`
name: data
duration: 5s
workers: 1
sections: 1
workload: {kind: counter}
network: {latency: 1ms}
resource: {fence: `+test.fence+`}
strategies: [mine]
`), e)
			if err != nil {
				t.Fatal(err)
			}
			trial, err := run.Once(s, run.Request{Label: "mine", Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(test.want), "\n"), requestsOf(trial.History)); diff != "" {
				t.Errorf("recorded (-worked out +got):\n%s", diff)
			}
		})
	}
}

// inTransactions is byHand with a lock in the transaction of its work. A statement with arguments is
// prepared by a round trip of its own before its first use.
var inTransactions = strings.NewReplacer("[redis]", "[pg-advisory-xact]", "lock: {ttl: 1s, retry: {attempts: unlimited, delay: 100ms, jitter: 0s}}\n", "").Replace(byHand)

func TestEventsOfATransactionWorkedOutByHand(t *testing.T) {
	for _, test := range []struct {
		name, fault, want, requests string
	}{
		// A dial, a start-up, BEGIN and the preparation take 2.01 ms each, so the lock is granted 1 ms
		// later, at 9.05 ms. The write, sent at 66.13 ms, takes effect with the COMMIT.
		{"no fault", `
  - {at: 9s, reset: {from: worker-1, to: lock}}`, `
9.05 granted worker-1
10.06 acquired worker-1
13.09 applied worker-1 read 0 over 0
69.16 applied worker-1 write 1 over 0
69.16 freed worker-1
70.17 released worker-1 ""
909.05 granted worker-2
910.06 acquired worker-2
913.09 applied worker-2 read 1 over 1
969.16 applied worker-2 write 2 over 1
969.16 freed worker-2
970.17 released worker-2 ""
9000.00 fault reset of worker-1->lock
9000.00 heal reset of worker-1->lock`, ""},
		// The reply to the COMMIT is lost: worker 1 does not learn that its write took effect, until
		// the connection is reset, 1 ms after the end of the drop.
		{"a lost reply to the commit", `
  - when: {worker: worker-1, point: release.replied}
    drop: {for: 500ms}`, `
9.05 granted worker-1
10.06 acquired worker-1
13.09 applied worker-1 read 0 over 0
69.16 applied worker-1 write 1 over 0
69.16 freed worker-1
69.16 fault drop of worker-1
569.16 heal drop of worker-1
570.16 released worker-1 "unknown"
909.05 granted worker-2
910.06 acquired worker-2
913.09 applied worker-2 read 1 over 1
969.16 applied worker-2 write 2 over 1
969.16 freed worker-2
970.17 released worker-2 ""`, `
invoke read
applied read 0 over 0
ok read 0
invoke write 1
applied write 1 over 0
info write 1
invoke read
applied read 1 over 1
ok read 1
invoke write 2
applied write 2 over 1
ok write 2
final 2`},
		// Worker 1 crashes after its write and before the COMMIT. The kernel closes the connection,
		// and the server rolls the transaction back.
		{"a crash before the commit", `
  - when: {worker: worker-1, point: write-replied}
    crash: {for: 3s}`, `
9.05 granted worker-1
10.06 acquired worker-1
13.09 applied worker-1 read 0 over 0
68.14 fault crash of worker-1
68.14 crashed worker-1
69.14 evicted worker-1
909.05 granted worker-2
910.06 acquired worker-2
913.09 applied worker-2 read 0 over 0
969.16 applied worker-2 write 1 over 0
969.16 freed worker-2
970.17 released worker-2 ""
3068.14 heal crash of worker-1`, ""},
		// The session of worker 1 is lost before its write: the lock is gone, and so is the
		// transaction. Worker 1 finds out when it writes.
		{"a lost session", `
  - at: 30ms
    reset: {from: worker-1, to: lock}`, `
9.05 granted worker-1
10.06 acquired worker-1
13.09 applied worker-1 read 0 over 0
30.00 fault reset of worker-1->lock
30.00 evicted worker-1
30.00 heal reset of worker-1->lock
64.14 released worker-1 "unknown"
909.05 granted worker-2
910.06 acquired worker-2
913.09 applied worker-2 read 0 over 0
969.16 applied worker-2 write 1 over 0
969.16 freed worker-2
970.17 released worker-2 ""`, `
invoke read
applied read 0 over 0
ok read 0
invoke write 1
fail write 1
invoke read
applied read 0 over 0
ok read 0
invoke write 1
applied write 1 over 0
ok write 1
final 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial := runtest.Trial(t, runtest.Parse(t, inTransactions+"faults:"+test.fault+"\n"), "pg-advisory-xact", 1)
			compareEvents(t, test.want, toldOf(trial.History))
			if test.requests != "" {
				if diff := cmp.Diff(strings.Split(strings.TrimSpace(test.requests), "\n"), requestsOf(trial.History)); diff != "" {
					t.Errorf("requests (-worked out +got):\n%s", diff)
				}
			}
		})
	}
}

// A run that fails ends the tasks of its workers and the sessions of its servers, even those that
// wait for a lock.
func TestARunThatFailsLeavesNoGoroutine(t *testing.T) {
	e := lock.Entry{Name: "mine", Family: "postgres", New: func(d lock.Deps) lock.Strategy {
		return failing{lockpostgres.PortOf(d).Pool, d.Env}
	}}
	s, err := scenarios.Parse("failing.yaml", []byte(`
name: failing
duration: 5s
workers: 4
workload: {kind: counter}
network: {latency: 1ms}
strategies: [mine]
`), e)
	if err != nil {
		t.Fatal(err)
	}
	fails := func() {
		if _, err := run.Once(s, run.Request{Label: "mine", Seed: 1}); err == nil || !strings.Contains(err.Error(), "on purpose") {
			t.Fatalf("the run ends with %v", err)
		}
	}
	fails() // starts what stays: the watch for runs that hang
	before := runtime.NumGoroutine()
	for range 20 {
		fails()
	}
	for range 1_000_000 { // a goroutine of pgx may still be about to end
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines are left", runtime.NumGoroutine()-before)
}

// failing takes a lock that it never gives back, and panics after a second.
type failing struct {
	pool lockpostgres.Pool
	env  env.Env
}

func (f failing) Do(ctx context.Context, key string, _ lock.Resource, _ lock.Body) error {
	c, err := f.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", lockpostgres.AdvisoryKey(key)); err != nil {
		return err
	}
	if err := f.env.Sleep(ctx, time.Second); err != nil {
		return err
	}
	panic("on purpose")
}
