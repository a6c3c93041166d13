package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"lockquake/history"
	"lockquake/lock"
)

// chargeInfo returns the workload charge.
func chargeInfo() Info {
	return Info{
		Name: "charge", Initial: "1000", Outside: true, Do: charge, Offers: always(lock.NeedUnits),
		Doc: "at every tick all workers get one order; check whether it is complete, hold, charge a card at an external service, take one item from the inventory, " +
			"mark the order complete: each order must be charged once, and no fencing token protects the card",
		Params: []Param{periodParam(), recheckParam(), {Name: "idempotency"}},
	}
}

// charge processes the order of the tick, unless it is complete. Its lock is that of the resource,
// whose item is the inventory that the resource's orders share.
func charge(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	stock := w.itemAt(tick)
	order := fmt.Sprintf("%s/order-%d", stock, tick)
	complete := order + "/complete"
	return w.lockUndone(ctx, stock, order, complete, func(ctx context.Context, s lock.Section) error {
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		err := s.Write(ctx, history.Outside(order, w.Settings.Idempotency), w.Worker)
		charged := w.Settings.Idempotency && errors.Is(err, lock.ErrRefused) // by an earlier request
		if err != nil && !charged {
			return err
		}
		left, err := readNumber(ctx, s, stock)
		if err != nil {
			return err
		}
		if err := s.Write(ctx, stock, strconv.FormatInt(left-1, 10)); err != nil {
			return err
		}
		return s.Write(ctx, complete, w.Worker)
	})
}
