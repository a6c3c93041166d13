package zookeeper

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
)

// electionTime is the time from the loss of a leader until the members have agreed on another one.
// Fast leader election waits for 200 ms for a better vote (FastLeaderElection.finalizeWait).
const electionTime = 250 * time.Millisecond

// vote schedules an election.
func (e *Ensemble) vote() {
	if e.voting {
		return
	}
	e.voting = true
	e.World.At(max(e.World.Time()+electionTime, e.noLeader), func() {
		e.voting = false
		e.elect()
		if slices.ContainsFunc(e.members, func(m *member) bool { return m.leader == nil && !m.node.Down() }) {
			e.vote()
		}
	})
}

// elect lets the members without a leader join the present one, or elect one of them.
func (e *Ensemble) elect() {
	if e.World.Time() < e.noLeader {
		return
	}
	var looking []*member
	for _, m := range e.members {
		if m.leader != nil || m.node.Down() {
			continue
		}
		if l := e.reachable(m); l != nil {
			l.join(m)
			continue
		}
		looking = append(looking, m)
	}
	slices.SortFunc(looking, func(a, b *member) int {
		return cmp.Or(cmp.Compare(b.last(), a.last()), cmp.Compare(b.id, a.id))
	})
	if !e.electOf(looking, e.deposed) {
		e.electOf(looking, nil)
	}
}

// electOf elects the first of these members, which are in the order of their votes, that reaches a
// majority, but not the one to pass over. A member that is elected has every transaction that one of its
// majority has. It reports whether there is one.
func (e *Ensemble) electOf(looking []*member, passOver *member) bool {
	for _, m := range looking {
		var group []*member
		latest := true
		for _, other := range looking {
			if e.World.Reaches(m.node, other.node) {
				group = append(group, other)
				latest = latest && other.last() <= m.last()
			}
		}
		if m != passOver && latest && len(group) >= e.majority() {
			e.begin(m, group)
			return true
		}
	}
	return false
}

// reachable returns the leadership that a member can join.
func (e *Ensemble) reachable(m *member) *leadership {
	for _, other := range e.members {
		if l := other.leader; l != nil && l.member == other && l.active && e.World.Reaches(m.node, other.node) {
			return l
		}
	}
	return nil
}

// begin begins the leadership of a member with those that have elected it. The transactions that it
// has accepted are proposals of the new leader.
func (e *Ensemble) begin(m *member, group []*member) {
	first := e.epoch == 0
	e.epoch++
	e.deposed = nil
	m.term++
	const epochShift = 32
	l := &leadership{ensemble: e, member: m, term: m.term, zxid: e.epoch << epochShift, ahead: m.tree.Clone(), outstanding: slices.Clone(m.tail)}
	for _, p := range m.tail {
		l.ahead.Apply(p.txn)
	}
	draws := e.World.Source().Stream("tick", m.node.Name()).At(uint64(e.epoch))
	l.sessions = sessions{leadership: l, phase: time.Duration(draws.Int64N(int64(e.options.Tick)))}
	m.leader = l
	for _, other := range group {
		switch {
		case other == m:
		case first: // the ensemble starts together
			other.term++
			other.leader, other.serving = l, true
			l.followers = append(l.followers, &follower{member: other, acked: l.zxid})
			other.watchLeader()
		default:
			l.join(other)
		}
	}
	l.beat()
	l.activate()
	if !first {
		e.Layout.Record(history.Event{Type: history.Promoted, Node: m.node.Name()})
	}
}

// join makes a member follow the leader. It gets all data first.
func (l *leadership) join(m *member) {
	m.term++
	m.leader, m.heard = l, m.node.Mono()
	l.followers = slices.DeleteFunc(l.followers, func(f *follower) bool { return f.member == m })
	f := &follower{member: m, heard: l.member.node.Mono()}
	l.followers = append(l.followers, f)
	data, tail, last := l.member.tree.Clone(), slices.Clone(l.member.tail), l.zxid
	l.send(l.member, m, func() {
		m.heard = m.node.Mono()
		m.setTree(data)
		m.tail = tail
		l.send(m, l.member, func() { l.ack(f, last) })
	})
	m.watchLeader()
}

// activate lets the leader serve when a majority has its data. It restarts the timeouts of all
// sessions.
func (l *leadership) activate() {
	if l.active || l.supported(0) < l.ensemble.majority() {
		return
	}
	l.active = true
	for _, id := range l.ahead.Sessions() {
		timeout, _, _ := l.ahead.Session(id)
		l.sessions.add(id, timeout, nil)
	}
	l.member.serve()
	l.commit()
	for _, f := range l.followers {
		if f.acked > 0 && !f.member.serving {
			l.send(l.member, f.member, f.member.serve)
		}
	}
}
