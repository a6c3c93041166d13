package etcd

import (
	"maps"
	"slices"
	"time"

	"lockquake/lock/etcd"
)

// tenure is the time of a lease, by the clocks of the leader.
type tenure struct {
	id       int64
	due      time.Duration // on the monotonic clock
	wall     time.Time     // on the wall clock; the lease ends when both have passed
	ending   int           // the term in which the leader has asked to revoke it
	sent     time.Duration // when the last request that renewed it was sent, in true time
	blocked  []*pending    // renewals that wait for its end
	duration time.Duration
}

// lessorPeriod is the period with which the leader looks for leases that are over.
const lessorPeriod = 500 * time.Millisecond

// begin starts the lease again. It lasts for its TTL and extra.
func (t *tenure) begin(l *member, extra time.Duration) {
	t.duration = time.Duration(l.cluster.store.TTL(t.id))*time.Second + extra
	t.due = l.node.Mono() + t.duration
	t.wall = l.node.Now().Add(t.duration)
	t.ending = 0
}

// over reports whether the time of the lease is over.
func (t *tenure) over(l *member) bool { return l.node.Mono() >= t.due }

// until returns the true time at which the lease is over, if nothing renews it.
func (t *tenure) until(l *member) time.Duration {
	return l.cluster.World.Time() + max(t.due-l.node.Mono(), 0)
}

// expire lets each leader revoke the leases that are over.
func (c *Cluster) expire() {
	now := c.World.Time()
	l := c.leader
	// Each member has a loop of its own, which begins with it.
	if l == nil || l.leader != l || !c.reaches(l, l) || now/lessorPeriod == (now-c.options.Heartbeat)/lessorPeriod {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(c.leases)) {
		t := c.leases[id]
		if t.over(l) && !l.node.Now().Before(t.wall) && t.ending != c.term {
			t.ending = c.term
			l.propose(&pending{member: l, request: &etcd.Revoke{ID: id}, expires: true})
		}
	}
}

// revoked answers the renewals that have waited for the end of the lease, which a member has revoked.
func (t *tenure) revoked(m *member) {
	c := m.cluster
	for _, p := range t.blocked {
		c.lessorAnswer(m, p, &etcd.Response{Revision: c.store.View().Revision, ID: t.id})
	}
	t.blocked = nil
}

// askLessor answers a request about a lease, as the leader. It does not ask the other members, so a
// leader that has lost them renews leases until it notices that. A renewal of a lease whose time is
// over waits until it is revoked.
func (m *member) askLessor(p *pending) {
	c := m.cluster
	if m.leader != m {
		return
	}
	switch r := p.request.(type) {
	case *etcd.KeepAlive:
		t := c.leases[r.ID]
		answer := &etcd.Response{Revision: m.view.Revision, ID: r.ID}
		switch {
		case t == nil:
		case c.leader == m && t.over(m):
			t.blocked = append(t.blocked, p)
			return
		default:
			answer.TTL = c.store.TTL(r.ID)
			if c.leader == m {
				t.begin(m, 0)
				t.sent = p.call.Sent
				p.apply()
				c.locks.renewed(m, t, p)
			}
		}
		c.lessorAnswer(m, p, answer)
	case *etcd.TimeToLive:
		answer := &etcd.Response{Revision: m.view.Revision, ID: r.ID, TTL: -1}
		if t := c.leases[r.ID]; t != nil {
			answer.TTL, answer.Granted = int64((t.due-m.node.Mono())/time.Second), c.store.TTL(r.ID)
			if r.Keys {
				answer.Keys = c.store.KeysOf(r.ID)
			}
		}
		c.lessorAnswer(m, p, answer)
	}
}

// lessorAnswer sends the answer of a leader to the member that was asked, and to the client.
func (c *Cluster) lessorAnswer(l *member, p *pending, answer *etcd.Response) {
	c.send(l, p.member, func() { p.answer(answer, nil) })
}

// Longest returns the longest time for which a lease of a TTL lasts without a renewal.
func (c *Cluster) Longest(ttl time.Duration) time.Duration {
	seconds := max((ttl+time.Second-1)/time.Second, time.Duration(c.minTTL()))
	return seconds*time.Second + c.options.Election + lessorPeriod
}
