package postgres

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks in a PostgreSQL database.
func Family() lock.Family {
	f := lock.Family{Name: Name, Parts: parts(), Tasks: []string{"renewal"}}
	for _, kind := range []struct {
		presets []lock.Entry
		parts   []lock.Part
		new     func(lock.Deps) lock.Strategy
		inside  bool
		keeps   bool   // a section keeps a connection
		record  string // the name of the lock's record at the server, without the name of the lock
		units   bool   // the lock is of a unit of work
	}{
		{advisorySessions(), sessionLockParts(), newSession, false, true, "", false},
		{semaphores(), []lock.Part{lock.Refusals().Part()}, newPermits, false, true, "", false},
		{nestedSessions(), sessionLockParts(), newSession, true, true, "", false},
		{advisoryTransactions(), transactionLockParts(), newInTransaction(takeAdvisory, nil), true, true, "", false},
		{managers(), nil, newManaged, true, true, "", false},
		{rowTransactions(), transactionLockParts(), newInTransaction(takeRow, nil), true, true, "row/locks/", false},
		{leaseRows(), leaseParts(), newLease, false, false, "leases/", false},
		{jobClaims(), claimLockParts(), newClaim, false, false, "jobs/", true},
		{jobTransactions(), transactionLockParts(), newInTransaction(takeJob, finishJob), true, true, "row/jobs/", true},
	} {
		for _, e := range kind.presets {
			e.Defaults.Complete(kind.parts)
			e.New, e.Inside, e.Occupies = kind.new, kind.inside, kind.keeps
			if kind.units {
				e.ByUnit, e.Needs = true, []lock.Need{lock.NeedUnits}
			}
			e.Records = func(key string) []string {
				switch {
				case e.Permits:
					return permitRecords(key)
				case kind.record == "":
					return []string{advisoryRecord(key)}
				}
				return []string{kind.record + key}
			}
			e.Shares = e.Shares || e.Defaults.Parts["readers"] == "shared"
			e.Tells = e.Defaults.Parts["renewal"] == "heartbeat"
			f.Strategies = append(f.Strategies, e)
		}
	}
	return f
}

// parts lists the parts of all locks, each once.
func parts() []lock.Part {
	return []lock.Part{
		sessionParts().Part(), readerParts().Part(), transactionParts().Part(), claimParts().Part(), leaseClocks().Part(), anchors().Part(), fences().Part(), heartbeats().Part(),
		lock.LeaseChecks().Part(), lock.Refusals().Part(),
	}
}

// The parts of each kind of lock.
func sessionLockParts() []lock.Part {
	return []lock.Part{sessionParts().Part(), readerParts().Part(), lock.Refusals().Part()}
}

func transactionLockParts() []lock.Part { return []lock.Part{transactionParts().Part()} }

func claimLockParts() []lock.Part {
	return []lock.Part{claimParts().Part(), lock.Refusals().Part()}
}

func leaseParts() []lock.Part {
	return []lock.Part{
		leaseClocks().Part(), anchors().Part(), fences().Part(), heartbeats().Part(), lock.LeaseChecks().Part(), lock.Refusals().Part(),
	}
}

// advisorySessions lists the locks that a session has.
func advisorySessions() []lock.Entry {
	return []lock.Entry{
		sound("pg-advisory-session", "pg_advisory_lock in a session that the holder keeps; the lock has no lease, and ends with the session", sessionClaims()),
		sound("pg-advisory-shared", "pg-advisory-session, with pg_advisory_lock_shared for sections that only read", sessionClaims(), lock.With("readers", "shared")),
		sound("pg-advisory-try", "pg-advisory-session, with waiters that poll", sessionClaims(), lock.With("session", "poll"), polling),
		flawed("pg-advisory-try-leak", "the session with the lock goes back to the pool and is never unlocked", lock.With("session", "leak"), polling),
		flawed("pg-advisory-twice", "one statement takes the lock twice, and one unlock releases it once: the session keeps it", lock.With("session", "twice")),
		flawed("pg-advisory-pooled", "pg-advisory-session through a pooler in transaction mode: lock and unlock can reach different sessions", lock.With("session", "pooled")),
	}
}

// semaphores lists the locks with several permits.
func semaphores() []lock.Entry {
	e := sound("pg-semaphore", "each permit is an advisory lock of its own, which a session tries in turn and keeps for the section", sessionClaims(), polling)
	e.Permits = true
	return []lock.Entry{e}
}

// nestedSessions lists the locks whose work is done with connections of the lock's pool.
func nestedSessions() []lock.Entry {
	return []lock.Entry{
		flawed("pg-pool-nested", "the work needs a second connection of the pool that the lock's connection is from: when holders have all its connections, they wait forever", lock.With("session", "nested")),
	}
}

// advisoryTransactions lists the advisory locks that a transaction has.
func advisoryTransactions() []lock.Entry {
	return []lock.Entry{
		sound("pg-advisory-xact", "pg_advisory_xact_lock, then the work in the same read-committed transaction", transactionClaims()),
		flawed("pg-advisory-xact-snapshot", "pg-advisory-xact in a repeatable-read transaction: its snapshot is older than the grant", lock.With("transaction", "snapshot")),
		flawed("pg-advisory-xact-autocommit", "pg_advisory_xact_lock without a transaction: it is released at once", lock.With("transaction", "none")),
		flawed("pg-advisory-outside-tx", "a transaction has the lock, and the work uses other connections: it goes on when the transaction ends", lock.With("transaction", "beside")),
	}
}

// managers lists the locks of a Manager.
func managers() []lock.Entry {
	e := sound("lock-manager", "the Manager of lock/postgres: pg_advisory_xact_lock and the work in one transaction, several locks in one order, and shared locks for sections that only read", transactionClaims())
	e.Several, e.Shares = true, true
	return []lock.Entry{e}
}

// rowTransactions lists the locks of a row.
func rowTransactions() []lock.Entry {
	return []lock.Entry{
		sound("pg-row-lock", "SELECT FOR UPDATE of a row, then the work in the same read-committed transaction", transactionClaims()),
	}
}

// leaseRows lists the locks with a lease row.
func leaseRows() []lock.Entry {
	return []lock.Entry{
		sound("pg-lease-row", "a row with owner and expiry by the clock of the server, which a conditional upsert takes; renewed by a task", lock.LeaseClaims(), heartbeat),
		sound("pg-lease-row-fenced", "pg-lease-row, and each grant increments a fencing token in the row", lock.FencedClaims(), heartbeat, lock.With("fence", "column")),
		flawed("pg-lease-row-reply-anchor", "pg-lease-row, and the holder counts its lease from the reply of the request", heartbeat, lock.With("anchor", "reply")),
		flawed("pg-lease-row-client-clock", "pg-lease-row, with the clocks of the clients", heartbeat, lock.With("lease-clock", "client")),
	}
}

// jobClaims lists the claims of jobs by status.
func jobClaims() []lock.Entry {
	return []lock.Entry{
		sound("pg-skip-locked", "a job is claimed by its status, found by FOR UPDATE SKIP LOCKED and committed at once; a reaper takes back claims that are too old", claimClaims(), claiming),
		flawed("pg-skip-locked-no-reaper", "pg-skip-locked, and no query reads the time of a claim: a crash leaves the job in processing forever", claiming, lock.With("claim", "no-reaper")),
		flawed("pg-skip-locked-unowned", "pg-skip-locked, completed without a condition on worker and attempt: a stale attempt completes or reopens the job of another", claiming, lock.With("claim", "unowned")),
		flawed("pg-skip-locked-attempts", "pg-skip-locked, and the attempts are compared with their limit before they are counted", claiming, lock.With("claim", "late-count")),
	}
}

// jobTransactions lists the claims of jobs by a transaction.
func jobTransactions() []lock.Entry {
	return []lock.Entry{
		sound("pg-skip-locked-tx", "a transaction locks the row of the job by FOR UPDATE SKIP LOCKED, and stays open over the work", transactionClaims()),
	}
}

// claiming takes a claim back after 30 s, and tries a job three times.
func claiming(p *lock.Params) { p.TTL, p.Tries = 30*time.Second, 3 }

// polling waits for 100 to 150 ms between two attempts, for as long as it takes.
func polling(p *lock.Params) {
	p.Retry = lock.Retry{Attempts: lock.Unlimited, Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond}
}

// heartbeat renews a lease of 10 s after each third of it, for up to 10 minutes.
func heartbeat(p *lock.Params) {
	polling(p)
	p.TTL, p.MaxHold = 10*time.Second, 10*time.Minute
	p.Set("check", "clock")
	p.Set("renewal", "heartbeat")
}

func preset(name, doc string, changes []lock.Change) lock.Entry {
	e := lock.Entry{Name: name, Doc: doc, Family: Name}
	for _, c := range changes {
		c(&e.Defaults)
	}
	return e
}

// sound returns a preset without a known bug.
func sound(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Claims = claims
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes)
	e.Flawed = true
	return e
}
