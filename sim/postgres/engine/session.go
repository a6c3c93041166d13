package engine

import (
	"iter"
	"time"

	"lockquake/sim/postgres/sql"
)

// Session is a connection as the database sees it. One statement runs at a time.
type Session struct {
	db   *Database
	pid  int
	over bool

	// A statement runs on the session's coroutine, and parks it while it waits.
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	job    job
	busy   bool
	result *Result

	interrupted error // ends the statement under way
	gone        bool  // the client is gone: nobody reads the result

	txn     *transaction
	spare   *transaction // one that has ended and that nothing refers to
	failed  bool         // in a transaction that has failed
	grouped bool         // see Group

	snapshot int64 // the last commit that the statement or transaction sees; none if negative
	started  time.Time
	holds    []*hold

	awaits    *lock
	want      mode
	wantLevel level

	settings settings // those in force
	kept     settings // those in force after the transaction
	before   settings // kept, before the transaction

	stopStatement, stopIdle func()
}

// job is a statement to run.
type job struct {
	statement *Statement
	args      []any
	tag       int64
	done      func(*Result)
}

// PID returns the number of the session's process.
func (s *Session) PID() int { return s.pid }

// Over reports whether the session has ended.
func (s *Session) Over() bool { return s.over }

// Status returns 'I' outside of a transaction, 'T' in one, and 'E' in one that has failed.
func (s *Session) Status() byte {
	switch {
	case s.failed:
		return 'E'
	case s.txn != nil && s.txn.explicit:
		return 'T'
	}
	return 'I'
}

// Execute runs a statement. It calls done with the result once, at once or later. The tag marks the changes of the statement,
// see [Change]. No other statement of the session may be under way.
func (s *Session) Execute(st *Statement, args []any, tag int64, done func(*Result)) {
	if s.busy {
		panic("engine: a session runs one statement at a time")
	}
	if s.over {
		done(&Result{Err: &Error{Severity: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command"}})
		return
	}
	s.job = job{st, args, tag, done}
	s.busy = true
	s.stopTimer(&s.stopIdle)
	s.db.ready(s)
	s.db.run()
}

// Cancel ends the statement under way with SQLSTATE 57014, as a cancel request does. It does nothing to an idle session.
func (s *Session) Cancel() {
	s.interrupt(sql.Errorf("57014", "canceling statement due to user request"))
	s.db.run()
}

// Terminate ends the session with SQLSTATE 57P01, as pg_terminate_backend does.
func (s *Session) Terminate() {
	s.kill(&Error{Severity: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command"})
	s.db.run()
}

// Close ends the session because its client is gone. The result of a statement under way is lost: its done is not called.
func (s *Session) Close() {
	s.gone = true
	s.kill(&Error{Severity: "FATAL", Code: "08006", Message: "connection to client lost"})
	s.db.run()
}

// kill ends the session with a fatal error.
func (s *Session) kill(err *Error) {
	switch {
	case s.over:
	case s.busy:
		s.interrupt(err)
	default:
		s.end(err)
	}
}

// interrupt ends the statement under way with an error, if there is one.
func (s *Session) interrupt(err error) {
	if !s.busy {
		return
	}
	if s.interrupted == nil || severity(err) == "FATAL" {
		s.interrupted = err
	}
	s.leaveQueue()
	s.db.ready(s)
}

func severity(err error) string {
	if e, ok := err.(*Error); ok { //nolint:errorlint // errors of the engine are not wrapped
		return e.Severity
	}
	return ""
}

// end ends an idle session.
func (s *Session) end(err *Error) {
	s.over = true
	s.stopTimer(&s.stopIdle)
	s.stopTimer(&s.stopStatement)
	s.abort()
	s.releaseAll(untilUnlock)
	s.db.forget(s)
	if s.stop != nil {
		s.stop()
	}
	if s.db.hooks.Ended != nil {
		s.db.hooks.Ended(s, err)
	}
}

// resume runs the session's statement until it ends or waits.
func (s *Session) resume() {
	if s.over || !s.busy {
		return
	}
	if s.next == nil {
		s.next, s.stop = iter.Pull(s.serve)
	}
	s.next()
	r := s.result
	if r == nil {
		return
	}
	done := s.job.done
	s.result, s.job, s.busy, s.interrupted = nil, job{}, false, nil
	s.stopTimer(&s.stopStatement)
	fatal := r.Err != nil && r.Err.Severity == "FATAL"
	if fatal {
		s.over = true
		s.abort()
		s.releaseAll(untilUnlock)
		s.db.forget(s)
		s.stop()
	} else if d := s.settings.idleInTransaction; d > 0 && s.Status() != 'I' {
		s.stopIdle = s.db.host.After(d, func() {
			s.kill(&Error{Severity: "FATAL", Code: "25P03", Message: "terminating connection due to idle-in-transaction timeout"})
			s.db.run()
		})
	}
	if !s.gone {
		done(r)
	}
	if fatal && s.db.hooks.Ended != nil {
		s.db.hooks.Ended(s, r.Err)
	}
}

// serve is the coroutine of the session: it runs one statement after the other.
func (s *Session) serve(yield func(struct{}) bool) {
	s.yield = yield
	for {
		s.result = s.perform()
		if !yield(struct{}{}) {
			return
		}
	}
}

// park lets other sessions run until something wakes this one. It returns an error if the statement must end.
func (s *Session) park() error {
	if !s.yield(struct{}{}) {
		return &Error{Severity: "FATAL", Code: "57P01", Message: "the database is closed"}
	}
	return s.interrupted
}

// await waits in the queue of a lock until the lock is granted, for lock_timeout at most.
func (s *Session) await() error {
	var stopLock, stopDeadlock func()
	if d := s.settings.lockTimeout; d > 0 {
		stopLock = s.db.host.After(d, func() {
			s.interrupt(notAvailable("canceling statement due to lock timeout"))
			s.db.run()
		})
	}
	stopDeadlock = s.db.host.After(s.settings.deadlockTimeout, func() {
		s.checkDeadlock()
		s.db.run()
	})
	var err error
	for s.awaits != nil && err == nil {
		err = s.park()
	}
	if err == nil {
		err = s.interrupted
	}
	s.leaveQueue()
	s.stopTimer(&stopLock)
	s.stopTimer(&stopDeadlock)
	return err
}

// sleep waits for a time.
func (s *Session) sleep(d time.Duration) error {
	over := false
	stop := s.db.host.After(d, func() {
		over = true
		s.db.ready(s)
		s.db.run()
	})
	for !over {
		if err := s.park(); err != nil {
			s.stopTimer(&stop)
			return err
		}
	}
	return nil
}

func (s *Session) stopTimer(stop *func()) {
	if *stop != nil {
		(*stop)()
		*stop = nil
	}
}

// Group makes the statements that follow one transaction, until [Session.Sync] or a failure, unless they begin one themselves. The server
// does this for a simple query of several statements and between two Sync messages of the extended protocol.
func (s *Session) Group() { s.grouped = true }

// Sync ends what [Session.Group] has begun, and commits its transaction.
func (s *Session) Sync() {
	s.grouped = false
	if s.txn != nil && !s.txn.explicit && !s.busy {
		s.commit()
		s.stopTimer(&s.stopIdle)
	}
	s.db.run()
}
