package workload

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// discountInfo returns the workload discount.
func discountInfo() Info {
	return Info{
		Name: "discount", Do: discount, Offers: unitsThatLook,
		Doc:    "at every tick one customer asks all workers for a discount, as by a double click; check whether it has been used, hold, apply it: each customer must get it once",
		Params: []Param{periodParam(), recheckParam()},
	}
}

// discount applies the discount of the tick's customer under the lock of the customer, unless it has
// been used. The item of a customer is empty until then.
func discount(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	customer := fmt.Sprintf("%s/customer-%d", w.itemAt(tick), tick)
	return w.lockUndone(ctx, customer, customer, customer, func(ctx context.Context, s lock.Section) error {
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return s.Write(ctx, customer, w.Worker)
	})
}
