package main

import (
	"context"
	"fmt"

	"lockquake/lock"
	"lockquake/lock/env"
	lockpostgres "lockquake/lock/postgres"
)

// advisoryEntry is a session-level advisory lock on pgx. It claims no corruption as long as its session lives.
func advisoryEntry() lock.Entry {
	return lock.Entry{
		Name: "advisory", Doc: "pg_advisory_lock on a connection that it keeps", Family: lockpostgres.Name,
		Claims:  lock.Claims{Corruption: []lock.Class{lock.ClassPause, lock.ClassUnknown, lock.ClassCrash}, Service: lock.Served()},
		Records: func(key string) []string { return []string{fmt.Sprintf("advisory/%d", lockpostgres.AdvisoryKey(key))} },
		New:     func(d lock.Deps) lock.Strategy { return advisory{lockpostgres.PortOf(d).Pool} },
	}
}

type advisory struct{ pool lockpostgres.Pool }

// Do locks and unlocks on one connection.
func (a advisory) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	conn, err := a.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(env.WithOp(ctx, "acquire"), "SELECT pg_advisory_lock($1)", lockpostgres.AdvisoryKey(key)); err != nil {
		return fmt.Errorf("%w: %w", lock.ErrUnknown, err)
	}
	err = body(ctx, lock.Held(ctx, r))
	var held bool
	unlock := conn.QueryRow(env.WithOp(context.WithoutCancel(ctx), "release"), "SELECT pg_advisory_unlock($1)", lockpostgres.AdvisoryKey(key))
	switch failed := unlock.Scan(&held); {
	case failed != nil:
		_ = conn.Conn().Close(context.WithoutCancel(ctx)) // the pool must not keep a session that may have the lock
		return lock.Join(err, fmt.Errorf("%w: %w", lock.ErrUnknown, failed))
	case !held:
		return lock.Join(err, lock.ErrLost)
	}
	return err
}
