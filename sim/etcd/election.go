package etcd

import (
	"time"

	"lockquake/history"
	"lockquake/lock/etcd"
)

// beat lets the members hear of each other at each heartbeat, and elects a leader if there is none.
// The leader ends leases.
func (c *Cluster) beat() {
	c.World.At(c.World.Time()+c.options.Heartbeat, func() {
		for _, m := range c.members {
			if !m.node.Down() {
				m.hear()
			}
		}
		c.vote()
		c.expire()
		c.beat()
	})
}

// hear notes that a member hears of its leader, or the leader of a majority. Without that it gives
// the leader up after the election timeout.
func (m *member) hear() {
	c, l := m.cluster, m.leader
	now := c.World.Time()
	switch {
	case c.leader != nil && l != c.leader && c.reaches(m, c.leader):
		c.join(m)
	case l == m && c.reached(m) >= c.majority(), l != nil && l != m && l.leader == l && c.reaches(m, l):
		m.heard = now
	case l != nil && now-m.heard > c.options.Election && c.reaches(m, m):
		m.leader = nil
		if c.leader == m {
			c.leader = nil
		}
	}
}

// reached counts the members that a member reaches, including itself.
func (c *Cluster) reached(m *member) (n int) {
	for _, other := range c.members {
		if c.reaches(m, other) {
			n++
		}
	}
	return n
}

// voters returns the members that elect m: those that know no leader.
func (c *Cluster) voters(m *member) (group []*member) {
	for _, other := range c.members {
		if other.leader == nil && c.reaches(m, other) {
			group = append(group, other)
		}
	}
	return group
}

// vote elects a leader. Each candidate waits for a random part of the election timeout before it
// asks for votes.
func (c *Cluster) vote() {
	var candidates []*member
	now := c.World.Time()
	for _, m := range c.members {
		if m.leader != nil || len(c.voters(m)) < c.majority() || now < c.noLeader {
			continue
		}
		// The voters refuse a candidate that has less than they have.
		if len(candidates) > 0 && candidates[0].view.Revision < m.view.Revision {
			candidates = nil
		}
		if len(candidates) == 0 || candidates[0].view.Revision == m.view.Revision {
			candidates = append(candidates, m)
		}
	}
	if len(candidates) > 1 {
		for i, m := range candidates {
			if m == c.deposed {
				candidates = append(candidates[:i:i], candidates[i+1:]...)
				break
			}
		}
	}
	x := c.draws.At(uint64(c.term))
	wait := time.Duration(x.Int64N(int64(c.options.Election)))
	switch {
	case len(candidates) == 0:
		c.campaign = 0
		return
	case c.campaign == 0 && c.noLeader == 0:
		c.campaign = now + wait
	}
	if now >= c.campaign {
		m := candidates[x.Int64N(int64(len(candidates)))]
		c.lead(m, c.voters(m))
		c.Layout.Record(history.Event{Type: history.Promoted, Node: m.node.Name()})
	}
}

// lead begins the term of a leader with its voters. It restarts all leases, and adds the
// election timeout to each.
func (c *Cluster) lead(m *member, voters []*member) {
	if old := c.leader; old != nil && old.leader == old && old != m {
		c.leader = nil // it will notice that itself
	}
	c.term++
	c.leader, c.deposed, c.noLeader, c.campaign = m, nil, 0, 0
	m.advance(c.store.View())
	for _, id := range c.store.Leases() {
		t := c.leases[id]
		t.begin(m, c.options.Election)
		c.locks.renewed(m, t, nil)
	}
	for _, v := range voters {
		c.join(v)
	}
}

// join makes a member follow the leader.
func (c *Cluster) join(m *member) {
	l := c.leader
	m.leader, m.heard = l, c.World.Time()
	now := c.store.View()
	c.send(l, m, func() { m.advance(now) })
	for _, p := range append([]*pending(nil), m.waiting...) {
		switch _, ttl := p.request.(*etcd.TimeToLive); {
		case p.reads && p.sent:
			p.fail(etcd.ErrLeaderChanged())
		case ttl, p.renews():
			p.sent = false
		}
		m.proceed(p)
	}
}

func (p *pending) renews() bool {
	_, ok := p.request.(*etcd.KeepAlive)
	return ok
}
