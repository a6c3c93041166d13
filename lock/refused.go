package lock

import "context"

// Refusal handles a section whose lock was not obtained: it runs or drops the work. Err
// is the error of Acquire. It returns the error of the section.
type Refusal func(ctx context.Context, r Resource, body Body, err error) error

// Refusals returns the part "refused", for every family.
func Refusals() Choice[Refusal] {
	return Choice[Refusal]{"refused", "what happens to the work when the lock is not obtained", []Option[Refusal]{
		{Sound("stop", "the work does not run"), refuse},
		{Flaw("run", "the work runs without the lock"), runUnlocked},
	}}
}

func refuse(_ context.Context, _ Resource, _ Body, err error) error { return err }

func runUnlocked(ctx context.Context, r Resource, body Body, _ error) error {
	return body(ctx, section{noLease{ctx}, r})
}
