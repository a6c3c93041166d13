// Package postgres implements the locks in a PostgreSQL database, written with pgx.
//
// There are five kinds:
//
//   - A session-level advisory lock (session.go) lasts until the session unlocks it or ends. It has
//     no lease: a holder that pauses keeps it.
//   - A permit of a semaphore (permit.go) is one of several session-level advisory locks.
//   - A transaction-level advisory lock, or a row lock (transaction.go), lasts until the transaction ends. The work
//     runs in the same transaction, so a holder that has lost the lock cannot commit. [Manager] (manager.go) is a
//     transaction-level lock for programs: advisory locks, one or several, exclusive or shared.
//   - A lease row (lease.go) has an owner, an expiry and a fencing token. A conditional upsert takes
//     it, and a task renews it (heartbeat.go).
//   - A claim (claim.go) is the status of a job in a queue, found by SKIP LOCKED.
//
// [Family] lists the presets (presets.go): each is one of these with some parts changed. Those
// without a known bug claim that checks hold (claims.go). [Port] has the connections of a strategy
// (port.go).
//
// The locks need tables, besides what the work needs:
//
//	CREATE TABLE locks  (name text PRIMARY KEY);
//	CREATE TABLE leases (name text PRIMARY KEY, owner text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL);
//	CREATE TABLE jobs   (name text PRIMARY KEY, status text NOT NULL DEFAULT 'pending', worker text, attempts bigint NOT NULL DEFAULT 0,
//		priority bigint NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT clock_timestamp(), claimed_at timestamptz, expires_at timestamptz);
package postgres
