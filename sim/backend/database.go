package backend

import (
	"context"

	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/resource"
)

// Database is a cluster that can have the protected resource in its servers.
type Database interface {
	// Keep creates the items of the resource, before the run.
	Keep(Items) error
	// Access returns the access of one process to the items.
	Access(*sim.Process, Settings) Access
	// Value returns the present value of an item.
	Value(item string) string
}

// Items are the items of the protected resource in a database.
type Items struct {
	Policy  resource.Policy
	Initial map[string]string
	// Record receives what took effect and what was refused: history.Applied. A write in a
	// transaction takes effect when that commits. Record sets the time of the event.
	Record func(history.Event)
}

// Access sends requests to the protected resource. *resource.Client is an Access.
type Access interface {
	// Ask returns the reply to a request. The error is lock.ErrRefused if the token was refused,
	// and lock.ErrConflict if the condition did not hold. After any other error it is unknown
	// whether the request takes effect. With an error the reply is empty.
	Ask(ctx context.Context, r *resource.Request) (resource.Reply, error)
}

// SessionAccess is the access to a database.
type SessionAccess interface {
	Access
	// By returns the access by one session of the family, or by what else it can execute
	// statements with.
	By(session any) Access
}
