package zookeeper

import (
	"cmp"
	"slices"
	"time"

	"lockquake/sim"
	"lockquake/sim/zookeeper/tree"
)

// SessionTimeout returns the session timeout that a server grants: 2 to 20 ticks.
func SessionTimeout(asked, tick time.Duration) time.Duration {
	const least, most = 2, 20
	return min(max(asked, least*tick), most*tick)
}

// sessions has the sessions as the leader tracks them.
type sessions struct {
	leadership *leadership
	list       []*tracked // in the order of their IDs
	phase      time.Duration
	timer      *sim.MonoTimer // nil: none is armed
	due        time.Duration  // when it fires
}

// tracked is a session.
type tracked struct {
	id      int64
	timeout time.Duration
	expiry  time.Duration // by the monotonic clock of the leader
	owner   *member       // the member that its client uses; nil: it has not shown itself yet
}

// uses reports whether the client of a session uses this member. The first one that it uses is its
// member.
func (t *tracked) uses(m *member) bool {
	if t.owner == nil {
		t.owner = m
	}
	return t.owner == m
}

func (s *sessions) find(id int64) *tracked {
	for _, t := range s.list {
		if t.id == id {
			return t
		}
	}
	return nil
}

// add tracks a session from now on.
func (s *sessions) add(id int64, timeout time.Duration, owner *member) {
	s.list = append(s.list, &tracked{id: id, timeout: timeout, owner: owner})
	slices.SortFunc(s.list, func(a, b *tracked) int { return cmp.Compare(a.id, b.id) })
	s.touch(id)
}

func (s *sessions) remove(id int64) {
	s.list = slices.DeleteFunc(s.list, func(t *tracked) bool { return t.id == id })
}

// touch moves the expiry of a session to the first tick after its timeout.
func (s *sessions) touch(id int64) {
	t := s.find(id)
	if t == nil {
		return
	}
	tick := s.leadership.ensemble.options.Tick
	end := s.leadership.member.node.Mono() + t.timeout + s.phase
	t.expiry = max(t.expiry, (end/tick+1)*tick-s.phase)
	s.arm()
}

// arm sets the timer for the first expiry.
func (s *sessions) arm() {
	if len(s.list) == 0 {
		return
	}
	first := slices.MinFunc(s.list, func(a, b *tracked) int { return cmp.Compare(a.expiry, b.expiry) })
	if s.timer != nil {
		if s.due <= first.expiry {
			return
		}
		s.timer.Stop()
	}
	node := s.leadership.member.node
	s.due = first.expiry
	s.timer = node.After(first.expiry-node.Mono(), func() {
		s.timer = nil
		if l := s.leadership; l.member.leader == l && l.member.term == l.term {
			s.expire()
			s.arm()
		}
	})
}

// expire closes the sessions that have timed out.
func (s *sessions) expire() {
	l := s.leadership
	for _, t := range slices.Clone(s.list) {
		if t.expiry > l.member.node.Mono() {
			continue
		}
		s.remove(t.id)
		x := l.next(t.id)
		l.ahead.PrepareClose(x)
		l.propose(&proposal{txn: x, expired: true})
	}
}

// open opens a session for a client of a member.
func (l *leadership) open(p *pending, timeout time.Duration) {
	e, m := l.ensemble, p.conn.member
	e.opened++
	const memberShift = 56
	x := l.next(int64(m.id)<<memberShift | e.opened)
	pick := e.World.Source().Stream("session", e.Layout.Names[0]).At(uint64(e.opened))
	l.ahead.PrepareOpen(x, tree.Opening{Timeout: timeout, Password: uint64(pick.Int64N(1<<62)) + 1})
	l.sessions.add(x.Session, timeout, m)
	l.propose(&proposal{txn: x, from: p})
}

// revalidate reports whether a session exists, and makes the member that of its client.
func (l *leadership) revalidate(id int64, m *member) bool {
	t := l.sessions.find(id)
	if t == nil {
		return false
	}
	t.owner = m
	l.sessions.touch(id)
	return true
}
