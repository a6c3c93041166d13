package lock

import (
	"context"
	"fmt"
)

// Ending ends a section whose body returned bodyErr: it releases the lease and
// returns the error of the section.
type Ending func(ctx context.Context, lease Lease, bodyErr error) error

// EndSection releases the lease, even if the context of the caller has ended. It
// joins the errors of the body and of the release.
func EndSection(ctx context.Context, lease Lease, bodyErr error) error {
	return Join(bodyErr, lease.Release(context.WithoutCancel(ctx)))
}

// FlawedEndings lists the flawed endings, for the part "release" of every family.
func FlawedEndings() []Option[Ending] {
	return []Option[Ending]{
		{Flaw("skip-on-fail", "no release if the work fails"), skipOnFail},
		{Flaw("masks", "an error of the release replaces the result of the work"), maskResult},
		{Flaw("callers-context", "sent under the caller's context: if that has ended, nothing is sent and the key stays until its lease expires"), callersContext},
	}
}

// skipOnFail does not release the lease if the body failed.
func skipOnFail(ctx context.Context, lease Lease, bodyErr error) error {
	if bodyErr != nil {
		return bodyErr
	}
	return EndSection(ctx, lease, nil)
}

// maskResult replaces the result of the body with an error of the release.
func maskResult(ctx context.Context, lease Lease, bodyErr error) error {
	if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("release failed: %v", err) //nolint:errorlint // the flaw: no caller can tell which error it was
	}
	return bodyErr
}

// callersContext releases under the caller's context, as in defer lease.Release(ctx).
// Once that context has ended, the release sends nothing and its error is dropped.
func callersContext(ctx context.Context, lease Lease, bodyErr error) error {
	if ctx.Err() != nil {
		_ = lease.Release(ctx) // the flaw: it sends nothing, and a deferred call drops its error
		return bodyErr
	}
	return EndSection(ctx, lease, bodyErr)
}
