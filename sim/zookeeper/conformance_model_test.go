package zookeeper_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/zookeeper"
	"lockquake/sim/zookeeper/client"
	"lockquake/sim/zookeeper/wire"
)

// model runs a sequence in a simulated world.
type model struct {
	*notes
	world   *sim.World
	driver  *sim.Worker
	opened  int
	clients map[string]*client.Client
	process map[string]*sim.Process
	timeout time.Duration
	cut     map[string]bool // the sessions whose clients are cut off
}

// runModel returns what the simulated service shows of a sequence.
func runModel(s sequence) ([]string, error) {
	m := &model{
		notes: newNotes("/root"), world: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond), Limit: time.Hour}),
		clients: map[string]*client.Client{}, process: map[string]*sim.Process{}, timeout: s.timeout, cut: map[string]bool{},
	}
	defer m.world.Close()
	e := zookeeper.NewEnsemble(m.world, layout("zk"), zookeeper.Options{Tick: tick})
	defer e.Close()
	m.driver = m.world.AddNode("driver", sim.NodeConfig{}).Process("driver").Worker("driver")
	m.driver.Go("main", func() {
		ctx := context.Background()
		root := m.open("root")
		_, err := root.Create(ctx, m.root, "", wire.Persistent)
		if err != nil {
			m.world.Fail(err)
			return
		}
		_, stat, _, _ := root.Exists(ctx, m.root, false)
		m.base = stat.Czxid
		for _, st := range s.steps {
			m.do(ctx, st)
		}
		m.world.Stop()
	})
	if err := m.world.Run(); err != nil {
		return m.lines, err
	}
	return m.lines, nil
}

func layout(names ...string) backend.Layout {
	return backend.Layout{Names: names, WallOffset: func(string) time.Duration { return 0 }, Record: func(history.Event) {}}
}

// open returns the client of a session that is open.
func (m *model) open(name string) *client.Client {
	m.opened++
	p := m.world.AddNode(fmt.Sprintf("node-%d", m.opened), sim.NodeConfig{}).Process(name)
	c := client.New(p, []string{"zk", "zk"}, client.Options{Timeout: m.timeout, Connect: dialTimeout})
	m.clients[name], m.process[name] = c, p
	c.OnEvent = func(e wire.Event) { m.event(name, e.Type, e.Path) }
	c.OnStatus = func(s client.Status) {
		switch {
		case name == "root":
		case s.Connected:
			m.names[s.Session] = fmt.Sprintf("%s%d", name, len(m.names))
			m.hear(name, "connected")
		case s.Session == 0:
			m.hear(name, "expired")
		default:
			m.hear(name, "disconnected")
		}
	}
	_, _, _, _ = c.Exists(context.Background(), "/", false)
	return c
}

func (m *model) do(ctx context.Context, st step) {
	c := m.clients[st.session]
	if c == nil && st.action != actOpen {
		return
	}
	switch st.action {
	case actOpen:
		if c == nil {
			m.open(st.session)
		}
		m.end(st, "done")
		return
	case actClose:
		if m.cut[st.session] {
			return
		}
		err := c.Close(ctx)
		delete(m.clients, st.session)
		m.hear(st.session, "disconnected")
		m.settle(ctx)
		m.end(st, "%s", word(err))
		return
	case actDrop, actCut, actHeal, actExpire:
		m.disturb(ctx, st)
		m.settle(ctx)
		m.end(st, "done")
		return
	}
	if m.cut[st.session] {
		return
	}
	text := m.request(ctx, c, st)
	m.settle(ctx)
	m.end(st, "%s", text)
}

// settle waits until the events that were sent have arrived.
func (m *model) settle(ctx context.Context) { _ = m.driver.Sleep(ctx, 5*time.Millisecond) }

func (m *model) disturb(ctx context.Context, st step) {
	p, c := m.process[st.session], m.clients[st.session]
	node := p.Node().Name()
	switch st.action {
	case actDrop:
		if m.cut[st.session] {
			return
		}
		p.ResetConns("zk")
		_ = m.driver.Sleep(ctx, time.Millisecond)
	case actCut:
		m.cut[st.session] = true
		m.driver.Go("cut", func() {
			for m.cut[st.session] { // cuts that overlap
				_ = m.world.CutLink(node, "zk", sim.CutDrop, 2*time.Millisecond)
				_ = m.world.CutLink("zk", node, sim.CutDrop, 2*time.Millisecond)
				_ = m.driver.Sleep(ctx, time.Millisecond)
			}
		})
		return
	case actExpire:
		if m.cut[st.session] {
			_ = m.driver.Sleep(ctx, m.timeout+2*tick+margin)
		}
		return
	case actHeal:
		if !m.cut[st.session] {
			return
		}
		delete(m.cut, st.session)
		_ = m.driver.Sleep(ctx, 5*time.Millisecond)
		p.ResetConns("zk")
		_ = m.driver.Sleep(ctx, time.Millisecond)
	}
	for !c.Status().Connected {
		_ = c.Status().Changed.Wait(ctx)
	}
}

func (m *model) request(ctx context.Context, c *client.Client, st step) string {
	path := m.full(st.path)
	switch wire.Kind(st.action) {
	case wire.Create:
		made, err := c.Create(ctx, path, st.data, st.mode)
		return result(err, m.short(made))
	case wire.Delete:
		return result(c.Delete(ctx, path, st.version), "done")
	case wire.SetData:
		stat, err := c.Set(ctx, path, st.data, st.version)
		return result(err, m.stat(stat))
	case wire.Exists:
		exists, stat, _, err := c.Exists(ctx, path, st.watch)
		if !exists {
			return result(err, "none")
		}
		return result(err, m.stat(stat))
	case wire.GetData:
		data, stat, _, err := c.Get(ctx, path, st.watch)
		return result(err, data+" "+m.stat(stat))
	case wire.Children:
		names, stat, _, err := c.Children(ctx, path, st.watch)
		return result(err, strings.Join(names, ",")+" "+m.stat(stat))
	case wire.Sync:
		return result(c.Sync(ctx, path), "done")
	case wire.Multi:
		var ops []wire.Op
		for _, op := range st.ops {
			op.Path = m.full(op.Path)
			ops = append(ops, op)
		}
		results, err := c.Multi(ctx, ops...)
		return m.multi(results, err)
	default:
	}
	return "no such action"
}

// multi writes the results of a multi.
func (n *notes) multi(results []wire.Result, err error) string {
	text := word(err)
	for _, r := range results {
		text += "; " + word(r.Code.Err()) + " " + n.short(r.Path)
		if r.Stat.Mzxid != 0 {
			text += " " + n.stat(r.Stat)
		}
	}
	return text
}

func result(err error, ok string) string {
	if err != nil {
		return word(err)
	}
	return ok
}

// word names an error.
func word(err error) string {
	var code wire.CodeError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &code):
		return code.Error()
	}
	return err.Error()
}
