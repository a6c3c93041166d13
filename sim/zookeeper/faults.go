package zookeeper

import (
	"path"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/sim/backend"
	"lockquake/sim/zookeeper/tree"
	"lockquake/sim/zookeeper/wire"
)

// Crash ends the members on these nodes and starts them again after d. A member keeps what it has
// accepted, unless its data is lost. Sessions outlast the crash of a member.
func (e *Ensemble) Crash(nodes []string, data faults.Data, d time.Duration) {
	e.Nodes.Crash(nodes, d, backend.Outage{
		Crash: func(name string) {
			m := e.member(name)
			m.leave()
			m.node.Crash()
			if data == faults.DataLost {
				m.setTree(tree.New())
				m.tail = nil
				e.forget()
			}
		},
		Restart: func(name string) bool {
			e.World.Node(name).Restart()
			e.vote()
			return true
		},
	})
}

// forget records the end of all grants if no member has any data.
func (e *Ensemble) forget() {
	for _, m := range e.members {
		if m.last() > 0 {
			return
		}
	}
	e.locks.lost()
}

// ChangeLeader leaves the ensemble without a leader for d. Then another member leads.
func (e *Ensemble) ChangeLeader(d time.Duration) {
	e.noLeader = max(e.noLeader, e.World.Time()+d)
	for _, m := range e.members {
		if m.leads() && len(e.members) > 1 {
			e.deposed = m
		}
	}
	for _, m := range e.members {
		if m.leader != nil {
			m.look()
		}
	}
}

// SetStale makes a follower apply transactions late by that time; 0 ends it. It makes no difference to
// a leader.
func (e *Ensemble) SetStale(node string, by time.Duration) { e.member(node).behind = by }

// Delete deletes the znodes of contenders as an administrator does: those whose path matches the
// pattern, or those of all locks if that is "". It returns their paths, none if there is no leader.
func (e *Ensemble) Delete(_, pattern string) []string {
	l := e.leader()
	if l == nil {
		return nil
	}
	var paths []string
	for key := range e.locks.made {
		matches, _ := path.Match(pattern, key)
		if _, ok := l.ahead.Stat(key); ok && (pattern == "" || matches) {
			paths = append(paths, key)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		l.deleteAsAdmin(p)
	}
	return paths
}

// deleteAsAdmin deletes a znode in a session of its own.
func (l *leadership) deleteAsAdmin(znode string) {
	e := l.ensemble
	e.opened++
	x := l.next(e.opened)
	l.ahead.PrepareOpen(x, tree.Opening{Timeout: e.options.Tick})
	l.propose(&proposal{txn: x})
	y := l.next(x.Session)
	l.ahead.Prepare(y, &wire.Request{Op: wire.Op{Kind: wire.Delete, Path: znode, Version: -1}})
	l.propose(&proposal{txn: y})
	z := l.next(x.Session)
	l.ahead.PrepareClose(z)
	l.propose(&proposal{txn: z})
}
