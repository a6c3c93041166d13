package etcd

import (
	"errors"
	"fmt"

	"lockquake/history"
	"lockquake/lock/etcd"
	"lockquake/sim/etcd/store"
)

// proceed sends a request to the leader, if the member knows one. Otherwise it waits for one.
func (m *member) proceed(p *pending) {
	l := m.leader
	if l == nil || p.done || p.sent {
		return
	}
	p.sent = true
	m.cluster.send(m, l, func() {
		if p.done {
			return // the member has given it up
		}
		switch p.request.(type) {
		case *etcd.KeepAlive, *etcd.TimeToLive:
			l.askLessor(p)
		default:
			l.propose(p)
		}
	})
}

// propose asks a majority to accept a request, and applies it then. A member that does not lead any
// more loses it.
func (m *member) propose(p *pending) {
	c := m.cluster
	if m.leader != m {
		return
	}
	term, acks := c.term, 1
	accept := func() {
		if acks++; acks == c.majority() && c.leader == m && c.term == term {
			m.commit(p)
		}
	}
	if c.majority() == 1 {
		acks = 0
		accept()
		return
	}
	for _, o := range c.members {
		if o != m {
			c.send(m, o, func() { c.send(o, m, accept) })
		}
	}
}

// commit applies a request, tells the other members, and answers it.
func (m *member) commit(p *pending) {
	c := m.cluster
	if p.reads {
		c.answer(m, p, nil, nil)
		return
	}
	before := c.store.View()
	answer, err := c.store.Apply(p.request)
	if crash, ok := errors.AsType[*store.CrashError](err); ok {
		c.World.Fail(fmt.Errorf("%s of %s: %w", p.call.Op, p.call.Worker, crash))
		return
	}
	p.apply()
	if err == nil {
		m.applied(p, answer)
	}
	now := c.store.View()
	c.locks.applied(m, p, before.Revision, now.Revision)
	for _, o := range c.members {
		if o != p.member || p.call == nil {
			c.send(m, o, func() { o.advance(now) })
		}
	}
	if p.call != nil {
		c.answer(m, p, answer, err)
	}
}

// applied keeps the clocks of leases. The member led when it began to apply the request; a fault at the point of the request may
// have ended that.
func (m *member) applied(p *pending, answer *etcd.Response) {
	c := m.cluster
	switch r := p.request.(type) {
	case *etcd.Grant:
		t := &tenure{id: answer.ID}
		c.leases[t.id] = t
		t.begin(m, 0)
		if p.call != nil {
			t.sent = p.call.Sent
		}
	case *etcd.Revoke:
		if t := c.leases[r.ID]; t != nil {
			delete(c.leases, r.ID)
			t.revoked(m)
		}
	}
}

// answer sends the answer from the leader to the member, which has then applied all that the leader
// has applied, and to the client.
func (c *Cluster) answer(l *member, p *pending, answer *etcd.Response, err error) {
	now := c.store.View()
	m := p.member
	c.send(l, m, func() {
		m.advance(now)
		if p.reads && !p.done {
			answer, err = m.read(p.request)
		}
		p.answer(answer, err)
	})
}

// cause returns why the request of p ends a grant.
func (p *pending) cause() history.Type {
	switch {
	case p.expires:
		return history.Expired
	case p.call == nil:
		return history.Evicted
	}
	return history.Freed
}

// compaction returns a request that compacts the store to its present revision.
func (c *Cluster) compaction() etcd.Request {
	return &etcd.Compact{Revision: c.store.View().Revision}
}
