package zookeeper

import (
	"slices"
	"time"
)

// accept handles a proposal of the leader.
func (m *member) accept(l *leadership, f *follower, p *proposal) {
	m.heard = m.node.Mono()
	m.tail = append(m.tail, p)
	l.send(m, l.member, func() { l.ack(f, p.txn.Zxid) })
}

// committed handles a commit. A follower may apply it late.
func (m *member) committed(p *proposal) {
	m.heard = m.node.Mono()
	m.caughtUp(func() { m.apply(p) })
}

// caughtUp calls do when the member has applied all that was committed before. A follower that lags
// does so later.
func (m *member) caughtUp(do func()) {
	if len(m.late) == 0 && (m.behind == 0 || m.leads()) {
		do()
		return
	}
	m.late = append(m.late, do)
	term := m.term
	m.due = max(m.due, m.ensemble.World.Time()+m.behind)
	m.ensemble.World.At(m.due, func() {
		m.node.WhenAwake(func() {
			if m.term == term {
				first := m.late[0]
				m.late = m.late[1:]
				first()
			}
		})
	})
}

// pinged answers a ping of the leader with the sessions that the member has heard from.
func (m *member) pinged(l *leadership, f *follower) {
	m.heard = m.node.Mono()
	touched := m.touched
	m.touched = nil
	l.send(m, l.member, func() {
		f.heard = l.member.node.Mono()
		for _, id := range touched {
			l.sessions.touch(id)
		}
	})
}

// touch notes that a client has been heard from.
func (m *member) touch(id int64) {
	switch {
	case m.leads():
		m.leader.sessions.touch(id)
	case !slices.Contains(m.touched, id):
		m.touched = append(m.touched, id)
	}
}

// watchLeader leaves a leader that is silent for too long.
func (m *member) watchLeader() {
	o, term := m.ensemble.options, m.term
	limit := time.Duration(o.SyncLimit) * o.Tick
	m.node.After(max(limit-(m.node.Mono()-m.heard), time.Millisecond), func() {
		switch {
		case m.term != term:
		case m.node.Mono()-m.heard >= limit:
			m.look()
		default:
			m.watchLeader()
		}
	})
}

// serve lets clients use the member.
func (m *member) serve() {
	m.heard = m.node.Mono()
	m.serving = true
}
