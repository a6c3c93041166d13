package etcd

import (
	"path"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/lock/etcd"
	"lockquake/sim/backend"
)

// Crash ends members and starts them again after d. They keep their data, unless the crash loses it. A
// member without its data gets that of the others, like a new member. If no member is left that has
// the data, it is gone, with all leases and revisions.
func (c *Cluster) Crash(nodes []string, data faults.Data, d time.Duration) {
	c.Nodes.Crash(nodes, d, backend.Outage{
		Crash: func(name string) {
			m := c.member(name)
			m.crash()
			m.empty = m.empty || data == faults.DataLost
			if !slices.ContainsFunc(c.members, func(m *member) bool { return !m.empty }) {
				c.forget()
			}
		},
		Restart: func(name string) bool {
			c.World.Node(name).Restart()
			m := c.member(name)
			m.heard = c.World.Time()
			return true
		},
	})
}

func (c *Cluster) member(name string) *member {
	i := slices.Index(c.Names(), name)
	return c.members[i]
}

// crash ends the member. Its requests get no answer.
func (m *member) crash() {
	m.life++
	for _, p := range m.waiting {
		p.done = true
		p.timer.Stop()
	}
	m.waiting, m.watches, m.syncing = nil, nil, false
	if m.cluster.leader == m {
		m.cluster.leader = nil
	}
	m.leader = nil
	m.node.Crash()
}

// forget empties the store: no member has its data any more.
func (c *Cluster) forget() {
	c.locks.lost()
	c.store = c.store.Emptied()
	clear(c.leases)
	for _, m := range c.members {
		m.view, m.empty = c.store.View(), false
	}
}

// ChangeLeader implements backend.Elector.
func (c *Cluster) ChangeLeader(d time.Duration) {
	c.deposed = c.leader
	c.leader = nil
	c.noLeader = c.World.Time() + d
	for _, m := range c.members {
		m.leader = nil
	}
	c.campaign = c.noLeader
	c.World.At(c.noLeader, c.vote)
}

// Delete deletes the keys that match a pattern, or those of all locks, as a third party does. It
// returns their names. It deletes nothing without a leader.
func (c *Cluster) Delete(_, pattern string) []string {
	l := c.leader
	if l == nil {
		return nil
	}
	all, err := c.store.Range(&etcd.Range{Keys: etcd.Keys{Key: "\x00", End: etcd.FromKey}}, c.store.View())
	if err != nil {
		return nil
	}
	var gone []string
	for _, kv := range all.KVs {
		name := c.options.Locks.Of(recordOf(kv.Key))
		matches, _ := path.Match(pattern, kv.Key)
		if fits, _ := path.Match(pattern, name); name != "" && (pattern == "" || fits) || matches {
			gone = append(gone, kv.Key)
			l.commit(&pending{member: l, request: &etcd.Delete{Keys: etcd.Keys{Key: kv.Key}}})
		}
	}
	return gone
}

// Refuses implements backend.Refuser.
func (*Cluster) Refuses() []faults.Code {
	return []faults.Code{faults.CodeThrottled, faults.CodeUnavailable}
}

// Refuse implements backend.Refuser.
func (c *Cluster) Refuse(node string, with faults.Code) {
	m := c.member(node)
	m.refuses = append(m.refuses, with)
}

// Accept implements backend.Refuser.
func (c *Cluster) Accept(node string, with faults.Code) {
	m := c.member(node)
	if i := slices.Index(m.refuses, with); i >= 0 {
		m.refuses = slices.Delete(m.refuses, i, i+1)
	}
}

// refusal returns the error with which the member refuses all requests now.
func (m *member) refusal() error {
	switch {
	case len(m.refuses) == 0:
		return nil
	case m.refuses[0] == faults.CodeThrottled:
		return etcd.ErrTooManyRequests()
	}
	return etcd.ErrStopped()
}
