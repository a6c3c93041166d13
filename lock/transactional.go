package lock

import "context"

// Transactional is a Resource whose data lives in the database that has the lock. Session is a
// connection of the family, as its own strategies use it.
type Transactional interface {
	Resource
	// By returns the resource as statements of the session access it. Each statement is a
	// transaction of its own.
	By(session any) Resource
	// In returns the resource as the present transaction of the session accesses it. Its requests
	// take effect when the transaction commits. The caller calls ended once: with nil after the
	// commit, with an error that wraps ErrUnknown if the outcome is unknown, and with any other
	// error after a rollback.
	In(session any) (r Resource, ended func(error))
}

// Held returns the Section of a strategy that has no Lease, such as a transaction.
func Held(ctx context.Context, r Resource) Section { return section{noLease{ctx}, r} }
