package workload

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// registerInfo returns the workload register.
func registerInfo() Info {
	return Info{
		Name: "register", Params: []Param{writesParam()}, Do: oneLock(register),
		Doc: "either write a unique value, or read twice with the hold between: both reads must return the same value",
	}
}

func register(w *Work) lock.Body {
	if w.Draw.Int64N(2) == 0 {
		return func(ctx context.Context, s lock.Section) error {
			value := fmt.Sprintf("%s/%d", w.Worker, w.Section)
			return w.writing(ctx, func(i int) error {
				if i > 0 {
					return s.Write(ctx, w.Item, fmt.Sprintf("%s.%d", value, i+1))
				}
				return s.Write(ctx, w.Item, value)
			})
		}
	}
	return func(ctx context.Context, s lock.Section) error {
		if _, err := s.Read(ctx, w.Item); err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		_, err := s.Read(ctx, w.Item)
		return err
	}
}
