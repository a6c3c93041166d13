package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockquake/internal/draw"
	"lockquake/internal/twoworlds"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// clientScript is a sequence of client calls under faults. It runs twice: with go-redis itself on
// connections in memory, in the time of a bubble, and with the model in a world of package sim.
type clientScript struct {
	name    string
	options Options
	faults  []clientFault
	body    func(s *session)
	want    []string // lines that the log must contain, so that no script is empty
}

// clientFault is a fault that happens once.
type clientFault struct {
	// It affects the nth request that begins with this word, or the nth dial. If the word is empty it
	// happens at a time, or lasts for one.
	word     string
	nth      int
	at, over time.Duration

	do    mishap
	late  time.Duration // for late
	reply string        // for answer
}

type mishap int

const (
	lose   mishap = iota // the request takes effect, its reply never comes
	late                 // the reply, or the dial, takes longer
	finish               // instead of a reply all connections end: EOF
	reset                // instead of a reply all connections break
	answer               // the reply is this error
	dead                 // nobody answers a dial
	refuse               // nobody listens
)

// session is the client that a script uses, in either world.
type session struct {
	env.Env
	c   *goredis.Client
	log *twoworlds.Log
}

// note records a result.
func (s *session) note(label string, value any, err error) {
	s.log.Add("%s: %v, %s", label, value, classOf(err))
}

func (s *session) sleep(d time.Duration) { _ = s.Sleep(context.Background(), d) }

// together runs the bodies at the same time, slightly shifted.
func (s *session) together(bodies ...func()) { twoworlds.Together(s, bodies...) }

// get reads a key and notes the result.
func (s *session) get(ctx context.Context, key string) {
	v, err := s.c.Get(ctx, key).Result()
	s.note("get "+key, v, err)
}

func (s *session) take(ctx context.Context, key string) {
	v, err := s.c.SetNX(ctx, key, "me", time.Minute).Result()
	s.note("take "+key, v, err)
}

func (s *session) within(d time.Duration, do func(ctx context.Context)) { twoworlds.Within(s, d, do) }

// pipeline sends two commands together and notes each result.
func (s *session) pipeline(exec func(context.Context, func(goredis.Pipeliner) error) ([]goredis.Cmder, error)) {
	var n *goredis.IntCmd
	var v *goredis.StringCmd
	cmds, err := exec(context.Background(), func(p goredis.Pipeliner) error {
		n = p.Incr(context.Background(), "n")
		v = p.Get(context.Background(), "n")
		return nil
	})
	s.note("exec", len(cmds), err)
	s.note("incr n", n.Val(), n.Err())
	s.note("then get n", v.Val(), v.Err())
}

// classOf returns the kind of an error, with its text only if it is from go-redis or the server.
func classOf(err error) string {
	var timeout net.Error
	isTimeout := errors.As(err, &timeout) && timeout.Timeout()
	var dial *net.OpError
	kind := ""
	if errors.As(err, &dial) && dial.Op == "dial" {
		kind = "dial "
	}
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, sim.ErrRefused):
		return kind + "refused"
	case kind != "" && isTimeout:
		return fmt.Sprintf("dial timeout, passes for a context's: %v", errors.Is(err, context.DeadlineExceeded))
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, sim.ErrReset):
		return "broken"
	case isTimeout && !errors.Is(err, context.DeadlineExceeded):
		return "i/o timeout"
	}
	if text, ok := serverError(err); ok {
		return "server: " + text
	}
	return err.Error()
}

// peer is the server in both worlds: the commands, and the faults that affect them.
type peer struct {
	mu     sync.Mutex
	keys   *keyspace.Keyspace
	faults []clientFault
	seen   map[string]int
	conns  map[int]*keyspace.Connection
	log    *twoworlds.Log
}

func newPeer(t *testing.T, script clientScript, log *twoworlds.Log) *peer {
	t.Helper()
	k, err := keyspace.New(lua.NewCache(), keyspace.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return &peer{keys: k, faults: script.faults, seen: map[string]int{}, conns: map[int]*keyspace.Connection{}, log: log}
}

// fault returns the fault of this request or dial.
func (p *peer) fault(word string) (f clientFault, wrong bool) {
	p.seen[word]++
	now := p.log.Elapsed()
	for _, f := range p.faults {
		if f.word == word && f.nth == p.seen[word] ||
			f.word == "" && word == "dial" && f.at <= now && now < f.at+f.over {
			return f, true
		}
	}
	return clientFault{}, false
}

// serve runs the commands that a connection sent together.
func (p *peer) serve(conn int, now time.Time, batch [][]string) (reply resp.Reply, f clientFault, wrong bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var words []string
	for _, command := range batch {
		words = append(words, strings.Join(command, " "))
	}
	p.log.Add("conn %d gets %s", conn, strings.Join(words, "; "))
	f, wrong = p.fault(batch[0][0])
	c := p.conns[conn]
	if c == nil {
		c = &keyspace.Connection{}
		p.conns[conn] = c
	}
	answered := wrong && f.do == answer
	if len(batch) == 1 && answered {
		return resp.Errorf("%s", f.reply), f, wrong
	}
	replies := p.keys.RunPipeline(c, now, batch, func([]string, *resp.Reply) {}, func() {})
	if len(batch) == 1 {
		return replies[0], f, wrong
	}
	if answered {
		replies[0] = resp.Errorf("%s", f.reply)
	}
	return resp.Reply{Kind: resp.Array, Elems: replies}, f, wrong
}

// inMemory runs the script with go-redis itself.
func inMemory(t *testing.T, script clientScript) []string {
	// go-redis keeps timers of its pool for later use. They must not be used in another bubble.
	runtime.GC()
	runtime.GC()
	var lines []string
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		log := &twoworlds.Log{Elapsed: func() time.Duration { return time.Since(began) }}
		w := &wires{peer: newPeer(t, script, log)}
		for _, f := range script.faults {
			if f.word == "" && (f.do == finish || f.do == reset) {
				time.AfterFunc(f.at, func() { w.breakAll(f.do) })
			}
		}
		o := script.options
		if o.MaxRetries == 0 {
			o.MaxRetries = -1
		}
		client := goredis.NewClient(&goredis.Options{
			Addr: "192.0.2.1:6379", Protocol: 2, DisableIdentity: true, Dialer: w.dial, ConnMaxIdleTime: -1,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
			PoolSize:                 cmp.Or(o.PoolSize, 10), PoolTimeout: o.PoolTimeout, DialTimeout: o.DialTimeout,
			ReadTimeout: o.ReadTimeout, ContextTimeoutEnabled: o.ContextTimeoutEnabled, MaxRetries: o.MaxRetries,
			MinRetryBackoff: o.MinRetryBackoff, MaxRetryBackoff: o.MaxRetryBackoff,
		})
		script.body(&session{env.Real(), client, log})
		lines = log.Sorted()
		_ = client.Close()
		time.Sleep(time.Minute) // for dials without a waiter
	})
	return lines
}

// wires are the connections in memory, by the order of dialling.
type wires struct {
	peer *peer
	mu   sync.Mutex
	all  []*wire
}

// wire is the client's end of a connection. Its errors are those of package
// net for TCP.
type wire struct {
	net.Conn
	server net.Conn
	mu     sync.Mutex
	broken error
}

func (w *wires) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	c := &wire{}
	c.Conn, c.server = net.Pipe()
	w.all = append(w.all, c)
	number := len(w.all)
	w.mu.Unlock()

	w.peer.mu.Lock()
	w.peer.log.Add("conn %d is dialled", number)
	f, wrong := w.peer.fault("dial")
	w.peer.mu.Unlock()
	switch {
	case wrong && f.do == dead:
		<-ctx.Done()
		// The error of package net for the deadline of a context.
		return new(net.Dialer).DialContext(ctx, network, addr)
	case wrong && f.do == refuse:
		time.Sleep(2 * twoworlds.OneWay)
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	time.Sleep(2*twoworlds.OneWay + f.late)
	go w.serve(c, number)
	return c, nil
}

// serve reads commands that were sent together, and handles them a little later.
func (w *wires) serve(c *wire, number int) {
	in := bufio.NewReaderSize(c.server, 1<<16)
	for {
		var batch [][]string
		for len(batch) == 0 || in.Buffered() > 0 {
			words, err := readCommand(in)
			if err != nil {
				return
			}
			batch = append(batch, words)
		}
		time.AfterFunc(twoworlds.OneWay, func() {
			reply, f, wrong := w.peer.serve(number, time.Now(), batch)
			if wrong && (f.do == finish || f.do == reset) {
				w.breakAll(f.do)
				return
			}
			if wrong && f.do == lose {
				return
			}
			time.AfterFunc(twoworlds.OneWay+f.late, func() { c.send(batch, reply) })
		})
	}
}

// send writes the replies, to a client that may have gone.
func (c *wire) send(batch [][]string, reply resp.Reply) {
	var b []byte
	if len(batch) == 1 {
		b = reply.AppendRESP(nil)
	} else {
		for i := range reply.Elems {
			b = reply.Elems[i].AppendRESP(b)
		}
	}
	_, _ = c.server.Write(b)
}

func (w *wires) breakAll(how mishap) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		c.mu.Lock()
		c.broken = io.EOF
		if how == reset {
			c.broken = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
		}
		c.mu.Unlock()
		_ = c.server.Close()
	}
}

func (c *wire) state() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

func (c *wire) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if broken := c.state(); err != nil && broken != nil {
		return n, broken
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = &net.OpError{Op: "read", Net: "tcp", Err: err}
	}
	return n, err
}

// SyscallConn is called by go-redis to check whether an idle connection is still alive.
func (c *wire) SyscallConn() (syscall.RawConn, error) { return quietSocket{}, c.state() }

// quietSocket is a socket on which nothing has come.
type quietSocket struct{}

func (quietSocket) Control(func(uintptr)) error    { return nil }
func (quietSocket) Read(func(uintptr) bool) error  { return nil }
func (quietSocket) Write(func(uintptr) bool) error { return nil }

// readCommand reads the words of one command.
func readCommand(in *bufio.Reader) ([]string, error) {
	n, err := readNumber(in, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		size, err := readNumber(in, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(in, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	return words, nil
}

func readNumber(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%q is no command", line)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// inWorld runs the script with the model.
func inWorld(t *testing.T, script clientScript) []string {
	world := sim.New(sim.Config{Latency: draw.Fixed(twoworlds.OneWay), Limit: time.Hour})
	defer world.Close()
	log := &twoworlds.Log{Elapsed: world.Time}
	node := world.AddNode("lock", sim.NodeConfig{})
	process := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1")
	tap := &tappedServer{peer: newPeer(t, script, log), node: node, process: process}
	node.Listen(tap)
	worker := process.Worker("worker-1")
	for n := 1; n <= 200; n++ {
		worker.OnPoint("dial.sent", n, func() { tap.dialled(t, n) })
	}
	for _, f := range script.faults {
		if f.word == "" && (f.do == finish || f.do == reset) {
			world.At(f.at, func() { process.ResetConns("lock") })
		}
	}
	worker.Go("main", func() {
		script.body(&session{worker, New(process, at("lock"), script.options), log})
		world.Stop()
	})
	if err := world.Run(); err != nil {
		t.Fatal(err)
	}
	return log.Sorted()
}

// tappedServer is the peer as a server of package sim.
type tappedServer struct {
	peer    *peer
	node    *sim.Node
	process *sim.Process
}

// dialled applies the script's fault of the dial.
func (s *tappedServer) dialled(t *testing.T, number int) {
	world := s.node.World()
	s.peer.log.Add("conn %d is dialled", number)
	f, wrong := s.peer.fault("dial")
	if !wrong {
		return
	}
	var err error
	switch f.do {
	case dead:
		err = world.DropMessage(time.Hour)
	case refuse:
		// Not listening exactly when the dial arrives.
		world.At(world.Time()+twoworlds.OneWay-1, func() { s.node.Listen(nil) })
		world.At(world.Time()+twoworlds.OneWay+1, func() { s.node.Listen(s) })
	case late:
		err = world.HoldMessage(f.late)
	case lose, finish, reset, answer:
	}
	if err != nil {
		t.Error(err)
	}
}

func (s *tappedServer) Serve(c *sim.Call) {
	var batch [][]string
	switch request := c.Req.(type) {
	case *resp.Command:
		batch = [][]string{request.Args}
	case *resp.Pipeline:
		batch = request.Commands
	}
	reply, f, wrong := s.peer.serve(int(c.Session.ID), s.node.Now(), batch)
	c.Applied()
	switch {
	case wrong && (f.do == finish || f.do == reset):
		s.process.ResetConns("lock")
	case wrong && f.do == lose:
	case wrong && f.do == late:
		s.node.World().At(s.node.World().Time()+f.late, func() { c.Reply(&reply) })
	default:
		c.Reply(&reply)
	}
}

func (s *tappedServer) Closed(*sim.Session, error) {}
