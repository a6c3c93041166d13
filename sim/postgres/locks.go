package postgres

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/postgres/engine"
)

// lockWatch records who holds the advisory locks and row locks of the run.
type lockWatch struct {
	server *Server
	held   map[engine.LockName][]lockHolder
}

// lockHolder is a session that holds a lock.
type lockHolder struct {
	session *engine.Session
	shared  bool   // it has it in no other mode
	worker  string // the one that it was granted to
}

func newLockWatch(s *Server) *lockWatch {
	return &lockWatch{server: s, held: map[engine.LockName][]lockHolder{}}
}

// record returns the name of a lock's record.
func record(n engine.LockName) string {
	if n.Table != "" {
		return "row/" + n.String()
	}
	return "advisory/" + n.String()
}

// owner names a session as the holder of a lock.
func owner(s *engine.Session) string { return fmt.Sprintf("session-%d", s.PID()) }

// changed records the difference between the holders of a lock and those before.
func (w *lockWatch) changed(n engine.LockName) {
	if n.Table != "" && n.Table != "locks" && n.Table != "jobs" {
		return // no lock is a row of another table
	}
	key := w.server.options.Locks.Of(record(n))
	if key == "" {
		return
	}
	now := sessionsOf(w.server.db.Holders(n))
	before := w.held[n]
	var kept []lockHolder
	for _, h := range before {
		i := slices.IndexFunc(now, func(o engine.Holder) bool { return o.Session == h.session })
		if i < 0 {
			w.end(key, h)
			continue
		}
		if now[i].Shared != h.shared {
			h.shared = now[i].Shared
			w.changeMode(key, h)
		}
		kept = append(kept, h)
	}
	for _, h := range now {
		if !slices.ContainsFunc(kept, func(o lockHolder) bool { return o.session == h.Session }) {
			kept = append(kept, w.grant(key, h))
		}
	}
	if kept == nil {
		delete(w.held, n)
	} else {
		w.held[n] = kept
	}
}

// sessionsOf returns one holder for each session. A session that has a lock in both modes excludes all others.
func sessionsOf(holders []engine.Holder) []engine.Holder {
	list := holders[:0]
	for _, h := range holders {
		i := slices.IndexFunc(list, func(o engine.Holder) bool { return o.Session == h.Session })
		if i < 0 {
			list = append(list, h)
			continue
		}
		list[i].Shared = list[i].Shared && h.Shared
	}
	return list
}

// mode returns the mode of a grant.
func (w *lockWatch) mode(shared bool) string {
	if shared || w.server.options.Locks.Permits > 0 {
		return string(lock.ModeShared)
	}
	return string(lock.ModeExclusive)
}

// changeMode records that a session, which has a lock, now shares it or excludes others.
func (w *lockWatch) changeMode(key string, h lockHolder) {
	e := history.Event{Type: history.Renewed, Key: key, Owner: owner(h.session), Worker: h.worker, Mode: w.mode(h.shared)}
	if _, call := w.server.worker(h.session); call != nil {
		e.Request, e.Sent = call.Request, call.Sent
	}
	w.server.record(e)
}

// grant records a new holder.
func (w *lockWatch) grant(key string, h engine.Holder) lockHolder {
	worker, call := w.server.worker(h.Session)
	e := history.Event{Type: history.Granted, Key: key, Owner: owner(h.Session), Worker: worker, Mode: w.mode(h.Shared)}
	if call != nil {
		e.Request, e.Sent = call.Request, call.Sent
	}
	w.server.record(e)
	return lockHolder{h.Session, h.Shared, worker}
}

// end records the end of a grant: by a statement of its session, with the session, or with a transaction
// that has failed.
func (w *lockWatch) end(key string, h lockHolder) {
	e := history.Event{Type: history.Evicted, Key: key, Owner: owner(h.session), Worker: h.worker}
	if worker, call := w.server.worker(h.session); call != nil && !h.session.Over() && h.session.Status() != 'E' {
		e.Type, e.Worker, e.Request, e.Sent = history.Freed, worker, call.Request, call.Sent
	} else if h.session.Over() {
		e.With = "session"
	} else {
		e.With = "transaction"
	}
	w.server.record(e)
}

// crashed records that no session is left.
func (w *lockWatch) crashed() {
	var names []engine.LockName
	for n := range w.held {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b engine.LockName) int { return strings.Compare(record(a), record(b)) })
	for _, n := range names {
		for _, h := range w.held[n] {
			w.server.record(history.Event{Type: history.Evicted, Key: w.server.options.Locks.Of(record(n)), Owner: owner(h.session), Worker: h.worker, With: "session"})
		}
	}
	clear(w.held)
}

// refused records an attempt to take a lock that another session has.
func (w *lockWatch) refused(c *connection, n engine.LockName) {
	key := w.server.options.Locks.Of(record(n))
	held := w.held[n]
	if key == "" || len(held) == 0 || held[0].session == c.backend.Session {
		return
	}
	w.server.record(history.Event{
		Type: history.Refused, Key: key, Owner: owner(held[0].session), Worker: c.worker, Request: c.call.Request, Sent: c.call.Sent,
	})
}
