package client

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"lockquake/internal/draw"
	"lockquake/internal/twoworlds"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/postgres/wire"
)

// poolScript is a sequence of calls to a pool. It runs twice: with pgxpool itself on connections in
// memory, in the time of a bubble, and with the model in a world of package sim.
type poolScript struct {
	name   string
	size   int
	dead   []int // the dials that no server answers, by their number
	silent []int // the connections whose start-up is not answered
	body   func(s *script)
	want   []string // lines that the log must contain, so that no script is empty
}

// conn is a connection of either pool.
type conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Release()
}

// script gives the body of a poolScript its pool, its faults and its clock, in either world.
type script struct {
	env.Env
	acquire func(context.Context) (conn, error)
	log     *twoworlds.Log
	reset   func() // breaks all connections
	end     func() // the server ends all sessions
}

func (s *script) sleep(d time.Duration) { _ = s.Sleep(context.Background(), d) }

// take acquires a connection and notes the result.
func (s *script) take(ctx context.Context, who string) conn {
	c, err := s.acquire(ctx)
	s.log.Add("%s acquires: %s", who, classOf(err))
	if err != nil {
		return nil
	}
	return c
}

// exec executes a statement and notes the result.
func (s *script) exec(ctx context.Context, c conn, text string) {
	tag, err := c.Exec(ctx, text)
	s.log.Add("%s: %s, %s", text, tag, classOf(err))
}

// use executes statements on a connection of the pool, which it then releases.
func (s *script) use(who string, texts ...string) {
	c := s.take(context.Background(), who)
	if c == nil {
		return
	}
	for _, text := range texts {
		s.exec(context.Background(), c, text)
	}
	c.Release()
}

// together runs the bodies at the same time, slightly shifted.
func (s *script) together(bodies ...func()) { twoworlds.Together(s, bodies...) }

// within calls do with a context that ends after d.
func (s *script) within(d time.Duration, do func(ctx context.Context)) { twoworlds.Within(s, d, do) }

// classOf returns the kind of an error.
func classOf(err error) string {
	server, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return "ok"
	case ok:
		return server.Severity + " " + server.Code
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, sim.ErrTimeout):
		return "timeout"
	}
	return "broken"
}

// peer is the server in both worlds. It knows the statements that scripts use: BEGIN and END of a
// transaction, WAIT, which ends with a cancel request only, LOST, whose answer never arrives, BREAK,
// which breaks all connections, and others, which succeed.
type peer struct {
	mu      sync.Mutex
	log     *twoworlds.Log
	script  poolScript
	dials   int
	status  map[int]byte
	answers map[int]func([]byte) // of the statements that wait, by connection
}

func newPeer(s poolScript, log *twoworlds.Log) *peer {
	return &peer{log: log, script: s, status: map[int]byte{}, answers: map[int]func([]byte){}}
}

// dialled notes a dial. It returns its number, and whether no server answers it.
func (p *peer) dialled() (number int, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dials++
	p.log.Add("conn %d is dialled", p.dials)
	return p.dials, slices.Contains(p.script.dead, p.dials)
}

// start answers the start-up of a connection.
func (p *peer) start(number int, answer func([]byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status[number] = 'I'
	p.log.Add("conn %d starts", number)
	if slices.Contains(p.script.silent, number) {
		return
	}
	b := encoded(&pgproto3.AuthenticationOk{})
	b = append(b, encoded(&pgproto3.BackendKeyData{ProcessID: uint32(number), SecretKey: []byte{0, 0, 0, 1}})...)
	answer(append(b, encoded(&pgproto3.ReadyForQuery{TxStatus: 'I'})...))
}

// cancel ends the statement of a connection.
func (p *peer) cancel(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Add("conn %d is asked to cancel", number)
	if answer := p.answers[number]; answer != nil {
		delete(p.answers, number)
		answer(p.failure(number, "ERROR", "57014"))
	}
}

func (p *peer) failure(number int, severity, code string) []byte {
	b := encoded(&pgproto3.ErrorResponse{Severity: severity, SeverityUnlocalized: severity, Code: code, Message: "no"})
	if severity == "FATAL" {
		return b
	}
	return append(b, encoded(&pgproto3.ReadyForQuery{TxStatus: p.status[number]})...)
}

// query runs a statement. Broken breaks its connection.
func (p *peer) query(number int, text string, answer func([]byte), broken func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Add("conn %d gets %s", number, text)
	switch text {
	case "WAIT":
		p.answers[number] = answer
		return
	case "LOST":
		return
	case "BREAK":
		broken()
		return
	case "ERROR":
		answer(p.failure(number, "ERROR", "42601"))
		return
	case "FATAL":
		answer(p.failure(number, "FATAL", "57P01"))
		return
	case "-- ping":
		answer(append(encoded(&pgproto3.EmptyQueryResponse{}), encoded(&pgproto3.ReadyForQuery{TxStatus: p.status[number]})...))
		return
	case "BEGIN":
		p.status[number] = 'T'
	case "END":
		p.status[number] = 'I'
	}
	answer(append(encoded(&pgproto3.CommandComplete{CommandTag: []byte(text)}), encoded(&pgproto3.ReadyForQuery{TxStatus: p.status[number]})...))
}

// left notes the end of a connection.
func (p *peer) left(number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Add("conn %d ends", number)
}

func encoded(m pgproto3.BackendMessage) []byte {
	b, err := m.Encode(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// inMemory runs the script with pgxpool itself.
func inMemory(t *testing.T, s poolScript) []string {
	var lines []string
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		log := &twoworlds.Log{Elapsed: func() time.Duration { return time.Since(began) }}
		w := &wires{peer: newPeer(s, log)}
		o := Options{ExecMode: PlainExec, ConnectTimeout: time.Second}.WithDefaults()
		connect, err := o.config()
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := pgxpool.ParseConfig(connect.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		cfg.ConnConfig.RuntimeParams, cfg.ConnConfig.Fallbacks = map[string]string{}, nil
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		cfg.ConnConfig.LookupFunc, cfg.ConnConfig.DialFunc = connect.LookupFunc, w.dial
		cfg.ConnConfig.ConnectTimeout = o.ConnectTimeout
		cfg.MaxConns = int32(s.size)
		pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		acquire := func(ctx context.Context) (conn, error) {
			c, err := pool.Acquire(ctx)
			if err != nil {
				return nil, err
			}
			return c, nil
		}
		s.body(&script{env.Real(), acquire, log, w.breakAll, w.endAll})
		lines = log.Sorted()
		pool.Close()
		w.breakAll()
		time.Sleep(time.Minute) // for what is under way in the background
	})
	return lines
}

// wires are the connections in memory, by the order of dialling.
type wires struct {
	peer *peer
	mu   sync.Mutex
	all  []*memoryConn
}

// memoryConn is the client's end of a connection.
type memoryConn struct {
	net.Conn
	number int
	server net.Conn
	mu     sync.Mutex
	broken bool
	once   sync.Once
}

func (w *wires) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	number, dead := w.peer.dialled()
	if dead {
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	select {
	case <-time.After(2 * twoworlds.OneWay):
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
	}
	c := &memoryConn{number: number}
	c.Conn, c.server = net.Pipe()
	w.mu.Lock()
	w.all = append(w.all, c)
	w.mu.Unlock()
	go w.serve(c)
	return c, nil
}

// serve reads the messages of a connection, and handles each a little later.
func (w *wires) serve(c *memoryConn) {
	in := pgproto3.NewBackend(c.server, nil)
	first, err := in.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if cancel, ok := first.(*pgproto3.CancelRequest); ok {
		pid := int(cancel.ProcessID)
		time.AfterFunc(twoworlds.OneWay, func() {
			w.peer.cancel(pid)
			time.AfterFunc(twoworlds.OneWay, func() { _ = c.server.Close() })
		})
		return
	}
	time.AfterFunc(twoworlds.OneWay, func() { w.peer.start(c.number, w.answer(c)) })
	for {
		m, err := in.Receive()
		q, ok := m.(*pgproto3.Query)
		if err != nil || !ok {
			if !c.isBroken() {
				time.AfterFunc(twoworlds.OneWay, func() { c.end(w.peer) })
			}
			return
		}
		text := q.String
		time.AfterFunc(twoworlds.OneWay, func() { w.peer.query(c.number, text, w.answer(c), w.breakAll) })
	}
}

// end notes the end of the connection at the server, once.
func (c *memoryConn) end(p *peer) {
	c.once.Do(func() {
		p.left(c.number)
		_ = c.server.Close()
	})
}

func (w *wires) answer(c *memoryConn) func([]byte) {
	return func(b []byte) {
		time.AfterFunc(twoworlds.OneWay, func() { _, _ = c.server.Write(b) })
	}
}

func (w *wires) breakAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		c.reset()
	}
}

func (w *wires) endAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		b := w.peer.failure(c.number, "FATAL", "57P01")
		time.AfterFunc(twoworlds.OneWay, func() {
			go func() { _, _ = c.server.Write(b); _ = c.server.Close() }()
		})
	}
}

func (c *memoryConn) reset() {
	c.mu.Lock()
	c.broken = true
	c.mu.Unlock()
	_ = c.server.Close()
}

func (c *memoryConn) isBroken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

func (c *memoryConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && c.isBroken() {
		err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}

// inWorld runs the script with the model.
func inWorld(t *testing.T, s poolScript) []string {
	world := sim.New(sim.Config{Latency: draw.Fixed(twoworlds.OneWay), Limit: time.Hour})
	defer world.Close()
	log := &twoworlds.Log{Elapsed: world.Time}
	server := &simPeer{peer: newPeer(s, log), sessions: map[*sim.Session]int{}}
	node := world.AddNode("db", sim.NodeConfig{})
	node.Listen(server)
	process := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1")
	server.process = process
	worker := process.Worker("worker-1")
	for n := 1; n <= 100; n++ {
		worker.OnPoint("dial.sent", n, func() {
			number, dead := server.peer.dialled()
			if !dead {
				server.dialled = append(server.dialled, number)
				return
			}
			if err := world.DropMessage(time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	pool := NewPool(process, func() string { return "db" }, Options{Size: s.size, ExecMode: PlainExec, ConnectTimeout: time.Second})
	acquire := func(ctx context.Context) (conn, error) {
		c, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	worker.Go("main", func() {
		s.body(&script{worker, acquire, log, func() { process.ResetConns("db") }, server.endAll})
		world.Stop()
	})
	if err := world.Run(); err != nil {
		t.Fatal(err)
	}
	return log.Sorted()
}

// simPeer is the peer as a server of package sim.
type simPeer struct {
	peer     *peer
	process  *sim.Process
	dialled  []int // connections without a first packet
	sessions map[*sim.Session]int
	order    []*sim.Session
}

func (s *simPeer) Serve(c *sim.Call) {
	packet := c.Req.(*wire.Packet)
	answer := func(b []byte) {
		c.Applied()
		c.Reply(&wire.Packet{Bytes: b})
	}
	if s.sessions[c.Session] == 0 {
		number := s.dialled[0]
		s.dialled = s.dialled[1:]
		if packet.Label == "cancel" {
			s.peer.cancel(int(binary.BigEndian.Uint32(packet.Bytes[8:])))
			answer(nil)
			return
		}
		s.sessions[c.Session] = number
		s.order = append(s.order, c.Session)
		s.peer.start(number, answer)
		return
	}
	_, body, _ := wire.Next(packet.Bytes)
	s.peer.query(s.sessions[c.Session], strings.TrimSuffix(string(body), "\x00"), answer, func() { s.process.ResetConns("db") })
}

func (s *simPeer) Closed(session *sim.Session, err error) {
	if n := s.sessions[session]; n != 0 && err == nil {
		s.peer.left(n)
	}
}

func (s *simPeer) endAll() {
	for _, session := range s.order {
		session.Push("farewell", &wire.Packet{Bytes: s.peer.failure(s.sessions[session], "FATAL", "57P01")})
	}
}
