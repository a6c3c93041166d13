package lock

import "context"

// SharedRecipe is a Recipe with a second Locker, for sections that only read. It implements Sharer.
type SharedRecipe struct {
	Recipe
	Readers Locker
}

// DoShared implements Sharer.
func (w SharedRecipe) DoShared(ctx context.Context, key string, r Resource, body Body) error {
	w.Locker = w.Readers
	return w.Do(ctx, key, r, body)
}

// PermitRecipe is a Recipe whose locks have several permits. It implements Semaphore.
type PermitRecipe struct {
	// Recipe has no Locker.
	Recipe
	// Of returns the Locker of locks with that many permits.
	Of func(permits int) Locker
}

// Do implements Strategy: the lock has one permit.
func (w PermitRecipe) Do(ctx context.Context, key string, r Resource, body Body) error {
	return w.DoPermit(ctx, key, 1, r, body)
}

// DoPermit implements Semaphore.
func (w PermitRecipe) DoPermit(ctx context.Context, key string, permits int, r Resource, body Body) error {
	w.Locker = w.Of(permits)
	return w.Recipe.Do(ctx, key, r, body)
}
