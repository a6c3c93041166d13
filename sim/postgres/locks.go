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
	shared  bool
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
	now := w.server.db.Holders(n)
	before := w.held[n]
	var kept []lockHolder
	for _, h := range before {
		if slices.ContainsFunc(now, func(o engine.Holder) bool { return o.Session == h.session && o.Shared == h.shared }) {
			kept = append(kept, h)
			continue
		}
		w.end(key, h)
	}
	for _, h := range now {
		if !slices.ContainsFunc(kept, func(o lockHolder) bool { return o.session == h.Session && o.shared == h.Shared }) {
			kept = append(kept, w.grant(key, h))
		}
	}
	if kept == nil {
		delete(w.held, n)
	} else {
		w.held[n] = kept
	}
}

// grant records a new holder.
func (w *lockWatch) grant(key string, h engine.Holder) lockHolder {
	worker, call := w.server.worker(h.Session)
	e := history.Event{Type: history.Granted, Key: key, Owner: owner(h.Session), Worker: worker, Mode: string(lock.ModeExclusive)}
	if h.Shared || w.server.options.Locks.Permits > 0 {
		e.Mode = string(lock.ModeShared)
	}
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
