package workload

import (
	"context"
	"errors"
	"strconv"

	"lockquake/lock"
)

// nestedInfo returns the workload nested.
func nestedInfo() Info {
	return Info{
		Name: "nested", Initial: "0", Do: oneLock(nested),
		Doc: "read n, lock the same key again, hold, write n+1, release the inner lock, hold, write n+2: the lock must last until the outer release. A lock that is not re-entrant waits for itself",
	}
}

// nested increments its item twice: in a section inside its own, and after that.
func nested(w *Work) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		n, err := readNumber(ctx, s, w.Item)
		if err != nil {
			return err
		}
		const halves = 2
		increment := func(ctx context.Context, s lock.Section, by int64) error {
			if err := w.Spend(ctx, w.Hold/halves); err != nil {
				return err
			}
			return s.Write(ctx, w.Item, strconv.FormatInt(n+by, 10))
		}
		err = w.Nested(ctx, w.Item, s, func(ctx context.Context, s lock.Section) error { return increment(ctx, s, 1) })
		if err != nil {
			return errors.New(err.Error()) // it is no answer about the outer lock
		}
		w.Proceed()
		return increment(ctx, s, 2) //nolint:mnd // twice in all
	}
}
