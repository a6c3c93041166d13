package etcd

import (
	"slices"
	"time"

	"lockquake/lock/etcd"
	"lockquake/sim"
	"lockquake/sim/etcd/store"
	"lockquake/sim/etcd/wire"
)

// watch is a watch that a member serves.
type watch struct {
	etcd.Watch
	session *sim.Session
	next    int64 // the first revision that it has not got
	synced  bool  // it has got all changes so far
}

// syncPeriod is the period with which a member brings those watches up to date that began in the past.
const syncPeriod = 100 * time.Millisecond

// watch begins a watch.
func (m *member) watch(c *sim.Call, r *etcd.Watch) {
	w := &watch{Watch: *r, session: c.Session, next: r.Revision}
	if w.Key == "" {
		w.Key = "\x00" // the smallest key
	}
	created := &etcd.Changes{Revision: m.view.Revision}
	c.Applied()
	if w.End != "" && w.End != etcd.FromKey && w.Key >= w.End {
		created.Ended, created.Reason = true, "mvcc: watcher range is empty"
		c.Reply(&wire.Reply{Changes: created})
		return
	}
	if w.next == 0 {
		w.next = m.view.Revision + 1
	}
	w.synced = w.next > m.view.Revision
	m.watches = append(m.watches, w)
	c.Reply(&wire.Reply{Changes: created})
	m.syncLater()
}

// syncLater brings watches up to date at the end of the period.
func (m *member) syncLater() {
	if m.syncing || !slices.ContainsFunc(m.watches, func(w *watch) bool { return !w.synced }) {
		return
	}
	m.syncing = true
	life := m.life
	m.node.After(syncPeriod-m.node.Mono()%syncPeriod, func() {
		m.syncing = false
		if life == m.life {
			m.sync()
		}
	})
}

// sync brings watches up to date. A watch whose next revision was compacted ends.
func (m *member) sync() {
	m.watches = slices.DeleteFunc(m.watches, func(w *watch) bool {
		switch {
		case w.synced:
			return false
		case w.next < m.view.Compacted:
			w.send(&etcd.Changes{Compacted: m.view.Compacted, Ended: true})
			return true
		}
		w.synced = true
		m.notify(w, m.view.Revision)
		return false
	})
}

// notify sends a watch the changes up to a revision.
func (m *member) notify(w *watch, to int64) {
	if events := m.cluster.store.Changes(&w.Watch, w.next, to, m.view.Compacted); len(events) > 0 {
		w.send(&etcd.Changes{Revision: to, Events: events})
	}
	w.next = max(w.next, to+1)
}

func (w *watch) send(c *etcd.Changes) { w.session.Push("event", &wire.Reply{Changes: c}) }

// advance applies what the leader has committed up to a view. Each revision is a message of its own.
func (m *member) advance(v store.View) {
	for rev := m.view.Revision + 1; rev <= v.Revision; rev++ {
		m.view.Revision = rev
		for _, w := range m.watches {
			if w.synced && w.next <= rev {
				m.notify(w, rev)
			}
		}
	}
	m.view.Compacted = max(m.view.Compacted, v.Compacted)
}

// Closed implements sim.Server.
func (m *member) Closed(s *sim.Session, _ error) {
	m.watches = slices.DeleteFunc(m.watches, func(w *watch) bool { return w.session == s })
}
