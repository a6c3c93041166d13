package zookeeper

import (
	"slices"
	"time"

	"lockquake/sim/zookeeper/tree"
	"lockquake/sim/zookeeper/wire"
)

// leadership is the time of one leader.
type leadership struct {
	ensemble  *Ensemble
	member    *member
	term      int // of the member
	followers []*follower
	active    bool // a majority follows, so clients are served

	zxid        int64      // of the last proposal
	ahead       *tree.Tree // with all proposals
	outstanding []*proposal
	sessions    sessions
}

// follower is a follower as its leader knows it.
type follower struct {
	member *member
	acked  int64         // the last transaction that it has accepted; 0: it has not got the data yet
	heard  time.Duration // by the monotonic clock of the leader
}

// proposal is a transaction that is not committed everywhere.
type proposal struct {
	txn     *tree.Txn
	from    *pending   // the request; nil: the leader itself
	syncs   []*pending // to be answered when it is committed
	expired bool       // it closes a session that has timed out
}

// send sends a message within the leadership. A receiver that has left it ignores the message.
func (l *leadership) send(from, to *member, do func()) {
	term := to.term
	l.ensemble.World.Deliver(from.node, to.node, func() {
		if to.leader == l && to.term == term && !to.node.Down() {
			do()
		}
	})
}

// forward lets the leader handle something of a member: at once if the member leads.
func (l *leadership) forward(from *member, do func(l *leadership)) {
	if from == l.member {
		do(l)
		return
	}
	l.send(from, l.member, func() { do(l) })
}

// back lets a member handle an answer of the leader.
func (l *leadership) back(to *member, do func()) {
	if to == l.member {
		do()
		return
	}
	l.send(l.member, to, do)
}

// next returns a new transaction of a session.
func (l *leadership) next(session int64) *tree.Txn {
	l.zxid++
	return &tree.Txn{Zxid: l.zxid, Time: l.member.node.Now().UnixMilli(), Session: session}
}

// request makes a transaction of a request that writes, and proposes it. A request through a member
// that the session has left is refused.
func (l *leadership) request(p *pending) {
	x := l.next(p.conn.id)
	if s := l.sessions.find(x.Session); s != nil && !s.uses(p.conn.member) {
		x.Code = wire.ErrSessionMoved
	} else {
		l.ahead.Prepare(x, p.req)
	}
	if x.Closes {
		l.sessions.remove(x.Session)
	}
	l.propose(&proposal{txn: x, from: p})
}

// propose sends a transaction to the followers.
func (l *leadership) propose(p *proposal) {
	l.outstanding = append(l.outstanding, p)
	l.member.tail = append(l.member.tail, p)
	for _, f := range l.followers {
		l.send(l.member, f.member, func() { f.member.accept(l, f, p) })
	}
	l.commit()
}

// ack notes that a follower has accepted all transactions up to zxid.
func (l *leadership) ack(f *follower, zxid int64) {
	f.acked, f.heard = max(f.acked, zxid), l.member.node.Mono()
	if !l.active {
		l.activate()
	} else if f.member.leader == l && !f.member.serving {
		l.send(l.member, f.member, f.member.serve)
	}
	l.commit()
}

// supported returns the number of members, the leader included, that have accepted all transactions up
// to zxid.
func (l *leadership) supported(zxid int64) int {
	n := 1
	for _, f := range l.followers {
		if f.acked > 0 && f.acked >= zxid {
			n++
		}
	}
	return n
}

// commit commits the transactions that a majority has accepted, in their order.
func (l *leadership) commit() {
	for l.active && len(l.outstanding) > 0 && l.supported(l.outstanding[0].txn.Zxid) >= l.ensemble.majority() {
		p := l.outstanding[0]
		l.outstanding = l.outstanding[1:]
		if p.from != nil {
			if p.from.call.Applied(); l.member.leader != l { // a fault at this point has ended the leadership; the next leader commits it
				return
			}
		}
		// Followers get it before the answers to syncs.
		for _, f := range l.followers {
			l.send(l.member, f.member, func() { f.member.committed(p) })
		}
		l.member.apply(p)
		l.ensemble.locks.committed(p, l.member.tree)
		for _, s := range p.syncs {
			l.answerSync(s)
		}
	}
}

// sync answers a sync when all that was proposed before is committed.
func (l *leadership) sync(p *pending) {
	if n := len(l.outstanding); n > 0 {
		last := l.outstanding[n-1]
		last.syncs = append(last.syncs, p)
		return
	}
	l.answerSync(p)
}

func (l *leadership) answerSync(p *pending) {
	m := p.conn.member
	l.back(m, func() {
		m.caughtUp(func() {
			p.call.Applied()
			p.finish(&wire.Reply{Zxid: m.tree.Zxid(), Path: p.req.Path})
		})
	})
}

// remove removes a follower that has left.
func (l *leadership) remove(f *follower) {
	l.followers = slices.DeleteFunc(l.followers, func(other *follower) bool { return other == f })
}

// beat pings the followers twice a tick, and ends the leadership if no majority answers.
func (l *leadership) beat() {
	m, o := l.member, l.ensemble.options
	m.node.After(o.Tick/2, func() {
		if m.leader != l || m.term != l.term {
			return
		}
		limit := time.Duration(o.SyncLimit) * o.Tick
		live := 1
		for _, f := range l.followers {
			if m.node.Mono()-f.heard <= limit {
				live++
			}
			l.send(m, f.member, func() { f.member.pinged(l, f) })
		}
		if live < l.ensemble.majority() {
			m.look()
			return
		}
		l.beat()
	})
}
