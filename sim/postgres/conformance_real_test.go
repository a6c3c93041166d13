package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/internal/servers"
	"lockquake/sim/postgres/engine"
)

// realSettings are the settings of the real server: it says when it has looked for a deadlock.
func realSettings() []string {
	return []string{"deadlock_timeout=5ms", "log_lock_waits=on", "autovacuum=off", "max_connections=200", "shared_buffers=16MB", "wal_level=minimal", "max_wal_senders=0"}
}

// startReal starts a real server for a test. It skips the test if the server has not the simulated
// version, and fails it in CI.
func startReal(t *testing.T, settings ...string) *servers.PostgresServer {
	t.Helper()
	s := servers.Postgres(t, settings...)
	conn, err := dialReal(s.URL("postgres"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if version := conn.ParameterStatus("server_version"); !strings.HasPrefix(version, "15.") {
		end := t.Skipf
		if os.Getenv("CI") != "" {
			end = t.Fatalf
		}
		end("the simulation follows PostgreSQL 15, and this is %s", version)
	}
	return s
}

// real is a database of the real server.
type real struct {
	url      string         // of the database
	control  *pgconn.PgConn // watches the sessions, in another database
	reset    *pgconn.PgConn // empties the database
	sessions map[string]*realSession
	idle     []*realSession // that other sequences have left
	wake     chan struct{}  // something has happened to a session
}

// realSession is a session of the real server.
type realSession struct {
	name    string
	conn    *pgconn.PgConn
	pid     uint32
	heard   *notices
	running bool // a statement is under way
	done    chan *result
	ending  bool // the server will end it
	ended   bool // the server will end its statement
	over    bool
	lost    bool         // its client is gone
	signals *realSession // which its statement cancels or terminates, if any
}

// notices keeps the words of the server about the waiting of a session.
type notices struct {
	wake    func()
	mu      sync.Mutex
	checked string // the lock that it waits for, once the server has looked for a deadlock
}

var stillWaiting = regexp.MustCompile(` still waiting for (.*) after [0-9.]+ ms`)

func (n *notices) hear(_ *pgconn.PgConn, notice *pgconn.Notice) {
	defer n.wake()
	n.mu.Lock()
	defer n.mu.Unlock()
	if m := stillWaiting.FindStringSubmatch(notice.Message); m != nil {
		n.checked = m[1]
	} else if strings.Contains(notice.Message, " acquired ") {
		n.checked = ""
	}
}

func (n *notices) hasChecked(lock string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.checked == lock
}

func (n *notices) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checked = ""
}

// realLimit is how long a real server may take to come to rest.
const realLimit = 20 * time.Second

func dialReal(url string, hear func(*pgconn.PgConn, *pgconn.Notice)) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if config.OnNotice = hear; hear != nil {
		config.RuntimeParams["client_min_messages"] = "log"
	}
	// When its connection ends the driver opens another one, to cancel the statement under way. A
	// client that is gone cannot do that.
	var dialed atomic.Bool
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dialed.Swap(true) {
			return nil, errors.New("no second connection")
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	ctx, cancel := context.WithTimeout(context.Background(), realLimit)
	defer cancel()
	return pgconn.ConnectConfig(ctx, config)
}

func execReal(conn *pgconn.PgConn, sql string) ([][][]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), realLimit)
	defer cancel()
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[len(results)-1].Rows, nil
}

// newReal makes a database on a server.
func newReal(s *servers.PostgresServer, name string) (*real, error) {
	control, err := dialReal(s.URL("postgres"), nil)
	if err != nil {
		return nil, err
	}
	if _, err := execReal(control, "create database "+name); err != nil {
		return nil, err
	}
	reset, err := dialReal(s.URL(name), nil)
	if err != nil {
		return nil, err
	}
	return &real{url: s.URL(name), control: control, reset: reset, wake: make(chan struct{}, 1)}, nil
}

func (r *real) open(names []string) error {
	if err := r.leave(); err != nil {
		return err
	}
	if _, err := execReal(r.reset, "drop schema public cascade; create schema public"); err != nil {
		return err
	}
	r.sessions = map[string]*realSession{}
	for _, name := range names {
		if n := len(r.idle); n > 0 {
			r.sessions[name] = r.idle[n-1]
			r.sessions[name].name = name
			r.idle = r.idle[:n-1]
			continue
		}
		heard := &notices{wake: r.awake}
		conn, err := dialReal(r.url, heard.hear)
		if err != nil {
			return err
		}
		r.sessions[name] = &realSession{name: name, conn: conn, pid: conn.PID(), heard: heard, done: make(chan *result, 1)}
	}
	return nil
}

// leave cleans the sessions of the sequence before, and ends those that are not idle.
func (r *real) leave() error {
	var pids []string
	for _, s := range r.sessions {
		if !s.running && !s.over && !s.lost {
			// An open transaction is rolled back in a message of its own, since DISCARD ALL refuses to
			// run in one.
			if _, err := execReal(s.conn, "rollback"); err != nil {
				return err
			}
			if _, err := execReal(s.conn, "discard all"); err != nil {
				return err
			}
			r.idle = append(r.idle, s)
			continue
		}
		if !s.over {
			pids = append(pids, strconv.Itoa(int(s.pid)))
		}
		defer func() { _ = s.conn.Conn().Close() }()
	}
	r.sessions = nil
	if len(pids) == 0 {
		return nil
	}
	_, err := execReal(r.control, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where pid in ("+strings.Join(pids, ",")+")")
	return err
}

func (r *real) close() {
	_ = r.leave()
	for _, s := range r.idle {
		_ = s.conn.Close(context.Background())
	}
	_ = r.control.Close(context.Background())
	_ = r.reset.Close(context.Background())
}

func (r *real) do(st step) (*sight, error) {
	s, seen := r.sessions[st.session], &sight{results: map[string]*result{}, waiting: map[string][]string{}}
	switch {
	case s.over:
		return seen, nil // nothing can be done with it
	case strings.HasPrefix(st.text, `\`):
		if err := r.act(s, st.text); err != nil {
			return nil, err
		}
	case s.running || s.lost:
		return seen, nil // it cannot send a statement
	default:
		args := make([][]byte, len(st.args))
		for i, arg := range st.args {
			if other, isPID := strings.CutPrefix(arg, "@"); isPID {
				arg = strconv.Itoa(int(r.sessions[other].pid))
				s.signals = r.sessions[other]
			}
			if arg != "null" {
				args[i] = []byte(arg)
			}
		}
		s.running = true
		s.heard.forget()
		go func() {
			s.done <- runOn(s.conn, st.text, args)
			r.awake()
		}()
	}
	return seen, r.rest(st, s, seen)
}

func (r *real) awake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *real) act(s *realSession, action string) error {
	var err error
	switch action {
	case actCancel:
		if s.running {
			s.ended = true
			_, err = execReal(r.control, fmt.Sprintf("select pg_cancel_backend(%d)", s.pid))
		}
	case actTerminate:
		s.ending = true
		_, err = execReal(r.control, fmt.Sprintf("select pg_terminate_backend(%d)", s.pid))
	case actClose:
		if s.running {
			return nil
		}
		s.ending = true
		err = s.conn.Close(context.Background())
	case actGone:
		s.lost = true
		s.ending = !s.running
		_ = s.conn.Conn().Close() // fails if it is closed
	case actExpire:
		s.ending = true
	default:
		err = fmt.Errorf("%s is no action", action)
	}
	return err
}

// runOn executes a statement as drivers do: the server first describes its parameters and columns.
func runOn(conn *pgconn.PgConn, sql string, args [][]byte) *result {
	ctx := context.Background()
	r := &result{}
	description, err := conn.Prepare(ctx, "", sql, nil)
	if err == nil {
		for _, oid := range description.ParamOIDs {
			r.params = append(r.params, engine.Type(oid).String())
		}
		for _, f := range description.Fields {
			r.columns = append(r.columns, columnOf(f))
		}
		answer := conn.ExecPrepared(ctx, "", args, nil, nil).Read()
		err = answer.Err
		r.tag = answer.CommandTag.String()
		for _, row := range answer.Rows {
			r.rows = append(r.rows, textsOf(row, description.Fields))
		}
	}
	if err != nil {
		r.err = failureOf(err)
	}
	if !conn.IsClosed() {
		r.status = conn.TxStatus()
	}
	return r.normal(sql)
}

func columnOf(f pgconn.FieldDescription) string {
	return f.Name + " " + engine.Type(f.DataTypeOID).String()
}

func textsOf(row [][]byte, fields []pgconn.FieldDescription) []string {
	var texts []string
	for i, value := range row {
		text := string(value)
		switch {
		case value == nil:
			text = "null"
		case engine.Type(fields[i].DataTypeOID) == engine.Timestamptz:
			text = someTime
		case engine.Type(fields[i].DataTypeOID) == engine.Interval:
			text = someInterval
		}
		texts = append(texts, text)
	}
	return texts
}

func failureOf(err error) *failure {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &failure{refused.Severity, refused.Code, refused.Message}
	}
	return &failure{"FATAL", "", err.Error()}
}

// watched is the answer of the server about a session.
type watched struct {
	blockers []uint32
	lock     string // for which it waits
}

// The names of locks are those in the log of the server.
const watch = `select a.pid, array_to_string(pg_blocking_pids(a.pid), ' '), (select l.mode || ' on ' || case l.locktype
	when 'advisory' then format('advisory lock [%s,%s,%s,%s]', l.database, l.classid, l.objid, l.objsubid)
	when 'transactionid' then format('transaction %s', l.transactionid)
	when 'virtualxid' then format('virtual transaction %s', l.virtualxid)
	when 'tuple' then format('tuple (%s,%s) of relation %s of database %s', l.page, l.tuple, l.relation, l.database)
	when 'relation' then format('relation %s of database %s', l.relation, l.database)
	else l.locktype end from pg_locks l where l.pid = a.pid and not l.granted limit 1)
	from pg_stat_activity a where a.pid in (`

// look asks the server about sessions. Those that it does not know are not in the answer.
func (r *real) look(sessions []*realSession) (map[uint32]watched, error) {
	pids := make([]string, len(sessions))
	for i, s := range sessions {
		pids[i] = strconv.Itoa(int(s.pid))
	}
	rows, err := execReal(r.control, watch+strings.Join(pids, ",")+")")
	if err != nil {
		return nil, err
	}
	known := map[uint32]watched{}
	for _, row := range rows {
		pid, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return nil, err
		}
		w := watched{lock: string(row[2])}
		for text := range strings.FieldsSeq(string(row[1])) {
			blocker, err := strconv.Atoi(text)
			if err != nil {
				return nil, err
			}
			w.blockers = append(w.blockers, uint32(blocker))
		}
		known[uint32(pid)] = w
	}
	return known, nil
}

// rest waits until nothing moves any more: each statement has ended, or waits for a lock and the
// server has looked for a deadlock; and each session that must end has ended.
func (r *real) rest(st step, target *realSession, seen *sight) error {
	before, pause := "", time.Millisecond
	for limit := time.Now().Add(realLimit); time.Now().Before(limit); {
		r.collect(seen)
		var open []*realSession
		for _, name := range sortedKeys(r.sessions) {
			if s := r.sessions[name]; !s.over && (s.running || s.ending) {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			return nil
		}
		select {
		case <-r.wake:
			pause = 0
			continue
		case <-time.After(pause):
		}
		known, err := r.look(open)
		if err != nil {
			return err
		}
		calm := st.rest != '!' || !target.running
		now := ""
		for _, s := range open {
			w, there := known[s.pid]
			switch {
			case !there:
				// A statement that was under way has a result still to come.
				if !s.running || s.lost {
					s.over, s.running = true, false
					seen.over = append(seen.over, s.name)
				}
				calm = false
			case s.ending || s.ended || len(w.blockers) == 0:
				calm = false
			case !s.lost && !s.heard.hasChecked(w.lock) && (st.rest != '&' || s != target):
				calm = false
			}
			now += fmt.Sprintln(s.pid, w.blockers, w.lock)
		}
		if calm && now == before {
			r.waits(seen, known)
			return nil
		}
		before, pause = "", 2*time.Millisecond
		if calm {
			before, pause = now, 0
		}
	}
	return fmt.Errorf("the server does not come to rest after %s", st)
}

// collect takes the results of the statements that have ended.
func (r *real) collect(seen *sight) {
	for _, s := range r.sessions {
		select {
		case result := <-s.done:
			if s.lost {
				continue
			}
			s.running = false
			s.ending = s.ending || result.status == 0
			seen.results[s.name] = result
			s.ended = false
			if o := s.signals; o != nil && result.err == nil && strings.HasPrefix(result.columns[0], "pg_terminate_backend") {
				o.ending = true
			} else if o != nil && result.err == nil {
				o.ended = o.running
			}
			s.signals = nil
		default:
		}
	}
}

func (r *real) waits(seen *sight, known map[uint32]watched) {
	for name, s := range r.sessions {
		w, there := known[s.pid]
		if !there || !s.running {
			continue
		}
		seen.waiting[name] = []string{}
		for other, o := range r.sessions {
			if slices.Contains(w.blockers, o.pid) {
				seen.waiting[name] = append(seen.waiting[name], other)
			}
		}
		slices.Sort(seen.waiting[name])
	}
}
