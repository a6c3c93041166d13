package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/internal/draw"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/postgres"
	"lockquake/sim/postgres/client"
	"lockquake/sim/postgres/engine"
)

// wired is a simulated server with clients that use pgx, as workers do. A world runs for each
// sequence, and its driver task waits for the steps.
type wired struct {
	pooled   bool // through the pooler
	seen     *backends
	world    *sim.World
	server   *postgres.Server
	driver   *sim.Worker
	sessions map[string]*wiredSession
	steps    chan step
	sights   chan *sight
	ended    chan error
}

// wiredSession is a worker with one connection.
type wiredSession struct {
	worker  *sim.Worker
	conn    *pgconn.PgConn
	backend *engine.Session
	mail    env.Sem // a permit for each job
	job     func()
	running bool
	over    bool
	lost    bool
	result  *result
}

func (w *wired) open(names []string) error {
	if err := w.close(); err != nil {
		return err
	}
	*w = wired{
		pooled: w.pooled, seen: &backends{},
		world:    sim.New(sim.Config{Latency: draw.Fixed(time.Microsecond)}),
		sessions: map[string]*wiredSession{}, steps: make(chan step), sights: make(chan *sight), ended: make(chan error, 1),
	}
	var err error
	w.server, err = postgres.New(w.world.AddNode("lock", sim.NodeConfig{}), postgres.Options{Poolers: poolSize, Settings: []string{"set deadlock_timeout = '5ms'"}})
	if err != nil {
		return err
	}
	for _, table := range []string{"locks", "leases", "jobs", "items"} { // sequences make their own
		if err := w.setUp("drop table " + table); err != nil {
			return err
		}
	}
	w.driver = w.world.AddNode("driver", sim.NodeConfig{}).Process("driver").Worker("driver")
	for _, name := range names {
		worker := w.world.AddNode("node-"+name, sim.NodeConfig{}).Process("process-" + name).Worker(name)
		s := &wiredSession{worker: worker, mail: worker.NewSem(1)}
		w.sessions[name] = s
		worker.Go("session", func() { w.serve(s) })
	}
	w.driver.Go("driver", w.drive)
	go func() { w.ended <- w.world.Run() }()
	return nil
}

func (w *wired) setUp(text string) error {
	session := w.server.Database().Connect()
	defer session.Close()
	statement, err := session.Prepare(text)
	if err != nil {
		return err
	}
	session.Execute(statement, nil, 0, func(*engine.Result) {})
	return nil
}

// close ends the world of the sequence before.
func (w *wired) close() error {
	if w.world == nil {
		return nil
	}
	close(w.steps)
	err := <-w.ended
	w.world.Close()
	w.server.Close()
	return err
}

// serve is the task of a session: it does one job after the other.
func (w *wired) serve(s *wiredSession) {
	ctx := context.Background()
	var options client.Options
	if w.pooled {
		options.Database = postgres.PooledDatabase
	}
	c, err := client.NewPool(s.worker.Process(), func() string { return "lock" }, options).Acquire(ctx)
	if err != nil {
		w.world.Fail(err)
		return
	}
	s.conn = c.Conn().PgConn()
	s.backend = w.server.Backend(s.conn.PID())
	for s.mail.Acquire(ctx) == nil {
		if s.job != nil {
			s.job()
			s.job, s.running = nil, false
		}
	}
}

func (w *wired) do(st step) (*sight, error) {
	select {
	case w.steps <- st:
		return <-w.sights, nil
	case err := <-w.ended:
		w.ended <- err
		return nil, fmt.Errorf("the world has ended: %w", err)
	}
}

// drive is the task of the driver.
func (w *wired) drive() {
	w.pass(restTime, func() bool { return false }) // until the sessions are open
	for st := range w.steps {
		s := w.sessions[st.session]
		isAction := strings.HasPrefix(st.text, `\`)
		switch {
		case s.over || !isAction && (s.running || s.lost):
			w.sights <- &sight{}
			continue
		case isAction:
			w.act(s, st.text)
		default:
			w.give(s, func() {
				if w.pooled {
					s.result = w.seen.number(runPlain(s.conn, st.text))
				} else {
					s.result = runOn(s.conn, st.text, w.arguments(st))
				}
			})
		}
		w.pass(time.Millisecond, func() bool { return false }) // for the messages
		switch st.rest {
		case '!':
			w.pass(patientTime, func() bool { return !s.running })
		case ':':
			w.pass(restTime, func() bool { return false })
		}
		w.sights <- w.look()
	}
	w.world.Stop()
}

// give gives the task of a session a job.
func (w *wired) give(s *wiredSession, job func()) {
	s.job, s.running = job, true
	s.mail.Release()
}

func (w *wired) arguments(st step) [][]byte {
	args := make([][]byte, len(st.args))
	for i, arg := range st.args {
		if other, isPID := strings.CutPrefix(arg, "@"); isPID {
			arg = strconv.Itoa(int(w.sessions[other].conn.PID()))
		}
		if arg != "null" {
			args[i] = []byte(arg)
		}
	}
	return args
}

// pass lets time pass, until the condition holds if it does before.
func (w *wired) pass(d time.Duration, until func() bool) {
	const beat = time.Millisecond
	for ; d > 0 && !until(); d -= beat {
		_ = w.driver.Sleep(context.Background(), beat) // it cannot end
	}
}

func (w *wired) act(s *wiredSession, action string) {
	switch action {
	case actCancel:
		if s.running {
			s.backend.Cancel()
		}
	case actTerminate:
		s.backend.Terminate()
	case actClose:
		if !s.running {
			w.give(s, func() { _ = s.conn.Close(context.Background()) })
		}
	case actGone:
		s.lost = true
		s.worker.Process().Crash()
	case actExpire:
		w.pass(patientTime, s.backend.Over)
	default:
		w.world.Fail(fmt.Errorf("%s is no action", action))
	}
}

// hasEnded reports whether the session has ended; behind the pooler, whether the client has.
func (s *wiredSession) hasEnded() bool {
	if s.backend == nil {
		return s.lost || s.conn.IsClosed()
	}
	return s.backend.Over()
}

func (w *wired) look() *sight {
	seen := &sight{results: map[string]*result{}, waiting: map[string][]string{}}
	for _, name := range sortedKeys(w.sessions) {
		s := w.sessions[name]
		if s.result != nil {
			seen.results[name], s.result = s.result, nil
		}
		if s.hasEnded() && !s.over {
			s.over, s.running = true, false
			seen.over = append(seen.over, name)
		}
		if !s.running {
			continue
		}
		seen.waiting[name] = []string{}
		if w.pooled {
			continue
		}
		for _, blocker := range w.server.Database().Waiting(s.backend) {
			for other, o := range w.sessions {
				if o.backend == blocker {
					seen.waiting[name] = append(seen.waiting[name], other)
				}
			}
		}
		slices.Sort(seen.waiting[name])
	}
	return seen
}
