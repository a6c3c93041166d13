package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"lockquake/lock"
)

// The SQLSTATE codes that a lock acts on.
const (
	lockNotAvailable     = "55P03" // lock_timeout, or NOWAIT
	queryCanceled        = "57014" // statement_timeout, or a cancel request
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
)

// code returns the SQLSTATE of an error of the server, "" for any other error.
func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// notGranted returns the error of an acquire whose lock statement failed with err. The server has
// not granted the lock if it answered with an error. Otherwise nobody knows.
func notGranted(ctx context.Context, key string, err error) error {
	switch {
	case errors.Is(err, lock.ErrNotObtained), errors.Is(err, lock.ErrConflict):
		return fmt.Errorf("acquire %s: %w", key, err)
	case ctx.Err() != nil: // the connection is closed, and with it the session ends
		return fmt.Errorf("acquire %s: %w", key, context.Cause(ctx))
	case code(err) == lockNotAvailable, code(err) == queryCanceled, code(err) == deadlockDetected:
		return fmt.Errorf("acquire %s: %w: %w", key, lock.ErrNotObtained, err)
	}
	return fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
}
