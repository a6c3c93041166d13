package lock

import (
	"context"
	"fmt"
)

// Ending ends a section whose body returned bodyErr: it releases the lease, and
// returns the error of the section.
type Ending func(ctx context.Context, lease Lease, bodyErr error) error

// EndSection releases the lease, also when the context of the caller has ended. It
// joins an error of the release to the body's.
func EndSection(ctx context.Context, lease Lease, bodyErr error) error {
	return join(bodyErr, lease.Release(context.WithoutCancel(ctx)))
}

// WrongEndings lists the flawed endings, for the part "release" of every family.
func WrongEndings() []Option[Ending] {
	return []Option[Ending]{
		{Flaw("skip-on-fail", "none when the work has failed"), skipOnFail},
		{Flaw("masks", "an error of the release takes the place of the result of the work"), maskResult},
		{Flaw("callers-context", "sent under the caller's context: nothing is sent if that has ended, and the key stays until its lease ends"), callersContext},
	}
}

// skipOnFail releases nothing when the body failed.
func skipOnFail(ctx context.Context, lease Lease, bodyErr error) error {
	if bodyErr != nil {
		return bodyErr
	}
	return EndSection(ctx, lease, nil)
}

// maskResult replaces the result of the body by an error of the release.
func maskResult(ctx context.Context, lease Lease, bodyErr error) error {
	if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("release failed: %v", err) //nolint:errorlint // the flaw: no caller can tell which error it was
	}
	return bodyErr
}

// callersContext releases under the caller's context, as a deferred call does that
// takes it. Once that context has ended, the release sends nothing and its error is
// lost.
func callersContext(ctx context.Context, lease Lease, bodyErr error) error {
	if ctx.Err() != nil {
		_ = lease.Release(ctx) // the flaw: it sends nothing, and a deferred call has no caller to tell
		return bodyErr
	}
	return EndSection(ctx, lease, bodyErr)
}
