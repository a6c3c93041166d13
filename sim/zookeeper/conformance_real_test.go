package zookeeper_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"lockquake/internal/servers"
	"lockquake/sim/zookeeper/wire"
)

// The times of both sides.
const (
	tick         = 100 * time.Millisecond
	usualTimeout = 20 * tick
	shortTimeout = 6 * tick // of a sequence in which a session expires
	dialTimeout  = 10 * time.Millisecond
	margin       = tick
)

// real runs sequences on a real server.
type real struct {
	server *servers.ZooKeeperServer
	root   *zk.Conn
	*notes
	mu      sync.Mutex // guards notes
	clients map[string]*realClient
	timeout time.Duration
	// slow is set if a client of the present run lost its connection or its session for another reason than a step:
	// the machine is too slow for the timeout of a session.
	slow *atomic.Bool
}

// realClient is a client of the real server, whose network can be cut.
type realClient struct {
	conn      *zk.Conn
	cut       atomic.Bool
	connected atomic.Bool
	leaves    atomic.Bool // a step makes it lose its connection
	expires   atomic.Bool // a step makes it lose its session
	mu        sync.Mutex
	net       *cutConn
}

// cutConn is a connection that can lose everything.
type cutConn struct {
	net.Conn
	client *realClient
}

func (c *cutConn) Write(b []byte) (int, error) {
	if c.client.cut.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Read loses what arrives while the client is cut off, until its deadline.
func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for err == nil && c.client.cut.Load() {
		n, err = c.Conn.Read(b)
	}
	return n, err
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

var roots atomic.Int64

// newReal connects with a server.
func newReal(server *servers.ZooKeeperServer) (*real, error) {
	conn, events, err := zk.Connect([]string{server.Addr}, time.Minute, zk.WithLogger(quiet{}))
	if err != nil {
		return nil, err
	}
	for e := range events {
		if e.State == zk.StateHasSession {
			return &real{server: server, root: conn}, nil
		}
	}
	return nil, errors.New("no session")
}

// run returns what the real service shows of a sequence.
func (r *real) run(s sequence) ([]string, error) {
	r.notes = newNotes(fmt.Sprintf("/s%d", roots.Add(1)))
	r.clients, r.timeout, r.slow = map[string]*realClient{}, s.timeout, &atomic.Bool{}
	if _, err := r.root.Create(r.notes.root, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		return nil, err
	}
	_, stat, err := r.root.Exists(r.notes.root)
	if err != nil {
		return nil, err
	}
	r.base = stat.Czxid
	for _, st := range s.steps {
		if err := r.do(st); err != nil {
			return r.lines, err
		}
	}
	for _, c := range r.clients {
		c.cut.Store(false)
		c.reset()
		if err := r.await(c); err != nil {
			return r.lines, err
		}
		c.leaves.Store(true)
		c.conn.Close()
	}
	return r.lines, nil
}

func (c *realClient) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaves.Store(true)
	c.connected.Store(false)
	if c.net != nil {
		_ = c.net.Close()
	}
}

// await waits until a client has a session.
func (r *real) await(c *realClient) error {
	for range 2000 {
		if c.connected.Load() {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("the client does not connect again")
}

// awaitExpiry waits until the server has ended the session of a client, and the client has lost its connection.
func (r *real) awaitExpiry(c *realClient) error {
	id := fmt.Sprintf("0x%x", c.conn.SessionID())
	for range 2000 {
		sessions, err := r.server.Ask("dump")
		if err != nil {
			return err
		}
		if !strings.Contains(sessions, id) && !c.connected.Load() {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("the session %s does not expire", id)
}

func (r *real) open(name string) (*realClient, error) {
	c := &realClient{}
	dial := func(network, addr string, _ time.Duration) (net.Conn, error) {
		if c.cut.Load() {
			time.Sleep(dialTimeout)
			return nil, errors.New("cut off")
		}
		conn, err := net.DialTimeout(network, addr, time.Second)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.net = &cutConn{conn, c}
		return c.net, nil
	}
	expired := false
	n, slow := r.notes, r.slow // those of a client that is closed are not read any more
	hear := func(e zk.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case e.Type > 0:
			n.event(name, wire.EventType(e.Type), e.Path)
		case e.Type != zk.EventSession:
		case e.State == zk.StateHasSession:
			n.names[c.conn.SessionID()] = fmt.Sprintf("%s%d", name, len(n.names))
			n.hear(name, "connected")
			expired = false
			c.leaves.Store(false)
			c.expires.Store(false)
			c.connected.Store(true)
		case e.State == zk.StateDisconnected && !expired:
			if c.connected.Swap(false) && !c.leaves.Load() && !c.expires.Load() {
				slow.Store(true)
			}
			n.hear(name, "disconnected")
		case e.State == zk.StateExpired:
			expired = true
			if !c.expires.Load() {
				slow.Store(true)
			}
			n.hear(name, "expired")
		}
	}
	r.mu.Lock()
	conn, _, err := zk.Connect([]string{r.server.Addr, r.server.Addr}, r.timeout, zk.WithLogger(quiet{}), zk.WithDialer(dial), zk.WithEventCallback(hear))
	c.conn = conn
	r.clients[name] = c
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c, r.await(c)
}

func (r *real) do(st step) error {
	c := r.clients[st.session]
	if c == nil && st.action != actOpen {
		return nil
	}
	text := "done"
	switch st.action {
	case actOpen:
		if c == nil {
			if _, err := r.open(st.session); err != nil {
				return err
			}
		}
	case actClose:
		if c.cut.Load() {
			return nil
		}
		c.leaves.Store(true)
		c.conn.Close()
		delete(r.clients, st.session)
		for c.conn.State() != zk.StateDisconnected {
			time.Sleep(100 * time.Microsecond)
		}
		text = "ok"
	case actDrop, actCut, actHeal, actExpire:
		if err := r.disturb(c, st); err != nil {
			return err
		}
		if st.action == actDrop && c.cut.Load() || st.action == actHeal && text == "" {
			break
		}
	default:
		if c.cut.Load() {
			return nil
		}
		text = r.request(c.conn, st)
	}
	r.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(st, "%s", text)
	return nil
}

// settle waits until the events that were sent have arrived: they come before the reply to a later
// request.
func (r *real) settle() {
	for _, c := range r.clients {
		if !c.cut.Load() {
			_, _, _ = c.conn.Exists("/")
		}
	}
}

func (r *real) disturb(c *realClient, st step) error {
	switch st.action {
	case actDrop:
		if c.cut.Load() {
			return nil
		}
		c.reset()
	case actCut:
		c.cut.Store(true)
		return nil
	case actExpire:
		if c.cut.Load() {
			c.expires.Store(true)
			return r.awaitExpiry(c)
		}
		return nil
	case actHeal:
		if !c.cut.Load() {
			return nil
		}
		c.cut.Store(false)
		c.reset()
	}
	return r.await(c)
}

func (r *real) request(c *zk.Conn, st step) string {
	path := r.full(st.path)
	acl := zk.WorldACL(zk.PermAll)
	switch wire.Kind(st.action) {
	case wire.Create:
		made, err := c.Create(path, []byte(st.data), int32(st.mode), acl)
		return result(code(err), r.short(made))
	case wire.Delete:
		return result(code(c.Delete(path, st.version)), "done")
	case wire.SetData:
		stat, err := c.Set(path, []byte(st.data), st.version)
		return result(code(err), r.stat(statOf(stat)))
	case wire.Exists:
		exists, stat, err := c.Exists(path)
		if st.watch {
			exists, stat, _, err = c.ExistsW(path)
		}
		if err == nil && !exists {
			return "none"
		}
		return result(code(err), r.stat(statOf(stat)))
	case wire.GetData:
		data, stat, err := c.Get(path)
		if st.watch {
			data, stat, _, err = c.GetW(path)
		}
		return result(code(err), string(data)+" "+r.stat(statOf(stat)))
	case wire.Children:
		names, stat, err := c.Children(path)
		if st.watch {
			names, stat, _, err = c.ChildrenW(path)
		}
		slices.Sort(names)
		return result(code(err), strings.Join(names, ",")+" "+r.stat(statOf(stat)))
	case wire.Sync:
		_, err := c.Sync(path)
		return result(code(err), "done")
	case wire.Multi:
		return r.multi(r.requestMulti(c, st))
	default:
	}
	return "no such action"
}

func (r *real) requestMulti(c *zk.Conn, st step) ([]wire.Result, error) {
	var ops []any
	for _, op := range st.ops {
		path := r.full(op.Path)
		switch op.Kind {
		case wire.Create:
			ops = append(ops, &zk.CreateRequest{Path: path, Data: []byte(op.Data), Acl: zk.WorldACL(zk.PermAll), Flags: int32(op.Mode)})
		case wire.Delete:
			ops = append(ops, &zk.DeleteRequest{Path: path, Version: op.Version})
		case wire.SetData:
			ops = append(ops, &zk.SetDataRequest{Path: path, Data: []byte(op.Data), Version: op.Version})
		default:
			ops = append(ops, &zk.CheckVersionRequest{Path: path, Version: op.Version})
		}
	}
	answers, err := c.Multi(ops...)
	var results []wire.Result
	for _, a := range answers {
		one := wire.Result{Path: a.String}
		if a.Stat != nil {
			one.Stat = statOf(a.Stat)
		}
		if a.Error != nil {
			one.Code = codeOf(a.Error)
		}
		results = append(results, one)
	}
	return results, code(err)
}

// codes are the errors of go-zookeeper.
func codes() map[error]wire.CodeError {
	return map[error]wire.CodeError{
		zk.ErrNoNode: wire.ErrNoNode, zk.ErrNodeExists: wire.ErrNodeExists, zk.ErrBadVersion: wire.ErrBadVersion, zk.ErrNotEmpty: wire.ErrNotEmpty,
		zk.ErrNoChildrenForEphemerals: wire.ErrNoChildrenForEphemerals, zk.ErrBadArguments: wire.ErrBadArguments,
		zk.ErrSessionExpired: wire.ErrSessionExpired, zk.ErrSessionMoved: wire.ErrSessionMoved,
	}
}

func codeOf(err error) wire.CodeError {
	if c, ok := codes()[err]; ok {
		return c
	}
	if err.Error() == "unknown error: -2" {
		return wire.ErrRuntimeInconsistency
	}
	return -1
}

func code(err error) error {
	if err == nil {
		return nil
	}
	if c := codeOf(err); c != -1 {
		return c
	}
	return err
}

func statOf(s *zk.Stat) wire.Stat {
	if s == nil {
		return wire.Stat{}
	}
	return wire.Stat{
		Czxid: s.Czxid, Mzxid: s.Mzxid, Pzxid: s.Pzxid, Version: s.Version, Cversion: s.Cversion,
		EphemeralOwner: s.EphemeralOwner, DataLength: s.DataLength, NumChildren: s.NumChildren,
	}
}
