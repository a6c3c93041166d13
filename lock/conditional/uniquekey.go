package conditional

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
)

// uniqueKey inserts a record for the unit of work before the work begins. The unit
// belongs to the worker whose insert takes effect; all others leave it. The record stays,
// so a unit is never done twice, and not at all if its worker fails.
type uniqueKey struct{ lock.Deps }

// Do implements lock.Strategy. Work without a unit runs at once.
func (u *uniqueKey) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	if unit := lock.Unit(ctx); unit != "" {
		c, err := conditionalOf(r)
		if err != nil {
			return err
		}
		if err := u.insert(ctx, c, unit+"/key"); err != nil {
			return err
		}
	}
	return lock.None().New(u.Deps).Do(ctx, key, r, body)
}

// insert inserts a record, and returns lock.ErrNotObtained if another worker was first. It
// repeats an insert whose outcome is unknown: the value of the record tells whose it is.
func (u *uniqueKey) insert(ctx context.Context, c lock.Conditional, record string) error {
	mine := fmt.Sprintf("%s-%016x", u.Instance, u.Env.Rand("key").Uint64())
	random := u.Env.Rand("retry")
	for attempt := 1; ; attempt++ {
		_, err := c.WriteIf(ctx, record, mine, lock.IfVersion(0))
		if attempt > 1 && errors.Is(err, lock.ErrConflict) {
			err = whose(ctx, c, record, mine)
		}
		switch {
		case errors.Is(err, lock.ErrConflict):
			return fmt.Errorf("%s: %w: another worker has the record", record, lock.ErrNotObtained)
		case !errors.Is(err, lock.ErrUnknown):
			return err
		case u.Params.Retry.Attempts != lock.Unlimited && attempt >= int(u.Params.Retry.Attempts):
			return err
		}
		if err := u.Env.Sleep(ctx, u.Params.Retry.Pause(attempt, random)); err != nil {
			return err
		}
	}
}

// whose returns nil if the record has this worker's value, and lock.ErrConflict if it has
// another. A replica that lags may not have the record yet.
func whose(ctx context.Context, c lock.Conditional, record, mine string) error {
	value, version, err := c.ReadVersion(ctx, record)
	switch {
	case err != nil:
		return err
	case version == 0:
		return fmt.Errorf("%s: %w: the record cannot be read yet", record, lock.ErrUnknown)
	case value != mine:
		return lock.ErrConflict
	}
	return nil
}
