// Package engine is an in-process PostgreSQL database: sessions, transactions, row versions and the lock manager. It has no
// network, and the clock of its [Host]. It knows nothing of the simulation.
//
//	d := engine.New(host, engine.Hooks{})
//	s := d.Connect()
//	st, err := s.Prepare("select pg_advisory_lock($1)")
//	s.Execute(st, []any{int64(7)}, 0, func(r *engine.Result) { ... }) // at once, or when the lock is free
//
// # A tour
//
//   - [Database] opens sessions (database.go). A [Session] runs one statement at a time, as a coroutine that parks
//     while the statement waits (session.go). When the statement has ended, the sessions that waited for what it
//     released continue, one after another.
//   - [Session.Prepare] (prepare.go) parses with package [lockquake/sim/postgres/sql], finds the types of parameters and compiles expressions to
//     functions (statement.go, compile.go, operator.go, convert.go, function.go, subselect.go, aggregate.go). value.go has the values
//     and their text, hash.go the function hashtext, setting.go the settings of a session.
//   - transaction.go has snapshots, commit and abort; table.go the rows with their versions and unique keys, which it removes once no
//     snapshot needs them; newtable.go, define.go and createindex.go the statements about tables.
//   - scan.go finds rows, by a unique key if the condition fixes one; select.go, order.go, insert.go, unique.go and update.go run the
//     statements, common.go the tables of WITH. They evaluate a condition again on the newest version of a row that was changed while they waited.
//   - lock.go is the lock manager, with the modes and the queues of PostgreSQL (mode.go); deadlock.go looks for cycles of waiting sessions,
//     and first tries another order of a queue. advisory.go has the functions on advisory locks.
//   - rowlock.go locks rows: a session queues for the version of the row, then waits for the transactions that have locked it.
//   - catalog.go has the views of the system catalogue, sequence.go sequences, unknown.go the error about a function that is not simulated.
//   - A standby gets the changes of a commit with [Database.Apply], and a crash leaves an [Image] (image.go).
//
// # What is the same as in PostgreSQL 15
//
// The files in testdata have the rules, one example each, and were run against a real server: read committed and repeatable read;
// the four strengths of row locks; waits for unique keys; upserts; failed transactions; queues and priorities of the
// lock manager; deadlock_timeout, lock_timeout, statement_timeout and idle_in_transaction_session_timeout; cancel
// and terminate; CREATE INDEX CONCURRENTLY, which waits for older transactions. Errors have the SQLSTATE and the words of the server.
//
// # What is different
//
//   - Statements that package sql refuses, and types other than those of [Type], fail with SQLSTATE 0A000.
//   - Without ORDER BY, rows are in the order of their insertion; an update does not move a row.
//   - Of two sessions that wait for a row which a commit changes, the first in the queue gets it. On a real server the
//     second may get it.
//   - The snapshot of a SELECT in a transaction lasts until the next statement, as with the extended protocol, whose portal stays open.
//     CREATE INDEX CONCURRENTLY waits for it.
//   - Constants are computed when a statement runs, not when it is planned: what a statement does before 1/0 takes
//     effect first.
//   - A deadlock is found by the session whose deadlock_timeout ends first. Its check sees all waiting sessions at that moment.
//   - An interval is a duration: a day has 24 hours. A numeric has the precision of a float64, and time zones are UTC.
//   - Texts are compared by their bytes, as in the locale C. varchar(n) has no limit.
//   - TRUNCATE is a deletion of all rows, which older snapshots still see. Indexes that are not unique make no
//     statement faster.
//   - An index that a failed CREATE INDEX CONCURRENTLY leaves behind is invalid and keeps its name. It has no other
//     effect.
//   - The views of the system catalogue have the tables of the schema public, and not those of PostgreSQL. Their columns are of type text.
//   - A crash and a failover leave no gap in a sequence. A standby learns of a value when the transaction that has drawn it commits.
//   - A server notices a lost client only when it sends or receives. The database does not notice: the caller of
//     [Session.Close] chooses the time.
//   - Notices and warnings are left out. Commits are durable at once.
package engine
