package etcd

import (
	"fmt"
	"time"

	"lockquake/faults"
	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/etcd/store"
	"lockquake/sim/etcd/wire"
)

// member is an etcd server of the cluster.
type member struct {
	cluster *Cluster
	node    *sim.Node
	life    int        // incremented by a crash
	view    store.View // what it has applied
	leader  *member    // whom it follows, perhaps itself; nil: it knows no leader
	heard   time.Duration
	waiting []*pending    // requests without an answer, in order
	watches []*watch      // in the order of their creation
	syncing bool          // a timer will bring watches up to date
	refuses []faults.Code // for a while
	empty   bool          // it has lost its data
}

var (
	_ sim.Server = (*member)(nil)
	_ sim.Failer = (*member)(nil)
)

// pending is a request that a member has not answered yet.
type pending struct {
	member  *member
	request etcd.Request
	call    *sim.Call // nil: the cluster itself asks
	sent    bool      // to the leader
	reads   bool      // it changes nothing
	expires bool      // it revokes a lease whose time is over
	applied bool      // its effect has been recorded
	done    bool
	timer   *sim.MonoTimer
}

// Serve implements sim.Server.
func (m *member) Serve(c *sim.Call) {
	req, ok := c.Req.(*wire.Request)
	if !ok {
		panic(fmt.Sprintf("etcd: a request of type %T", c.Req))
	}
	if c.DropCopy() {
		return
	}
	if err := m.refusal(); err != nil {
		m.reply(c, nil, err)
		return
	}
	switch r := req.Request.(type) {
	case nil:
		m.watch(c, req.Watch)
	case *etcd.Leases:
		m.reply(c, &etcd.Response{Revision: m.view.Revision, IDs: m.cluster.store.Leases()}, nil)
	case *etcd.KeepAlive, *etcd.TimeToLive:
		m.add(&pending{member: m, request: r, call: c})
	default:
		m.serveKeys(c, r)
	}
}

// serveKeys answers a request about keys, or one that changes leases.
func (m *member) serveKeys(c *sim.Call, r etcd.Request) {
	if err := store.Check(r); err != nil {
		m.reply(c, nil, err)
		return
	}
	reads, local := readOnly(r)
	if local {
		answer, err := m.read(r)
		m.reply(c, answer, err)
		return
	}
	m.add(&pending{member: m, request: r, call: c, reads: reads})
}

// readOnly reports whether a request changes nothing, and whether the member can answer it without
// the others.
func readOnly(r etcd.Request) (reads, local bool) {
	switch r := r.(type) {
	case *etcd.Range:
		return true, r.Serializable
	case *etcd.Txn:
		local = true
		for _, ops := range [][]etcd.Request{r.Then, r.Else} {
			for _, op := range ops {
				read, ok := op.(*etcd.Range)
				if !ok {
					return false, false
				}
				local = local && read.Serializable
			}
		}
		return true, local
	}
	return false, false
}

// read answers a request that changes nothing from what the member has applied.
func (m *member) read(r etcd.Request) (*etcd.Response, error) {
	return m.cluster.store.Read(r, m.view)
}

// reply answers a call.
func (m *member) reply(c *sim.Call, answer *etcd.Response, err error) {
	c.Applied()
	c.Reply(&wire.Reply{Response: answer, Err: err})
}

// add begins a request that needs the leader.
func (m *member) add(p *pending) {
	m.waiting = append(m.waiting, p)
	p.timer = m.node.After(m.cluster.requestTimeout(), func() { p.fail(m.timeout(p)) })
	m.proceed(p)
}

// timeout returns the error of a request that got no answer in time.
func (m *member) timeout(p *pending) error {
	switch p.request.(type) {
	case *etcd.KeepAlive, *etcd.TimeToLive:
		if m.leader == nil {
			return etcd.ErrNoLeader()
		}
	}
	return etcd.ErrTimeout()
}

// fail answers a request that has not taken effect with an error. It still may take effect.
func (p *pending) fail(err error) {
	if p.end() {
		p.call.Reply(&wire.Reply{Err: err})
	}
}

// answer answers a request whose outcome is certain, unless it has been answered.
func (p *pending) answer(answer *etcd.Response, err error) {
	if p.end() {
		p.apply()
		p.call.Reply(&wire.Reply{Response: answer, Err: err})
	}
}

// apply records that the request has taken effect, or was refused for good.
func (p *pending) apply() {
	if p.call != nil && !p.applied {
		p.applied = true
		p.call.Applied()
	}
}

// end removes a request from those that wait. It reports whether a client waits for the answer.
func (p *pending) end() bool {
	if p.done {
		return false
	}
	p.done = true
	if p.call == nil {
		return false
	}
	p.timer.Stop()
	for i, other := range p.member.waiting {
		if other == p {
			p.member.waiting = append(p.member.waiting[:i:i], p.member.waiting[i+1:]...)
			break
		}
	}
	return true
}

// Fail implements sim.Failer. The text is the message of an error that may be over soon.
func (m *member) Fail(c *sim.Call, text string) {
	c.Reply(&wire.Reply{Err: &etcd.Error{Code: "Unavailable", Message: text}})
}
