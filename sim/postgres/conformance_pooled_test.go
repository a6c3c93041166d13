package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/internal/servers"
)

// poolSize is how many sessions both poolers keep.
const poolSize = 2

// pooledReal is a real PgBouncer in transaction mode in front of a real PostgreSQL. A sequence has a
// database of its own, and thus a pool of its own.
type pooledReal struct {
	server  *servers.PostgresServer
	pool    *servers.PgBouncerServer
	control *pgconn.PgConn
	admin   *pgconn.PgConn // of the PgBouncer
	name    string         // of the database
	count   int
	clients map[string]*pooledClient
	seen    *backends
}

// pooledClient is a client of the PgBouncer.
type pooledClient struct {
	conn    *pgconn.PgConn
	done    chan *result
	running bool
	over    bool
}

// backends numbers the sessions of the server in the order in which a sequence sees them.
type backends struct{ pids []string }

// number replaces process numbers in a result.
func (b *backends) number(r *result) *result {
	for i, column := range r.columns {
		if column != "pg_backend_pid integer" {
			continue
		}
		for _, row := range r.rows {
			at := 0
			for at < len(b.pids) && b.pids[at] != row[i] {
				at++
			}
			if at == len(b.pids) {
				b.pids = append(b.pids, row[i])
			}
			row[i] = "session " + strconv.Itoa(at+1)
		}
	}
	return r
}

func newPooledReal(t *testing.T) *pooledReal {
	t.Helper()
	p := &pooledReal{server: startReal(t)}
	p.pool = servers.PgBouncer(t, p.server, "transaction", poolSize)
	var err error
	if p.control, err = dialReal(p.server.URL("postgres"), nil); err != nil {
		t.Fatal(err)
	}
	if p.admin, err = dialReal(p.pool.URL("pgbouncer"), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

func (p *pooledReal) close() {
	p.leave()
	_ = p.admin.Close(context.Background())
	_ = p.control.Close(context.Background())
}

func (p *pooledReal) leave() {
	for _, c := range p.clients {
		_ = c.conn.Conn().Close()
	}
}

func (p *pooledReal) open(names []string) error {
	p.leave()
	p.count++
	p.name, p.clients, p.seen = fmt.Sprintf("pooled%d", p.count), map[string]*pooledClient{}, &backends{}
	if _, err := execReal(p.control, "create database "+p.name); err != nil {
		return err
	}
	for _, name := range names {
		// The PgBouncer gives a session the name of the client that it serves.
		conn, err := dialReal(p.pool.URL(p.name)+"&application_name="+name, nil)
		if err != nil {
			return err
		}
		p.clients[name] = &pooledClient{conn: conn, done: make(chan *result, 1)}
	}
	return nil
}

func (p *pooledReal) do(st step) (*sight, error) {
	c, seen := p.clients[st.session], &sight{results: map[string]*result{}, waiting: map[string][]string{}}
	switch {
	case c.over || c.running && st.text != actGone:
		return seen, nil
	case st.text == actClose:
		c.over = true
		_ = c.conn.Close(context.Background()) // also ends a transaction, which PgBouncer answers with nothing
	case st.text == actGone:
		c.over, c.running = true, false
		_ = c.conn.Conn().Close()
	default:
		c.running = true
		go func() { c.done <- runPlain(c.conn, st.text) }()
	}
	if c.over {
		seen.over = []string{st.session}
	}
	return seen, p.rest(seen)
}

// runPlain executes a statement in one message, since a pooler may give each message another
// session.
func runPlain(conn *pgconn.PgConn, sql string) *result {
	r := &result{}
	answer := conn.ExecParams(context.Background(), sql, nil, nil, nil, nil).Read()
	for _, f := range answer.FieldDescriptions {
		r.columns = append(r.columns, columnOf(f))
	}
	for _, row := range answer.Rows {
		r.rows = append(r.rows, textsOf(row, answer.FieldDescriptions))
	}
	r.tag = answer.CommandTag.String()
	if answer.Err != nil {
		r.err = failureOf(answer.Err)
	}
	if !conn.IsClosed() {
		r.status = conn.TxStatus()
	}
	return r.normal(sql)
}

// rest waits until each statement has ended, or waits for a lock or for a session of the pool, and
// until the server has noticed the ends of clients.
func (p *pooledReal) rest(seen *sight) error {
	calm := 0
	for limit := time.Now().Add(realLimit); calm < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			return errors.New("the pool does not come to rest")
		}
		running, clients, transactions := 0, 0, 0
		for name, c := range p.clients {
			select {
			case r := <-c.done:
				if !c.over {
					c.running = false
					seen.results[name] = p.seen.number(r)
				}
			default:
			}
			switch {
			case c.over:
			case c.running:
				running++
				clients++
			default:
				clients++
				if c.conn.TxStatus() != 'I' {
					transactions++
				}
			}
		}
		pool, err := p.counts()
		if err != nil {
			return err
		}
		blocked, idle, err := p.sessions()
		if err != nil {
			return err
		}
		waits := running - pool["cl_waiting"]
		// A client also waits while the PgBouncer opens a session for it.
		served := pool["cl_waiting"] == 0 || pool["sv_active"] == poolSize
		if here := pool["cl_active"] + pool["cl_waiting"]; served && here == clients && blocked == waits && idle == transactions {
			calm++
		} else {
			calm = 0
		}
	}
	for name, c := range p.clients {
		if c.running {
			seen.waiting[name] = nil
		}
	}
	return nil
}

// sessions returns how many sessions wait for a lock on behalf of a client that waits for its reply,
// and how many are idle in a transaction. The session of a client that is gone may still wait.
func (p *pooledReal) sessions() (blocked, idle int, err error) {
	rows, err := execReal(p.control, `select application_name, cardinality(pg_blocking_pids(pid)) > 0,
		state like 'idle in transaction%' from pg_stat_activity where datname = '`+p.name+`'`)
	if err != nil {
		return 0, 0, err
	}
	for _, row := range rows {
		if c := p.clients[string(row[0])]; c != nil && c.running && string(row[1]) == "t" {
			blocked++
		}
		if string(row[2]) == "t" {
			idle++
		}
	}
	return blocked, idle, nil
}

// counts returns the numbers in the answer of the PgBouncer to SHOW POOLS: of its clients (cl_) and
// its sessions (sv_).
func (p *pooledReal) counts() (map[string]int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), realLimit)
	defer cancel()
	results, err := p.admin.Exec(ctx, "show pools").ReadAll()
	if err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	for _, row := range results[0].Rows {
		if string(row[0]) != p.name {
			continue
		}
		for i, f := range results[0].FieldDescriptions {
			if n, err := strconv.Atoi(string(row[i])); err == nil {
				numbers[f.Name] = n
			}
		}
	}
	return numbers, nil
}

// pooledSequences are about which session of the pool a client gets, and what it finds there.
func pooledSequences() map[string]string {
	return map[string]string{
		"statements outside of transactions share a session": `
a: select pg_backend_pid()
b: select pg_backend_pid()
c: select pg_backend_pid()
a: select pg_backend_pid()
`,
		"a transaction keeps its session": `
a: begin
a: select pg_backend_pid()
b: select pg_backend_pid()
c: select pg_backend_pid()
a: select pg_backend_pid()
a: commit
b: select pg_backend_pid()
b: begin
b: select pg_backend_pid()
a: select pg_backend_pid()
`,
		"a client waits for a session of the pool": `
a: begin
a: select pg_backend_pid()
b: begin
b: select pg_backend_pid()
c: select pg_backend_pid()
d: begin
a: commit
d: select pg_backend_pid()
a: select pg_backend_pid()
b: rollback
`,
		"two clients hold the same session lock": `
a: select pg_try_advisory_lock(1)
b: select pg_try_advisory_lock(1)
a: select pg_advisory_unlock(1)
b: select pg_advisory_unlock(1)
a: select pg_advisory_unlock(1)
`,
		"a session lock stays when its client has left": `
a: select pg_advisory_lock(1)
a: \close
b: begin
b: select pg_try_advisory_lock(1)
c: select pg_try_advisory_lock(1)
c: select pg_advisory_lock(1)
b: commit
b: select pg_advisory_unlock_all()
`,
		"an unlock reaches another session": `
a: select pg_advisory_lock(1)
b: begin
b: select 1
a: select pg_advisory_unlock(1)
b: select pg_advisory_unlock(1)
b: commit
`,
		"a transaction lock is held by one client": `
a: begin
a: select pg_advisory_xact_lock(1)
b: select pg_try_advisory_xact_lock(1)
b: begin
b: select pg_advisory_xact_lock(1)
c: select 1
a: commit
b: commit
`,
		"a client that is gone in its transaction takes the session with it": `
a: begin
a: select pg_advisory_xact_lock(1)
a: select pg_backend_pid()
b: begin
b: select pg_advisory_xact_lock(1)
a: \gone
b: select pg_backend_pid()
c: select pg_backend_pid()
b: \close
c: select pg_try_advisory_lock(1)
`,
		"a client that is gone while it waits for a lock gives its place to another": `
a: begin
a: select pg_advisory_xact_lock(1)
b: select pg_advisory_lock(1)
c: select pg_backend_pid()
b: \gone
d: begin
d: select pg_try_advisory_lock(1)
a: commit
d: select pg_try_advisory_lock(1)
`,
		"a failed transaction keeps its session": `
a: begin
a: select 1/0
b: begin
b: select pg_backend_pid()
c: select 1
a: select 1
a: rollback
b: commit
`,
		"a setting stays in the session": `
a: set lock_timeout = '30s'
b: show lock_timeout
b: begin
b: set local lock_timeout = '40s'
c: show lock_timeout
b: commit
c: discard all
a: show lock_timeout
`,
	}
}

// A client of the simulated pooler gets the session that it gets of a real PgBouncer in transaction
// mode, and waits when it waits there.
func TestConformanceOfThePooler(t *testing.T) {
	p := &pair{real: newPooledReal(t), sim: &wired{pooled: true}}
	for _, name := range sortedKeys(pooledSequences()) {
		all, err := p.run(parse(t, pooledSequences()[name]), 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if x := &all[len(all)-1]; !x.same() {
			t.Errorf("%s: %v", name, x)
		}
	}
}
